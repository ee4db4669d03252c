//! Any size, any text: T01, T05, T06, and a card of 50 MB.

use crate::report;
use crate::support::test_screen::{TestScreen, dump};
use sayso::engine::graph::{Progress, ThreadId};
use sayso::inbox::{Block, Card};
use sayso::text::Visible;
use sayso::tui::{Msg, Opened};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const HOSTILE: &str = "\x1b[31mred\x1b]0;title\x07\x1b[2J\u{202e}rtl\u{200b}\u{9b}31m\x08\x7f\rend";

fn hostile() -> Vec<(&'static str, Value)> {
    let kinds = ["mail", "reply", "warned", "meeting", "python", "question", "trouble"];
    let mut samples: Vec<(&str, Value)> = kinds
        .iter()
        .map(|kind| ("desk", json!({"kind": kind, "title": HOSTILE, "text": HOSTILE, "from": HOSTILE})))
        .collect();
    samples.push(("report", json!({"kind": "report", "title": HOSTILE, "text": HOSTILE})));
    samples
}

fn assert_clean(screen: &mut TestScreen, what: &str) {
    let buffer = screen.buffer();
    for cell in buffer.content() {
        let bad = cell
            .symbol()
            .chars()
            .find(|c| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'));
        assert_eq!(bad, None, "{what}: {:?}", cell.symbol());
    }
}

#[test]
fn t01_no_escape_reaches_the_terminal() {
    let mut screen = TestScreen::with((120, 32), hostile());
    screen.remember();
    let screens: Vec<&str> =
        "j j j j j j j G<enter> T 2 <enter> l [ d l l l <enter> jj<enter> W <esc> <esc>j X n \\ <esc> /x \
        <esc> 3 4 1 gr gi ? <esc> ggje <esc> jja n r <esc> gn*a n<esc> gijX n :x <esc> /x <esc>"
            .split(' ')
            .collect();
    for keys in &screens {
        screen.press(keys);
        assert_clean(&mut screen, keys);
    }
    let thread = ThreadId::random();
    screen.tell(Msg::Progress(Progress::Started { thread: thread.clone(), node: HOSTILE.to_owned() }));
    screen.tell(Msg::Progress(Progress::Text { thread, delta: HOSTILE.to_owned() }));
    screen.press("r");
    screen.tell(Msg::Paste(HOSTILE.to_owned()));
    assert_clean(&mut screen, "pasted");
    report("T01", "escape sequences in every field, on every screen", screens.len() + 1);
}

#[test]
fn t05_any_size() {
    let mut screen = TestScreen::full((80, 24));
    screen.remember();
    let screens: Vec<&str> =
        "k <enter> <esc>j e <esc>jja n ? <esc> :x <esc> gn*a n<esc> r <esc> s <esc> z <esc> c <enter> <esc> \
        2 <enter> l d l l l <enter> f W <esc> \\ <esc> hh/fig <enter> <esc> 3 4 1gr gi/x"
            .split(' ')
            .collect();
    let columns = [1, 2, 1, 3, 7, 19, 20, 59, 60, 99, 100, 160, 300];
    let rows = [1, 1, 40, 3, 5, 6, 7, 12, 15, 29, 8, 45, 100];
    for keys in &screens {
        screen.press(keys);
        for (columns, rows) in columns.into_iter().zip(rows) {
            screen.resize(columns, rows);
        }
        screen.resize(80, 24);
    }
    let storm: Vec<(u16, u16)> =
        (1..200).step_by(7).flat_map(|columns| (1..70).step_by(5).map(move |rows| (columns, rows))).collect();
    for (columns, rows) in &storm {
        screen.resize(*columns, *rows);
    }
    let trials = screens.len() * rows.len() + storm.len();
    report("T05", "every screen at every size, and a storm of sizes", trials);
}

#[test]
fn t06_nothing_bleeds_across_panes() {
    let storm = format!("{}{}", "👩‍👩‍👧‍👦漢字🇫🇷한국".repeat(40), "e\u{301}\u{302}\u{303}".repeat(200));
    let rtl = "שלום עולם مرحبا بالعالم ".repeat(20);
    let samples: Vec<(&str, Value)> = [storm.as_str(), rtl.as_str()]
        .into_iter()
        .flat_map(|text| {
            ["mail", "reply", "question"]
                .map(|kind| ("desk", json!({"kind": kind, "title": text, "text": text, "from": text})))
        })
        .collect();
    for width in [100_u16, 101, 120, 133, 160] {
        let mut screen = TestScreen::with((width, 30), samples.clone());
        for keys in ["", "j", "j", "j"] {
            screen.press(keys);
            let buffer = screen.buffer();
            let rule = (0..width).find(|x| buffer[(*x, 3)].symbol() == "│").expect("a rule");
            for y in 1..28 {
                assert_eq!(buffer[(rule, y)].symbol(), "│", "{}", dump(&buffer));
                let before = buffer[(rule - 1, y)].symbol();
                assert!(sayso::text::width(before) <= 1, "{before:?} at {y} covers the rule");
            }
        }
    }
    report("T06", "emoji, CJK, right-to-left and combining storms", 5 * 4);
}

#[test]
fn a_card_of_50_megabytes_scrolls() {
    let line = "Many words stand in this line, and as many lines in this mail. ";
    let text = format!("{}\n", line.repeat(3)).repeat(50 * 1024 * 1024 / (line.len() * 3 + 1));
    let mut screen = TestScreen::full((120, 40));
    screen.press("jjjjj");
    let item = screen.model.current().unwrap().item.clone();
    let card = Card { blocks: vec![Block::Text(Visible::new(&text))] };
    screen.call(|model| model.inbox.opened = Some(Opened::new(item, card, Vec::new())));
    screen.drawn();
    screen.press("<enter>");
    // Not a timed assertion of speed: laying the whole card out for each of these would take minutes.
    let began = Instant::now();
    for _ in 0..20 {
        screen.press("<ctrl-d>").press("G").press("k").press("gg");
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    screen.press("G");
    assert!(screen.dump().contains("as many lines in this mail."), "{}", screen.dump());
}
