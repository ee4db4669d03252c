//! Mails on a card: what is folded, what is listed, what is copied and piped, and a mail of 50 MB.

use crate::harness::{Desk, dump};
use crate::support::desk::letter;
use sayso::inbox::{Block, BodyPiece, Card, MailBlock};
use sayso::text::Visible;
use sayso::tui::{Cmd, Msg, Read};
use serde_json::json;
use std::time::{Duration, Instant};

const SIZE: (u16, u16) = (180, 44);

fn desk() -> Desk {
    let mut desk = Desk::with(SIZE, vec![letter()]);
    desk.press("<enter>");
    desk
}

#[test]
fn the_newest_mail_is_open_and_the_rest_is_folded() {
    let mut desk = desk();
    let shown = desk.dump();
    for text in [
        "Bob Stone <bob@example.org> · Mon 2 Mar, 09:41",
        "to Ada Lovelace <ada@example.org> · cc bob@example.org, carol@example.org, dan@example.org and 2 more",
        "here are the figures for the quarter.",
        "▸ 14 quoted lines  (T)",
        "figures.xlsx · spreadsheet · 18 KB",
        "www.your-bank.example → https://login.evil.test/your-bank?next=account",
        "2 pieces of text the mail hides are left out",
        "▸ Ada Lovelace <ada@example.org> · Sun 1 Mar, 18:03: Could you send me the figures?",
        "▸ Bob Stone <bob@example.org> · Fri 27 Feb, 11:20: Hello Ada,",
    ] {
        assert!(shown.contains(text), "{text}\n{shown}");
    }
    assert!(!shown.contains("as I said before") && !shown.contains("Re: Quarterly figures"), "{shown}");
    assert!(!shown.contains("X-Mailer"), "{shown}");
}

#[test]
fn quotes_and_headers_are_shown_on_demand() {
    let mut desk = desk();
    desk.press("T");
    let shown = desk.dump();
    assert!(shown.contains("> as I said before") && !shown.contains("quoted lines"), "{shown}");
    desk.press("]");
    let shown = desk.dump();
    assert!(shown.contains("Something else"), "a subject of its own is shown: {shown}");
    desk.press("[").press("TH");
    let shown = desk.dump();
    assert!(shown.contains("X-Mailer") && shown.contains("quill 1.0") && shown.contains("quoted"), "{shown}");
    desk.press("H");
    assert!(!desk.dump().contains("X-Mailer"));
}

#[test]
fn what_is_attached_and_linked_is_listed_and_copied() {
    let mut desk = desk();
    desk.press("v");
    let shown = desk.dump();
    assert!(shown.contains("2 attachments") && shown.contains("2.4 MB"), "{shown}");
    desk.press("<esc>").press("L").press("j").press("y");
    let wanted = Cmd::Copy("https://login.evil.test/your-bank?next=account".to_owned());
    assert_eq!(desk.outside.last(), Some(&wanted));
    desk.press("<esc>");
    assert!(desk.decisions().is_empty());
}

#[test]
fn a_mail_is_piped_through_what_the_person_typed() {
    let mut desk = desk();
    desk.press("|").type_in("wc -l").press("<enter>");
    let Some(Cmd::Pipe(command, text)) = desk.outside.last() else { panic!("{:?}", desk.outside) };
    assert_eq!(command, "wc -l");
    assert!(text.starts_with("From: Bob Stone") && text.contains("as I said before"), "{text}");
    let before = desk.outside.len();
    desk.press("|").press("<enter>").press("|").type_in("x").press("<esc>");
    assert_eq!(desk.outside.len(), before, "no command, nothing run");
}

#[test]
fn cards_without_mails_say_so() {
    let mut desk = Desk::full(SIZE);
    desk.press("j<enter>").press("v");
    assert_eq!(desk.note(), "there is no mail in this card");
    desk.press("H").press("L");
    assert!(desk.model.layer().is_none());
}

#[test]
fn t01_no_escape_of_a_mail_reaches_the_terminal() {
    let hostile = "\x1b[31mred\x1b]0;title\x07\x1b[2J\u{202e}rtl\u{200b}\u{9b}31m\x08\x7f\rend";
    let sample = json!({"kind": "letter", "title": hostile, "text": hostile, "from": hostile});
    let mut desk = Desk::with(SIZE, vec![("desk", sample)]);
    for keys in ["<enter>", "T", "H", "G", "v", "<esc>", "L", "j", "<esc>", "|", "<esc>"] {
        desk.press(keys);
        for cell in desk.buffer().content() {
            let bad = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}');
            assert!(!cell.symbol().contains(bad), "{keys}: {:?}", cell.symbol());
        }
    }
}

#[test]
fn t05_t06_any_size_and_any_script() {
    let storm = format!("{}{}", "👩‍👩‍👧‍👦漢字🇫🇷한국".repeat(40), "e\u{301}\u{302}\u{303}".repeat(200));
    let sample = json!({"kind": "letter", "title": storm, "text": storm, "from": storm});
    let mut desk = Desk::with((101, 30), vec![("desk", sample)]);
    for keys in ["<enter>", "T", "H", "v", "<esc>", "L", "<esc>"] {
        desk.press(keys);
        for (columns, rows) in
            [(1, 1), (2, 9), (7, 5), (20, 7), (59, 12), (100, 8), (160, 45), (300, 100), (101, 30)]
        {
            desk.resize(columns, rows);
        }
    }
    let buffer = desk.buffer();
    let rule = (0..101).find(|x| buffer[(*x, 3)].symbol() == "│").unwrap();
    for y in 1..28 {
        assert_eq!(buffer[(rule, y)].symbol(), "│", "{}", dump(&buffer));
        assert!(sayso::text::width(buffer[(rule - 1, y)].symbol()) <= 1);
    }
}

#[test]
fn a_mail_of_50_megabytes_scrolls() {
    let line = "Many words stand in this line, and as many lines in this mail.\n";
    let piece =
        |quoted: bool| BodyPiece { quoted, text: Visible::new(&line.repeat(25 * 1024 * 1024 / line.len())) };
    let mail = MailBlock { body: vec![piece(false), piece(true)], ..MailBlock::default() };
    let mut desk = desk();
    let item = desk.model.current().unwrap().item.clone();
    let card = Card { blocks: vec![Block::Mail(Box::new(mail))] };
    desk.tell(Msg::Card(item.id.clone(), Ok(Box::new(Read { item, card, answers: Vec::new() }))));
    desk.drawn();
    // Not a timed assertion of speed: laying the whole mail out for each of these would take minutes.
    let began = Instant::now();
    for _ in 0..20 {
        desk.press("<ctrl-d>").press("G").press("k").press("gg");
    }
    desk.press("T").press("G").press("T");
    assert!(began.elapsed() < Duration::from_secs(60));
    desk.press("G");
    assert!(desk.dump().contains("quoted lines"), "{}", desk.dump());
}
