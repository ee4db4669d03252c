//! Every screen and layer at three sizes.

use crate::support::samples;
use crate::support::test_screen::TestScreen;
use sayso::engine::graph::ThreadId;
use sayso::inbox::{
    Activity, DayLine, Decisions, ModelLine, Page, SkippedLine, SourceLine, Storage, TableSize,
};
use sayso::tui::{Driving, Msg, skipped_listed};
use serde_json::json;

const SIZES: [(u16, u16); 3] = [(60, 15), (100, 30), (160, 45)];

pub fn snap(name: &str, keys: &str) {
    snap_with(name, |screen| {
        screen.press(keys);
    });
}

/// The same over a screen with nothing but a conversation of mails on it.
fn snap_mail(name: &str, keys: &str) {
    snap_on(
        name,
        |size| TestScreen::with(size, vec![samples::letter()]),
        |screen| {
            screen.press(keys);
        },
    );
}

pub fn snap_with(name: &str, work: impl Fn(&mut TestScreen)) {
    snap_on(name, TestScreen::full, work);
}

fn snap_on(name: &str, begin: impl Fn((u16, u16)) -> TestScreen, work: impl Fn(&mut TestScreen)) {
    snap_at(&SIZES, name, begin, work);
}

/// The same at other sizes.
pub fn snap_at(
    sizes: &[(u16, u16)],
    name: &str,
    begin: impl Fn((u16, u16)) -> TestScreen,
    work: impl Fn(&mut TestScreen),
) {
    for size in sizes.iter().copied() {
        let mut screen = begin(size);
        work(&mut screen);
        insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), screen.dump());
        });
    }
}

#[test]
fn inbox() {
    snap("inbox", "");
    snap("inbox_reply", "j");
    snap("inbox_card", "j<enter>");
    snap("inbox_warned", "jj");
    snap("inbox_python", "jjjj<enter>");
    snap("inbox_mail", "jjjjjj");
    snap("inbox_wide", "jjjjjjj");
    snap("inbox_result", "G");
    snap("inbox_unfolded", "jjjjjj<enter>T");
}

#[test]
fn mails() {
    snap_mail("mail", "<enter>");
    snap_mail("mail_end", "<enter>G");
    snap_mail("mail_unfolded", "<enter>T");
    snap_mail("mail_headers", "<enter>H");
    snap_mail("mail_attachments", "<enter>v");
    snap_mail("mail_links", "<enter>Lj");
    snap_mail("mail_pipe", "<enter>|less");
}

#[test]
fn markdown() {
    let text = "# What changed\n\nTwo modules were **split**, and *nothing else* moved; see \
                [the commit](https://example.org/c/1).\n\n- `text/markdown.rs` draws headings, lists, emphasis, \
                code and links, in lines that hang where they are long\n- tables are set in columns\n\n\
                | module | lines | before |\n|---|---:|---|\n| `text` | 260 | 231 |\n| **cli** | 224 | 455 |\n\n\
                ```python\ndef mean(values):\n    return sum(values) / len(values)\n```\n\n> as asked\n";
    let sample = || {
        vec![("report", json!({"kind": "report", "title": "What changed in the code base?", "text": text}))]
    };
    snap_on(
        "markdown",
        |size| TestScreen::with(size, sample()),
        |screen| {
            screen.press("<enter>");
        },
    );
}

#[test]
fn narrowed() {
    snap("approvals", "ga");
    snap("snoozed_none", "gs");
    snap("held", "jjjjjji<esc>go");
    snap("grouped", "sjjj<enter>s<enter>");
    snap("searched", "/figures<enter>");
    snap("narrowed", "\\kind:approval<enter>");
    snap("narrowed_to_nothing", "\\xyzzy<enter>");
}

#[test]
fn decided() {
    snap("accepted", "ja");
    snap("undone", "jau");
    snap("warned_confirm", "jja");
    snap("bulk", "ga*");
    snap("bulk_confirm", "gn*a");
    snap("bulk_mails", "gn*i");
    snap("stop", "jX");
}

#[test]
fn forms() {
    snap("edit", "je");
    snap("edit_typed", "jjje");
    snap("edit_wrong", "jjje<tab>x");
    snap("review", "jjje<tab>5<ctrl-s>");
    snap("respond", "jrNo, Friday please.");
    snap("go_on", "Gr");
    snap("new_thread", "c");
    snap("new_thread_form", "c<enter>");
}

#[test]
fn layers() {
    snap("help", "?");
    snap("palette", ":sno");
    snap("palette_line", ":desk --kind mail --title \"Hello there\"");
    snap("search", "/fig");
    snap("sort", "s");
    snap("snooze", "z");
    snap_with("ending", |screen| {
        screen.tell(Msg::Driving(Driving::Ours)).press("jjjjjjiq");
    });
}

#[test]
fn tabs() {
    snap("threads", "2");
    snap("thread", "jjt");
    snap_with("memory", |screen| {
        screen.remember().press("3");
    });
    snap("memory_none", "3");
    snap_with("activity", |screen| {
        screen.press("4");
        screen.call(|model| model.activity.storage = Some(storage()));
    });
}

#[test]
fn allowed() {
    // Scrolled, so that no part of an id stands beside the menu.
    snap("grant_menu", "jJJJA");
    snap("grant_confirm", "jAjj<enter>");
    snap("granted", "jA<enter>y");
    snap("grants", "jA<enter>y4jjjjjjjj");
    snap("why", "jjjjjjw");
    snap("reclassify", "jjjjjjC");
    snap("reclassify_confirm", "jjjjjjCjj<enter>");
    snap("skipped_none", "gk");
    snap_with("skipped", |screen| {
        screen.press("gk");
        let page = Page { rows: skipped(), ..Page::default() };
        screen.call(|model| skipped_listed(model, None, Ok(page)));
    });
    snap("decisions_none", "gh");
}

fn skipped() -> Vec<SkippedLine> {
    let line = |title: &str, sender: &str, reason: &str, thread| SkippedLine {
        thread,
        title: title.to_owned(),
        sender: sender.to_owned(),
        reason: reason.to_owned(),
        at: crate::support::test_screen::wall(),
        came_at: crate::support::test_screen::wall(),
        text: String::new(),
        raw: [0; 32],
        unsure: title == "Your parcel" || title == "Two",
    };
    let thread = ThreadId::parse("t12345678").ok();
    vec![
        line("Ten ways to sell more", "News <news@letters.test>", "a rule: list *.letters.test", None),
        line("Your parcel", "post@parcels.test", "it tells what another mail told already", thread),
    ]
}

fn activity() -> Activity {
    let day = |n: i64| {
        crate::support::test_screen::wall().checked_sub(jiff::SignedDuration::from_hours(24 * n)).unwrap()
    };
    let decisions = |n: u64| Decisions {
        untouched: n % 5,
        edited: n % 3,
        responded: n % 2,
        ignored: n % 4,
        granted: n % 2,
    };
    let line = |n: u64| DayLine {
        day: day(29 - n.cast_signed()),
        decisions: decisions(n * 7),
        calls: n * 3,
        tokens: n * n * 812,
        cost: n as f64 * 0.003,
    };
    let model = |model: &str, calls: u64, cost| ModelLine {
        model: model.to_owned(),
        calls,
        failed: calls / 50,
        input: calls * 1_200,
        output: calls * 210,
        cost,
    };
    Activity {
        days: (0..30).map(line).collect(),
        models: vec![model("gpt-test", 418, Some(0.87)), model("builtin", 96, None)],
    }
}

/// The tab with figures that are the same in every run.
fn pulse(keys: &'static str) -> impl Fn(&mut TestScreen) {
    move |screen: &mut TestScreen| {
        screen.press("4");
        screen.call(|model| model.activity.figures = Some(activity())).press(keys);
        screen.call(|model| model.activity.storage = Some(storage())).drawn();
    }
}

/// The same in every run, whatever the real file takes.
pub fn storage() -> Storage {
    let table = |table: &str, rows, bytes| TableSize { table: table.to_owned(), rows, bytes };
    let tables = vec![
        table("steps", 61_204, 84_301_222),
        table("blobs", 7_313, 31_900_100),
        table("words", 61_204, 9_130_000),
        table("threads", 7_420, 4_210_000),
        table("settings", 3, 4_096),
    ];
    Storage { file: 133_000_000, free: 4_100_000, tables }
}

#[test]
fn activity_tab() {
    snap_with("activity_overview", pulse(""));
    snap_with("activity_end", pulse("<enter>G"));
}

#[test]
fn profiles() {
    let learned = |keys: &'static str| {
        move |screen: &mut TestScreen| {
            screen.remember().press("3").press(keys);
        }
    };
    snap_with("memory_add", learned("oAnswers in French."));
    snap_with("memory_added", learned("oAnswers in French.<enter>"));
    snap_with("memory_versions", learned("oAnswers in French.<enter><enter>]"));
    snap_with("memory_history", learned("oAnswers in French.<enter>d"));
    snap_with("memory_pin", learned("P"));
    snap_with("memory_revert", learned("oAnswers in French.<enter>R<enter>"));
}

#[test]
fn health() {
    let tell = |screen: &mut TestScreen, error: Option<&str>| {
        let (at, source) = (crate::support::test_screen::wall(), "home".to_owned());
        let ok_at = if error.is_some() { at - std::time::Duration::from_secs(1) } else { at };
        let error = error.map(str::to_owned);
        let line = SourceLine { source, checked_at: Some(at), ok_at: Some(ok_at), error };
        screen.press("4");
        screen.call(|model| {
            (model.sources, model.spent_today) = (vec![line], 0.1234);
            model.activity.storage = Some(storage());
        });
    };
    snap_with("mail_well", move |screen| tell(screen, None));
    snap_with("mail_fails", move |screen| tell(screen, Some("the folder is gone")));
}

#[test]
fn demo() {
    snap_with("demo", |screen| {
        screen.model.options.demo = true;
        screen.model.options.demo_script = true;
    });
}

#[test]
fn empty() {
    snap_on("empty", |size| TestScreen::with(size, Vec::new()), |_| ());
}

#[test]
fn gone() {
    snap_with("gone", |screen| {
        screen.press("j");
        screen.ignored_elsewhere();
    });
}
