//! Splits the text of a mail into new text and text that repeats an earlier mail.
//!
//! Promises: nothing is lost or changed: the pieces joined together are the text. Linear time. Signatures are not
//! quotes. Text below the header of a forwarded mail is not a quote either: it is what the mail is about.

use super::{Mail, Piece};
use crate::text::phrases::{NormalizedText, normalize_text};

/// How many repeated mails are looked for in earlier ones.
const MAX_REPEATED: usize = 20;

/// The lines that mail programs put above a complete repeated mail.
const ORIGINAL: &[&str] = &[
    "original message",
    "original appointment",
    "ursprüngliche nachricht",
    "ursprungliche nachricht",
    "message d'origine",
    "message original",
    "mensaje original",
    "mensagem original",
    "messaggio originale",
    "oorspronkelijk bericht",
    "originalmeddelande",
    "oprindelig meddelelse",
    "original melding",
    "alkuperäinen viesti",
    "wiadomość oryginalna",
    "oryginalna wiadomość",
    "původní zpráva",
    "исходное сообщение",
    "пересылаемое сообщение",
    "原始邮件",
    "原始郵件",
    "元のメッセージ",
];

/// The first field of the header that Outlook repeats above a mail, in its languages.
const FROM: &[&str] = &[
    "from",
    "von",
    "de",
    "da",
    "van",
    "från",
    "fra",
    "lähettäjä",
    "od",
    "от",
    "发件人",
    "寄件者",
    "差出人",
    "보낸 사람",
    "feladó",
    "kimden",
    "от кого",
];

/// Fields of which one must follow within a few lines.
const SENT: &[&str] = &[
    "sent",
    "date",
    "gesendet",
    "datum",
    "envoyé",
    "enviado",
    "enviado el",
    "enviada em",
    "inviato",
    "data",
    "fecha",
    "verzonden",
    "skickat",
    "sendt",
    "lähetetty",
    "wysłano",
    "odesláno",
    "отправлено",
    "дата",
    "发送时间",
    "寄件日期",
    "送信日時",
    "보낸 날짜",
    "elküldve",
    "gönderildi",
    "to",
    "an",
    "à",
    "para",
    "a",
    "aan",
    "till",
    "til",
    "do",
    "komu",
    "кому",
    "收件人",
];

/// New text, and quotes with what is written above them about whom they quote.
pub fn pieces(text: &str) -> Vec<Piece> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut quoted = vec![false; lines.len()];
    let mut rest = false;
    for at in 0..lines.len() {
        let line = lines[at].trim();
        // A repeated mail goes on to the end; we cannot tell answers between its lines apart.
        rest = rest || (is_original(line) || starts_head(&lines[at..])) && !forwarded_above(&lines[..at]);
        quoted[at] |= rest || is_marked(line);
        if !quoted[at] {
            quoted[at..at + attribution(&lines[at..])].fill(true);
        }
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for at in 0..lines.len() {
        // Blank lines between two quotes, or below one, belong to it.
        if lines[at].trim().is_empty() && at > 0 && quoted[at - 1] {
            quoted[at] = true;
        }
        match pieces.last_mut() {
            Some(piece) if piece.quoted == quoted[at] => piece.text.push_str(lines[at]),
            _ => pieces.push(Piece { quoted: quoted[at], text: lines[at].to_owned() }),
        }
    }
    pieces
}

fn next_line<'a>(lines: &[&'a str]) -> Option<&'a str> {
    lines.iter().take(3).map(|line| line.trim()).find(|line| !line.is_empty())
}

/// How many lines an attribution takes that begins here ("On 9 Nov 2026, Ann wrote:"), in whatever language: it ends in a
/// colon right above a quote, and has an address in brackets or a year. 0 if none begins here.
fn attribution(lines: &[&str]) -> usize {
    let mut has_who_or_when = false;
    for (at, line) in lines.iter().map(|line| line.trim()).enumerate().take(3) {
        has_who_or_when |= has_address(line) || has_year(line);
        if line.is_empty() || line.len() > 400 || line.starts_with('>') {
            return 0;
        }
        if line.ends_with([':', '：'])
            && has_who_or_when
            && next_line(&lines[at + 1..]).is_some_and(|next| next.starts_with('>'))
        {
            // What stands above an attribution may be new.
            let begins_below = (1..=at).any(|below| attribution(&lines[below..]) > 0);
            return if begins_below { 0 } else { at + 1 };
        }
        if line.ends_with(['.', '!', '?']) {
            return 0;
        }
    }
    0
}

fn has_address(line: &str) -> bool {
    line.split_once('<').is_some_and(|(_, rest)| {
        rest.split_once('>').is_some_and(|(address, _)| address.contains('@') && !address.contains(' '))
    })
}

/// Whether a number of four digits stands in the line that can be the year of a mail.
fn has_year(line: &str) -> bool {
    let numbers = line.split(|c: char| !c.is_ascii_digit());
    numbers
        .filter(|number| number.len() == 4)
        .any(|number| number.starts_with("19") || number.starts_with("20"))
}

/// The text without lines that begin with `>`. What stands above them, or below the header of a repeated mail, is not
/// left out: the sender may have written it, and chooses how it looks.
pub(super) fn without_quotes(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !is_marked(line)).collect()
}

/// The same, also without what stands below the header of a repeated mail if one of the `earlier` mails has it, too. The
/// headers stay.
pub(super) fn without_repeated(text: &str, earlier: &[&Mail]) -> String {
    let text = without_quotes(text);
    if earlier.is_empty() {
        return text;
    }
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begins = |at: &usize| is_original(lines[*at].trim()) || starts_head(&lines[*at..]);
    let starts: Vec<usize> = (0..lines.len()).filter(begins).take(MAX_REPEATED).collect();
    let earlier: Vec<NormalizedText> =
        earlier.iter().map(|mail| normalize_text(&without_quotes(&mail.text))).collect();
    let mut new = lines[..starts.first().copied().unwrap_or(lines.len())].concat();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    for (start, end) in starts.iter().copied().zip(ends) {
        let repeated = &lines[start..end];
        let head = repeated.iter().take_while(|line| label(line).is_some()).count();
        let (head, body) = repeated.split_at(head);
        new.push_str(&head.concat());
        let body = body.concat();
        let words = normalize_text(&body);
        if !earlier.iter().any(|earlier| earlier.contains(&*words)) {
            new.push_str(&body);
        }
    }
    new
}

fn is_marked(line: &str) -> bool {
    line.trim_start().starts_with('>')
}

/// Matches `-----Original Message-----` and similar lines.
fn is_original(line: &str) -> bool {
    let inner = line.trim_matches(['-', '_', '=', '*', ' ']);
    if line.len() - inner.len() < 4 || inner.len() > 60 || !line.starts_with(['-', '_', '=', '*']) {
        return false;
    }
    let lower = inner.to_lowercase();
    ORIGINAL.contains(&lower.as_str())
}

/// The header of a repeated mail, as Outlook writes it: `From:` and, within four lines, `Sent:` or `To:`.
fn starts_head(lines: &[&str]) -> bool {
    let Some(first) = lines.first().and_then(|line| label(line)) else { return false };
    if !FROM.contains(&first.as_str()) {
        return false;
    }
    let near: Vec<String> = lines.iter().skip(1).take(4).filter_map(|line| label(line)).collect();
    near.len() >= 2 && near.iter().filter(|label| SENT.contains(&label.as_str())).count() >= 1
}

/// The name of the field in a line of such a header.
fn label(line: &str) -> Option<String> {
    let line = line.trim().trim_start_matches('*');
    let (label, rest) = line.split_once([':', '：'])?;
    let label = label.trim_matches(['*', ' ']);
    (label.len() < 40 && !rest.trim().is_empty()).then(|| label.to_lowercase())
}

/// Whether the line above says that the mail is forwarded: then it is new text, not a quote.
fn forwarded_above(lines: &[&str]) -> bool {
    let above = lines.iter().rev().map(|line| line.trim().to_lowercase()).find(|line| !line.is_empty());
    above.is_some_and(|line| {
        (line.starts_with('-')
            && [
                "forward",
                "weitergeleitet",
                "transmis",
                "transféré",
                "reenviado",
                "inoltrato",
                "doorgestuurd",
                "vidare",
                "переслан",
                "encaminhad",
            ]
            .iter()
            .any(|word| line.contains(word)))
            || line.starts_with("begin forwarded message")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The text with each quoted piece as `[…]`.
    fn folded(text: &str) -> String {
        pieces(text).iter().map(|piece| if piece.quoted { "[…]\n" } else { piece.text.as_str() }).collect()
    }

    #[test]
    fn attributions_in_many_languages() {
        for line in [
            "On Mon, Nov 9, 2026 at 10:11 AM Ann <ann@example.com> wrote:",
            "On 2026-11-09, Ann Smith wrote:",
            "Ann Smith <ann@example.com> wrote:",
            "Le lun. 9 nov. 2026 à 10:11, Ann <ann@example.com> a écrit :",
            "Am 09.11.2026 um 10:11 schrieb Ann Smith:",
            "Am Mo., 9. Nov. 2026 um 10:11 Uhr schrieb Ann <ann@example.com>:",
            "El lun, 9 nov 2026 a las 10:11, Ann (<ann@example.com>) escribió:",
            "Em seg., 9 de nov. de 2026 às 10:11, Ann <ann@example.com> escreveu:",
            "Il giorno lun 9 nov 2026 alle ore 10:11 Ann <ann@example.com> ha scritto:",
            "Op ma 9 nov. 2026 om 10:11 schreef Ann <ann@example.com>:",
            "Den mån 9 nov. 2026 kl 10:11 skrev Ann <ann@example.com>:",
            "pon., 9 lis 2026 o 10:11 Ann <ann@example.com> napisał(a):",
            "пн, 9 нояб. 2026 г. в 10:11, Ann <ann@example.com>:\nAnn пишет:",
            "2026年11月9日(月) 10:11 Ann <ann@example.com> のメール:",
            "Ann <ann@example.com> 于2026年11月9日周一 10:11写道：",
            "On Monday, the ninth of November in the year\n2026, Ann Smith <ann@example.com> wrote:",
        ] {
            let text = format!("Yes.\n\n{line}\n> old\n> words\n");
            assert!(pieces(&text).last().is_some_and(|piece| piece.quoted), "{line}");
            assert!(folded(&text).starts_with("Yes.\n\n"), "{line}");
        }
        assert_eq!(folded("Yes.\n\nOn 9 Nov 2026, Ann wrote:\n\n> old\n\nMore.\n"), "Yes.\n\n[…]\nMore.\n");
        assert_eq!(folded("Yes\nOn 9 Nov 2026 Ann <ann@example.com>\nwrote:\n> old\n"), "Yes\n[…]\n");
    }

    #[test]
    fn whole_repeated_mails() {
        for text in [
            "Fine.\n\n-----Original Message-----\nFrom: Ann\nSent: Monday\n\nold\n",
            "Fine.\n\n-------- Ursprüngliche Nachricht --------\nVon: Ann\n\nold\n",
            "Fine.\n\nFrom: Ann <ann@example.com>\nSent: Monday, 9 November\nTo: Bob\nSubject: Re: x\n\nold\n",
            "Fine.\n\nVon: Ann\nGesendet: Montag\nAn: Bob\nBetreff: x\n\nold\n",
            "Fine.\n\n*From:* Ann\n*Sent:* Monday\n*To:* Bob\n\nold\n",
        ] {
            assert_eq!(folded(text), "Fine.\n\n[…]\n", "{text}");
        }
    }

    #[test]
    fn what_is_no_quote() {
        for text in [
            "Hello\n-- \nAnn Smith\nExample Ltd\n",
            "He wrote:\n\nthe whole thing in a day.\n",
            "From: here on it gets better.\nNothing else.\n",
            "See below\n\n---------- Forwarded message ----------\nFrom: Ann\nDate: Monday\nSubject: x\nTo: Bob\n\nnews\n",
            "Begin forwarded message:\n\nFrom: Ann\nDate: Monday\nSubject: x\nTo: Bob\n\nnews\n",
            "-----\nPart two\n-----\n",
            "This is what I wrote:\nA poem of 3 lines.\n",
            "",
        ] {
            assert!(pieces(text).iter().all(|piece| !piece.quoted), "{text}");
        }
    }

    #[test]
    fn words_right_above_a_quote_are_not_folded_with_it() {
        for above in [
            "our bank details have changed to DE89370400440532013000, please pay 4,500 EUR there:",
            "My 3 comments, 120 words in all:",
            "I am @home. Call 0151 2345678:",
        ] {
            assert_eq!(folded(&format!("Hi Ada,\n{above}\n> Thanks\n")), format!("Hi Ada,\n{above}\n[…]\n"));
        }
        let disguised = "Pay to DE89370400440532013000 as on 9 Nov 2026 <ann@example.com> wrote:\n> old\n";
        assert!(without_quotes(disguised).contains("DE89370400440532013000"));
        assert!(!without_quotes(disguised).contains("old"));
    }

    #[test]
    fn nothing_hides_below_a_forged_repeated_mail() {
        for head in ["From: Ann\nSent: Monday\nTo: Bob\n", "-----Original Message-----\nFrom: Ann\n"] {
            let text = format!("Fine.\n\n{head}\nOur bank details have changed.\n > old\n");
            assert!(pieces(&text).last().is_some_and(|piece| piece.quoted), "{head}");
            let read = without_quotes(&text);
            assert!(read.contains("bank details") && !read.contains("old"), "{read}");
        }
    }

    #[test]
    fn what_earlier_mails_say_is_not_read_again() {
        let mail =
            |text: &str| crate::mail::parse(format!("From: a@b.example\n\n{text}").as_bytes()).unwrap();
        let (one, two) = (mail("Our bank details\nhave changed.\n"), mail("Which ones?\n"));
        let head = "From: Ann\nSent: Monday\nTo: Bob\nSubject: x\n\n";
        let text = format!("Fine.\n\n{head}Which ones?\n\n{head}Our bank details have changed.\n");
        let kept = head.trim_end();
        assert_eq!(without_repeated(&text, &[&one, &two]), format!("Fine.\n\n{kept}\n{kept}\n"));
        assert_eq!(without_repeated(&text, &[]), text);
        assert!(without_repeated(&text, &[&two]).contains("bank details"));
        let forged = format!("Fine.\n\n{head}Our bank details have changed. Pay to 12.\n");
        assert_eq!(without_repeated(&forged, &[&one, &two]), forged, "more than the earlier mail said");
        let own = "Our bank details have changed.\n";
        assert_eq!(without_repeated(own, &[&one]), own, "without a header, the sender says it again");
    }

    #[test]
    fn long_texts_stay_quick() {
        assert_eq!(pieces(&"> x\n".repeat(100_000)).len(), 1);
        assert_eq!(pieces(&"On a\n".repeat(100_000)).len(), 1);
        pieces(&"a ".repeat(500_000));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(text in "((> |On 1 wrote:|From: a|To: b|-----Original Message-----|é|\n| ){0,3}\n?){0,20}") {
            let split = pieces(&text);
            prop_assert_eq!(split.iter().map(|piece| piece.text.as_str()).collect::<String>(), text);
            prop_assert!(split.windows(2).all(|two| two[0].quoted != two[1].quoted));
        }
    }
}
