//! What a mail asks of its reader, as opposed to courtesies and requests to other people.

use crate::agent::mail_facts::User;
use crate::text::phrases::{NormalizedText, normalize_text};
use crate::text::words::{sentences, words};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// We found nothing.
    Nothing,
    /// Something from somebody else, by name.
    OfOthers(String),
    OfReader(String),
}

/// Words that call the reader by name.
pub(super) fn names(user: &User) -> Vec<String> {
    let name_words: Vec<String> = words(&user.name).collect();
    // The first name and the family name; people rarely use those in between.
    let used_names = name_words.first().into_iter().chain(name_words.iter().skip(1).last()).cloned();
    used_names.filter(|name| name.chars().count() > 2).collect()
}

/// Courtesies that look like requests.
const COURTESIES: &str = "if you have any questions, if you have questions, any questions, feel free, don t hesitate, do not \
    hesitate, how are you, hope you re well, hope you are well, please find, please note, please be advised, please do \
    not reply, please don t reply, please ignore, please disregard, please see below, please see attached, please be \
    aware, please join me, how is it going, how s it going, did you know, questions or concerns, let me know if \
    anything, let me know if i can, let us know if we can, if that changes, right then, who knows, isn t it, isn t that, \
    please consider the environment, for information only, just so you know, we only ask you to, bitte beachte*, bei \
    fragen, falls fragen, falls sie fragen, si vous avez des questions, n hésitez pas, si tienes preguntas, no dudes en, \
    no dude en, per qualsiasi domanda, non esitare, heeft u vragen, w razie pytań";

/// Phrases that say nothing is wanted.
const NOTHING: &str = "no action needed, no action required, no action is required, no action is needed, no reply needed, no \
    response needed, no need to reply, no need to respond, no need to answer, no need to do anything, \
    nothing needed from you, nothing for you to do, you don t need to do anything, you don t have to do anything, \
    needn t confirm, does not require a response, no reply necessary, no answer needed, no answer necessary, don t need \
    anything from you, don t need to answer, don t have to answer, don t have to reply, needn t reply, needn t answer, \
    nothing required from you, for information only, nur zur info, zur kenntnis, keine antwort nötig, brauchst nicht zu \
    antworten, musst nicht antworten, pas besoin de répondre, inutile de répondre, no hace falta que contestes, no hace \
    falta responder, non serve rispondere, geen antwoord nodig, nie musisz odpowiadać";

/// Phrases that ask, by language. A phrase that ends in `*` matches the beginning of a word.
const REQUESTS: &[&str] = &[
    "could you, can you, would you, will you, please, pls, plz, let me know, let us know, get back to me, get back to us, \
    your thoughts, what do you think, i need, we need, need your, needs your, need from you, need to know, must know, \
    need an answer, need a decision, waiting for your, waiting for you, waits for you, waiting on you, waiting to hear, is \
    waiting for, hear from you, heard from you, hearing from you, looking forward to your, rsvp, send me, send us, tell me, \
    tell us, call me, call us, ring me, write me, write to me, text me, message me, ping me, drop me, drop us, reply to me, \
    reply by, answer by, respond by, gets in touch, get in touch, give me a call, kindly, i d like, i would like, we d \
    like, we would like, i d love, i would love, we d love, i d appreciate, would appreciate, would love your, would be \
    grateful, would be glad to, would be great if you, would help me, would help us, your approval, your sign off, your \
    feedback on, your decision, your answer, your reply, your response, your ok, your okay, your go ahead, your \
    confirmation, your input, your opinion, your view on, your comments, your preference, your permission, yes from you, \
    you say yes, have to say yes, you prefer, up to you, your call, leave it with you, leave it to you, leave that with you, leave this to you, \
    whichever you, whatever you prefer, are you free, are you available, do you have, would it be possible, is it possible, \
    any update, any news, remind you to, don t forget to, suggest a time, which day, which date, applying for, my \
    application, apply for the position, asked you for, confirmation that you, if you want to go ahead, without a yes, i \
    want you to, we want you to, i expect, we expect",
    "kannst du, könntest du, würdest du, können sie, könnten sie, würden sie, gib mir, gib uns, geben sie, sag mir, sagen \
    sie, schick mir, schicken sie, schreib mir, schreiben sie mir, bitte, bescheid, brauche ich, brauche von, brauche noch, \
    brauchen wir, brauchen von, bräuchte, bräuchten, ruf mich, rufen sie, melde dich, melden sie sich, ich warte, wir \
    warten, deine antwort, ihre antwort, deine freigabe, ihre freigabe, dein ok, ihr ok, deine entscheidung, ihre \
    entscheidung, deine zusage, stellungnahme, zu äußern, rückmeldung, rückantwort, ich möchte, wir möchten, ich würde \
    gern*, was meinst du, was halten sie, passt dir, passt ihnen, hast du, magst du, ich bewerbe mich, meine bewerbung, \
    bewerbung als",
    "pouvez vous, pourriez vous, peux tu, pourrais tu, merci de, j attends, nous attendons, il me faut, il nous faut, dites \
    moi, dis moi, tenez moi, tiens moi, votre accord, votre retour, votre réponse, ton retour, ta réponse, je voudrais, \
    j aimerais, nous aimerions, s il vous plaît, s il te plaît, veuillez, confirmez, faites moi savoir, qu en penses tu, \
    qu en pensez vous, je souhaite, nous souhaitons, ma candidature",
    "dime, díganos, dígame, avísame, avísanos, puedes, podrías, podría usted, podrían, necesito, necesitamos, me gustaría, \
    nos gustaría, quisiera, por favor, espero tu, espero su, a la espera de, confírmame, lo ideal sería que, cuéntame, \
    envíame, mándame, te parece, le parece, solicito, solicitamos, quedo a la espera",
    "fammi sapere, facci sapere, fateci sapere, mi faccia sapere, puoi, potresti, potrebbe, ho bisogno, abbiamo bisogno, \
    vorrei, vorremmo, per favore, per cortesia, attendo, attendiamo, dimmi, confermami, mandami, inviami, che ne pensi",
    "kun je, kunt u, kan je, zou je, zou u, laat me weten, laat het me weten, laat maar weten, ik hoor graag, wij horen \
    graag, wil je, wilt u, ik heb nodig, stuur me, alsjeblieft, alstublieft, graag een reactie, graag je reactie",
    "proszę, prosimy, daj znać, dajcie znać, czy możesz, czy mógłbyś, czy mogłabyś, czekam na, potrzebuję, potrzebujemy, \
    chciałbym, chciałabym, poproszę, pode, podes, poderia, preciso, precisamos, gostaria, me avise, diga me",
];

/// The same for scripts without spaces between words.
const UNSPACED: &[&str] = &[
    "でしょうか",
    "ますか",
    "てください",
    "いただけますと",
    "ご返答",
    "ご回答",
    "お返事",
    "ご連絡ください",
    "请回复",
    "请告知",
    "请问",
    "吗？",
    "麻烦您",
    "주세요",
    "습니까",
    "까요",
];

/// Words that begin a question, even without a question mark.
const QUESTION_WORDS: &str = "does, do you, did you, is it, is the, are you, are there, can i, can we, can it, could it, \
    could we, will it, which, what, when can, where can, where do, how much, how many, how do, how long, ob, welche, \
    wann, wie viel";

/// Whether a [`normalize_text`] text says that nothing is wanted.
pub(super) fn says_nothing_is_wanted(flat: &NormalizedText) -> bool {
    flat.has(NOTHING)
}

/// What the sender's own text asks for.
pub(super) fn ask(user: &User, own_text: &str, flat_text: &NormalizedText) -> Ask {
    if says_nothing_is_wanted(flat_text) {
        return Ask::Nothing;
    }
    let mut of_others = None;
    for sentence in sentences(own_text).into_iter().filter(|sentence| is_request(sentence)) {
        if addressee(sentence).is_none_or(|name| is_addressed(user, &name)) {
            return Ask::OfReader(sentence.to_owned());
        }
        of_others = Some(sentence.to_owned());
    }
    of_others.map_or(Ask::Nothing, Ask::OfOthers)
}

/// Whether a sentence asks for something.
fn is_request(sentence: &str) -> bool {
    let flat_sentence = normalize_text(sentence);
    let is_question =
        || sentence.trim_end_matches(['"', '\'', ')', '”']).ends_with(['?', '？']) && flat_sentence.len() > 6;
    let is_listed_question = || {
        sentence.trim_start().starts_with(['-', '*', '•'])
            && QUESTION_WORDS.split(", ").any(|word| flat_sentence.starts_with(&format!(" {word} ")))
    };
    let asks = || {
        REQUESTS.iter().any(|phrases| flat_sentence.has(phrases))
            || UNSPACED.iter().any(|phrase| sentence.contains(phrase))
    };
    !flat_sentence.has(COURTESIES) && (is_question() || is_listed_question() || asks())
}

fn is_addressed(user: &User, name: &str) -> bool {
    let name = name.to_lowercase();
    names(user).contains(&name) || matches!(name.as_str(), "all" | "everyone" | "team" | "folks")
}

/// Words at the start of a sentence that are not names.
const STARTERS: &[&str] = &[
    "also",
    "and",
    "so",
    "finally",
    "first",
    "second",
    "lastly",
    "meanwhile",
    "otherwise",
    "then",
    "now",
    "yes",
    "no",
    "ok",
    "okay",
    "hi",
    "hello",
    "hey",
    "dear",
    "thanks",
    "btw",
    "ps",
    "however",
    "therefore",
    "next",
    "today",
    "tomorrow",
    "again",
    "anyway",
    "well",
    "question",
    "fyi",
    "tbh",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "please",
];

/// `Bob, could you …` and `@Bob can you …` are not for Ada, anywhere in the sentence.
fn addressee(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let asked_name = words.windows(3).rev().find_map(|three| {
        let name = three[0].strip_suffix(',')?;
        let is_request =
            matches!(three[1], "could" | "can" | "would" | "will" | "kannst" | "könntest" | "please");
        let is_name =
            name.chars().next().is_some_and(char::is_uppercase) && name.chars().all(char::is_alphabetic);
        (is_request && is_name).then(|| name.to_owned())
    });
    if let Some(name) = asked_name.filter(|name| !STARTERS.contains(&name.to_lowercase().as_str())) {
        return Some(name);
    }
    let (head, rest) = sentence.trim_start_matches(['-', '*', ' ']).split_once([' ', '\n'])?;
    if let Some(name) = head.strip_prefix('@') {
        return Some(name.trim_end_matches([',', ':']).to_owned());
    }
    let name = head.strip_suffix([',', ':'])?;
    let is_capitalized = name.chars().next().is_some_and(char::is_uppercase);
    let is_starter = STARTERS.contains(&name.to_lowercase().as_str());
    let is_alone = rest.trim().is_empty();
    (is_capitalized && !is_starter && !is_alone && name.chars().all(char::is_alphabetic))
        .then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::signs::own_text;
    use super::*;

    fn ada() -> User {
        User { name: "Ada Lovelace".into(), addresses: vec!["ada@engine.example".into()], ..User::default() }
    }

    #[test]
    fn asks_are_told_from_courtesies_and_from_asks_of_others() {
        let rows = [
            ("Hi Ada,\n\nCould you send me the figures? Thanks", true),
            ("The report is attached. Let me know if you have any questions.", false),
            ("Bob, could you take this one? Ada, just so you know.", false),
            ("Ada, could you take this one?", true),
            ("Lunch on Friday?", true),
            ("No action needed. Could you imagine?", false),
            ("> Could you send it?\n\nSent it yesterday.", false),
            ("Also, what do you think of the draft", true),
        ];
        for (text, asks) in rows {
            let own_text = own_text(text);
            let answer = ask(&ada(), &own_text, &normalize_text(&own_text));
            assert_eq!(matches!(answer, Ask::OfReader(_)), asks, "{text}: {answer:?}");
        }
    }
}
