//! What keys do.

use crate::support::test_screen::{TestScreen, block_on};
use crate::support::{FakeModel, TestInbox};
use sayso::agent::llm::ModelError;
use sayso::config::OwnCommand;
use sayso::engine::graph::{Decision, Hash, InterruptId, Progress};
use sayso::inbox::{DecisionRequest, ItemKind};
use sayso::tui::{DecisionKind, Driving, Focus, Job, Key, Keymap, Mouse, Msg, Tab};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;

const SIZE: (u16, u16) = (120, 32);

fn kinds(screen: &TestScreen) -> Vec<(String, String)> {
    screen.decisions().into_iter().map(|decision| (decision.r#type, decision.action)).collect()
}

fn of(kind: &str, action: &str) -> (String, String) {
    (kind.to_owned(), action.to_owned())
}

#[test]
fn every_way_of_deciding() {
    let mut screen = TestScreen::full(SIZE);
    screen.on_the_mail().press("a");
    assert_eq!(kinds(&screen), [of("accept", "notify")]);
    screen.selects("日本語の件名 and 👩‍👩‍👧‍👦 family"); // the next one is selected
    screen
        .press("ggj")
        .selects("Lunch on Thursday?")
        .press("r")
        .type_in("Friday is better")
        .press("<ctrl-s>");
    assert!(kinds(&screen).contains(&of("respond", "write_email")));
    screen.selects(""); // nothing else comes under the keys while it is answered
    screen.press("j").press("i");
    let ignored = screen.decisions().into_iter().find(|decision| decision.r#type == "ignore").unwrap();
    assert_eq!(ignored.action, "write_email");
    screen.press("e<tab>").press("<ctrl-u>").type_in("45").press("<ctrl-s>y");
    let edited = screen.decisions().into_iter().find(|decision| decision.r#type == "edit").unwrap();
    assert_eq!(edited.args["minutes"], json!(45));
    assert_eq!(edited.proposed["minutes"], json!(30));
    screen.selects("Mean of three values");
    screen.press("G").press("a").says("Filed away…");
}

/// Until the person moves on, or it asks nothing more.
#[test]
fn an_answered_thread_is_followed_and_no_key_decides_another() {
    for moves_on in [true, false] {
        let mut screen = TestScreen::full(SIZE);
        screen.press("j").press("r").type_in("Friday is better").press("<ctrl-s>");
        screen.shows(["The agent gets your answer in a moment"]);
        screen.press("a").press("i").decided(1);
        let thread = screen.model.inbox.following.clone().unwrap().thread;
        screen.tell(Msg::Progress(Progress::Started { thread: thread.clone(), node: "write".to_owned() }));
        screen.tell(Msg::Progress(Progress::Text { thread, delta: "Dear Eve, Friday".to_owned() }));
        screen.shows(["Dear Eve, Friday"]); // what is being written is shown
        let screen = if moves_on { screen.press("j") } else { screen.goes_on() };
        screen.hides(["Dear Eve, Friday"]);
        assert!(!screen.selected().is_empty(), "{}", screen.dump());
        assert!(moves_on || screen.model.inbox.following.is_none(), "{}", screen.dump());
    }
}

#[test]
fn how_a_decision_ended_and_what_was_learned_is_said() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").press("a").goes_on().says("Accepted: “Lunch on Thursday?”");
    screen.remember().tell(Msg::Changed).says("Learned: Prefers short replies.…");
}

/// That it never decides is row I14 of the catalogue; this is what it says.
#[test]
fn a_key_meant_for_the_card_before_says_so() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("a").key(Key::plain('i'), Duration::from_millis(150), false);
    screen.decided(1).says("Ignored: typed before the card was shown");
}

/// The key after one that came too early was meant for the card after that.
#[test]
fn a_card_asks_once_more_for_the_key_that_came_too_early() {
    let early = || {
        let mut screen = TestScreen::full(SIZE);
        screen.press("a").key(Key::plain('i'), Duration::from_millis(150), false);
        screen
    };
    let mut screen = early();
    screen
        .press("a")
        .decided(1)
        .says("The key before came too early for this card: press it again, or move first");
    screen.press("i").decided(2);
    // Whoever moves has seen where the cursor is.
    let mut screen = early();
    screen.press("jk").press("a").decided(2);
}

/// Nothing opens, nothing is decided, and the line at the bottom says why.
#[test]
fn a_key_that_does_nothing_says_why() {
    for (keys, said) in [
        ("A", "…nothing to allow…"),
        ("jjA", "It carries a warning, so nothing more can be allowed from it · a accepts only this one"),
        ("D", "Only a reply to a mail can be saved as a draft"),
        ("jjjjC", "…Only triaged mail…"),
        ("gdi", "A result is filed away, not ignored · a does that"),
        ("gxe", "There is nothing to edit on this card"),
        ("gb", "Past decisions have grants and lessons · gh lists them"),
        ("gl", "Nothing was learned lately"),
        ("f", "Only mail can be put away"),
        ("j<enter>v", "There is no mail on this card"),
        ("j<enter>vHL", "There is no mail on this card"),
        ("jjjj<enter>T", "Nothing is folded on this card"),
    ] {
        let mut screen = TestScreen::full((140, 36));
        screen.press(keys).says(said).decided(0);
        assert!(screen.model.popup().is_none(), "{keys}: {}", screen.dump());
        if keys == "gxe" {
            screen.press("k").says(""); // the next key makes it old
        }
    }
}

#[test]
fn what_was_decided_can_be_taken_back_here_and_by_the_next_screen() {
    let mut screen = TestScreen::full(SIZE);
    for reopens in [false, true] {
        screen.press("gg").press("j").selects("Lunch on Thursday?").press("a");
        assert!(!screen.titles().contains(&"Lunch on Thursday?".to_owned()));
        if reopens {
            screen = screen.reopen();
        }
        assert!(screen.model.undo.as_ref().unwrap().until.is_some(), "it counts down");
        screen.shows(["u stops it"]).says("Sending to eve@example.org"); // it says what is held
        screen.press("u").says("Taken back: “Lunch on Thursday?”").selects("Lunch on Thursday?");
        assert!(screen.decisions().iter().all(|decision| decision.undone_at.is_some()));
    }
    screen.press("a");
    screen.reopen().goes_on().says("Accepted: “Lunch on Thursday?”");
}

#[test]
fn marks_are_decided_together_and_taken_back_as_a_whole() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("gn").press("*").press("a").decided(0); // it asks first
    screen.press("<enter>").decided(0); // Enter does not confirm
    screen.press("y");
    assert_eq!(kinds(&screen).len(), 2);
    screen.press("u");
    assert!(screen.decisions().iter().all(|decision| decision.undone_at.is_some()));
    assert_eq!(screen.titles().len(), 2);
}

#[test]
fn marks_of_two_sorts_and_trouble_are_not_decided_together() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("*").shows(["marked · Esc clears · only one kind and one tool"]);
    screen.hides(["your answer goes to all", "a accept"]);
    screen.press("a").says("…one kind and one tool…").says("…you marked trouble, approvals (sending mail, …");
    screen.press("gx").press("*").press("a").says("…one at a time…");
    screen.press("\\write<enter>").press("*").press("a").decided(0);
}

/// What is marked is snoozed, whatever is under the cursor.
#[test]
fn marks_are_snoozed_as_far_as_they_can_be() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("gd ").shows(["1 marked"]).hides(["z snooze"]);
    screen.press("z").says("None of the marked items can be snoozed · Esc clears the marks");
    screen.press("gi").press("*").press("G").shows(["z snooze 8"]);
    assert_eq!(screen.model.selected().unwrap().kind, ItemKind::Result);
    screen.press("z").press("<enter>").says("Snoozed: 8 items…");
    assert_eq!(screen.titles().len(), 1);
    screen.press("gs").press("*").press("z").shows(["wake it now"]);
}

#[test]
fn warned_items_are_left_out_and_named() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("\\from:eve<enter>").press("*").press("\\<ctrl-u>write_email<enter>").press("*").press("a");
    screen.shows(["1 item will be accepted", "Invoice 4711: carries a warning"]);
    screen.press("y");
    assert_eq!(kinds(&screen), [of("accept", "write_email")]);
}

#[test]
fn what_is_only_worth_knowing_asks_nothing_more() {
    let mut screen = TestScreen::full(SIZE);
    let new = json!({"kind": "remarked", "title": "Hello", "from": "zoe@example.org", "text": "Thank you."});
    screen.start("desk", new);
    screen.press("\\from:zoe<enter>");
    screen.pass(std::time::Duration::from_secs(1)).press("a");
    assert_eq!(kinds(&screen), [of("accept", "write_email")], "{}", screen.dump());
}

#[test]
fn new_items_do_not_move_the_selection() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("jj");
    screen.press("s").press("j").press("<enter>").selects("Invoice 4711"); // sorting keeps it
    screen.start("desk", json!({"kind": "mail", "title": "Brand new", "from": "x@example.org"}));
    screen.selects("Invoice 4711");
    assert_eq!(screen.titles()[6], "Brand new");
    assert!(matches!(screen.outside.last(), Some(Job::Notice(text)) if text.contains("1 new item")));
}

#[test]
fn keys_are_dead_on_what_vanished_until_the_next_move() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j");
    screen.ignored_elsewhere();
    screen.selects("");
    screen.press("a").press("i").decided(1); // only the one decided elsewhere
    screen.press("j").selects("Invoice 4711"); // the move goes to what took its place
}

#[test]
fn a_card_that_changed_is_not_decided_as_it_was() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j");
    let wrong = Hash::from_bytes([0; 32]);
    let shown = screen.model.shown.clone().unwrap();
    assert_ne!(shown.hash.unwrap(), wrong);
    let decide =
        DecisionRequest::on_screen(InterruptId::parse(&shown.id).unwrap(), wrong, Decision::Accept, true);
    screen.call(|model| sayso::tui::decide(model, DecisionKind::Accepted, vec![decide]));
    screen.decided(0).says("…has changed since it was shown…");
}

#[test]
fn snoozed_items_are_out_of_sight() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("jz").press("<enter>");
    assert!(!screen.titles().contains(&"Lunch on Thursday?".to_owned()));
    screen.press("gs");
    assert_eq!(screen.titles(), ["Lunch on Thursday?"]);
    screen.press("z").press("<enter>");
    screen.press("gi");
    assert!(screen.titles().contains(&"Lunch on Thursday?".to_owned()), "woken by hand");
}

#[test]
fn a_snooze_is_undone_before_the_decision_that_came_before_it() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("a").press("z").press("<enter>").says("Snoozed: “Lunch on Thursday?”…");
    screen.press("j").press("u").says("Snooze ended: “Lunch on Thursday?”").selects("Lunch on Thursday?");
    assert!(screen.decisions().iter().all(|decision| decision.undone_at.is_none()));
    screen.press("u");
    assert!(screen.decisions().iter().all(|decision| decision.undone_at.is_some()), "{}", screen.note());
}

#[test]
fn a_message_is_cut_between_words() {
    let mut screen = TestScreen::full((60, 24));
    screen.model.say("Accepted: “The figures of the third quarter for our Donaudampfschifffahrt”");
    screen.shows(["Accepted: “The figures of the third quarter for our…\n"]);
}

#[test]
fn a_time_to_snooze_until_can_be_typed() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("z").press("G<enter>").type_in("someday").press("<enter>").says("…is not a time…");
    screen.press("<ctrl-u>").type_in("fri 9:00").press("<enter>").says("…” until Fri 6 Mar 09:00 · gs…");
    screen.press("gs").shows(["z Fri 09:00"]);
}

#[test]
fn a_search_for_an_unknown_kind_says_above_the_prompt_which_there_are() {
    let mut screen = TestScreen::full(SIZE);
    for typed in ["/kind:approvl<enter>", "\\kind:approvl<enter>"] {
        screen.press(typed).shows(["kind: takes triage, approval, question, trouble or result"]);
        screen.type_in("x").says(""); // it goes with the next key
        screen.press("<esc>");
    }
    screen.press("2").press("/is:warn<enter>");
    screen.shows(["is: takes engine, ready, ", "or an outcome"]); // all of it
}

#[test]
fn search_and_filters() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("/is:warn").selects("Invoice 4711"); // while it is typed
    assert!(screen.titles().len() < 9);
    screen.press("<esc>");
    assert_eq!(screen.titles().len(), 9, "leaving the line leaves the list as it was");
    screen.press("/from:eve lunch<enter>").selects("Lunch on Thursday?");
    screen.press("/<ctrl-u>older:2d<enter>");
    assert!(screen.titles().is_empty());
    screen.press("<esc>");
    assert_eq!(screen.titles().len(), 9);
    screen.press("/older:soon<enter>").says("…older: takes a time…");
    for (keys, count) in
        [("ga", 4), ("gn", 2), ("gq", 1), ("gx", 1), ("gd", 1), ("gs", 0), ("go", 0), ("gi", 9)]
    {
        screen.press("<esc>").press(keys);
        assert_eq!(screen.titles().len(), count, "{keys}");
    }
}

#[test]
fn a_thread_is_started_from_a_form_and_from_the_palette() {
    let mut screen = TestScreen::with(SIZE, Vec::new());
    screen.press("c<enter>").type_in("mail").press("<tab>").type_in("By hand").press("<ctrl-s>");
    screen.says("Started t…");
    screen.press("c<enter>").type_in("mail").press("<tab>").type_in("Begun").press("<esc>");
    screen.press(":").type_in("desk --kind mail --title \"By line\"").press("<enter>").says("Started t…");
    let mut screen = screen.reopen();
    screen.press("c<enter>").shows(["Begun"]); // another thread is no reason to forget it
    screen.press("<ctrl-u><tab><ctrl-u><ctrl-s>").shows(["is required"]);
}

#[test]
fn the_palette_acts_but_never_decides() {
    let mut screen = TestScreen::full(SIZE);
    screen.press(":").type_in("accept").press("<enter>").says("…press a…").decided(0);
    screen.press(":").type_in("all threads").press("<enter>");
    assert_eq!(screen.model.tab, Tab::Threads);
}

#[test]
fn results_go_on_in_the_same_thread() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("Gr").type_in("now by quarter").press("<ctrl-s>").says("Continued…");
    assert_eq!(screen.titles().len(), 8);
}

#[test]
fn the_editor_gives_back_what_it_was_given() {
    let mut screen = TestScreen::full(SIZE);
    let (text, take) = screen.press("jE").editor();
    assert!(text.starts_with("To: ") && text.contains("\nSubject: Re: "), "{text}");
    let text = text.replace("Thursday at noon", "Friday at one");
    screen.edited(take, text).drawn().shows(["Friday at one"]).press("<ctrl-s>");
    assert_eq!(kinds(&screen), [of("edit", "write_email")]);
}

#[test]
fn a_text_that_cannot_be_read_is_opened_again_kept_and_not_skipped() {
    let mut screen = TestScreen::full(SIZE);
    let (text, take) = screen.press("jE").editor();
    let bad = format!("Hello\n{text}");
    screen.edited(take, bad.clone()).says("…“Hello” is not a known header…");
    let (again, take) = screen.press("<ctrl-g>").editor();
    assert_eq!(again, bad);
    screen.edited(take, bad.clone()).drawn();
    screen.type_in("unseen").press("<ctrl-s>").says("…Ctrl-g opens it again…").hides(["unseen"]);
    let (again, take) = screen.press("<esc>").press("E").editor();
    assert_eq!(again, bad, "it was kept when the form was closed");
    screen.edited(take, "\n").says("…the form stays as it is…");
    assert_eq!(screen.press("<ctrl-g>").editor().0, text);
}

#[test]
fn a_time_is_typed_as_people_say_it_and_reviewed() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("jjj").press("e").press("<ctrl-u>").type_in("2026-03-05 15:00");
    screen.shows(["Thursday 5 March 2026, 15:00"]);
    screen.press("<ctrl-s>").shows(["+ 2026-03-05T15:00:00+00:00", "Thursday 5 March 2026, 15:00"]);
    screen.press("y");
    assert_eq!(screen.decisions()[0].args["start"], "2026-03-05T15:00:00+00:00");
}

#[test]
fn copying_stopping_pausing_and_leaving() {
    let mut screen = TestScreen::full(SIZE);
    screen.on_the_mail().press("y");
    assert!(matches!(screen.outside.last(), Some(Job::Copy(text)) if text.contains("Quarterly figures")));
    screen.press("X").press("y").says("Stopped…");
    screen.press("!").says("Paused…");
    screen.press("<enter>");
    assert_eq!(screen.model.focus, Focus::Card);
    screen.press("q");
    assert_eq!(screen.model.focus, Focus::List);
    screen.press("q");
    assert!(matches!(screen.outside.last(), Some(Job::Quit)));
}

#[test]
fn the_mouse_points_and_scrolls() {
    let mut screen = TestScreen::full(SIZE);
    screen.tell(Msg::Mouse(Mouse::Click, 5, 5)).selects("Lunch on Thursday?");
    screen.tell(Msg::Mouse(Mouse::WheelDown, 5, 5)).selects("Invoice 4711");
    screen.tell(Msg::Mouse(Mouse::Click, 14, 0));
    assert_eq!(screen.model.tab, Tab::Threads);
}

/// The wheel goes through whatever is open, and a click there does nothing.
#[test]
fn the_wheel_turns_in_every_pop_up() {
    let edit = format!("jjjje{}<ctrl-s>", "print(1)<enter>".repeat(12));
    let small = (60, 12);
    for (opens, size) in
        [(":", SIZE), ("?", SIZE), ("z", SIZE), ("jjjw", small), ("gn*a", SIZE), (&*edit, small)]
    {
        let mut screen = TestScreen::full(size);
        screen.press(opens);
        assert!(screen.model.popup().is_some(), "{opens}:\n{}", screen.dump());
        let mut seen = vec![screen.buffer()];
        for kind in [Mouse::WheelDown, Mouse::WheelUp, Mouse::Click] {
            screen.tell(Msg::Mouse(kind, 5, 5)).drawn();
            seen.push(screen.buffer());
        }
        assert_ne!(seen[0], seen[1], "{opens}:\n{}", screen.dump());
        assert!(seen[0] == seen[2] && seen[2] == seen[3], "{opens}:\n{}", screen.dump());
    }
}

#[test]
fn a_long_question_is_paged() {
    let mut screen = TestScreen::full((60, 14));
    let lines = "print(1)<enter>".repeat(20);
    screen
        .press("jjjje")
        .press(&lines)
        .press("<ctrl-s>")
        .shows(["Accept it with your changes?", "▼ j for more"]);
    let first = screen.dump();
    screen.press("G").hides(["▼ j for more"]).press("<pageup>").shows(["▼ j for more"]);
    screen.press("<pagedown>").hides(["▼ j for more"]).press("gg").decided(0);
    assert_eq!(screen.dump(), first);
}

/// Sentences name the keys that the config chose.
#[test]
fn sentences_name_the_keys_of_the_config() {
    let keys = [("pause", "ctrl-p"), ("take_back", "x"), ("why", "Y"), ("open_thread", "x")];
    let keys = keys.map(|(action, key)| (action.to_owned(), vec![key.to_owned()]));
    let mut screen = TestScreen::full((160, 45));
    screen.model.keymap = Keymap::new(&BTreeMap::from(keys), &[]).unwrap();
    screen.press("<ctrl-p>").tell(Msg::Changed).shows(["PAUSED (Ctrl-p resumes)"]).press("<ctrl-p>");
    screen.tell(Msg::Driving(Driving::Ours)).on_the_mail();
    screen.press("iq").shows(["x  take it back, then quit", "n  stay"]).press("w");
    screen.shows(["quits once nothing is held"]).press("qn").hides(["quits once nothing is held"]);
    screen.press("gh").shows(["x thread · Y why"]);
}

#[test]
fn going_back_to_the_inbox_shows_what_came_meanwhile() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("gh").shows(["Nothing has been decided yet"]).press("4");
    let figures = screen.model.inbox.list.all().iter().find(|row| row.title == "Quarterly figures").unwrap();
    let id = InterruptId::parse(&figures.id).unwrap();
    block_on(screen.inbox.decide(&id, Decision::Ignore)).unwrap();
    screen.press("q").shows(["Quarterly figures"]);
}

/// A command of the person's own gets the card by its key, shows what it prints, and decides nothing.
#[test]
fn own_commands_run_on_the_card() {
    let own = |key: &str, name: &str, run: &str| OwnCommand {
        key: key.to_owned(),
        name: name.to_owned(),
        run: run.to_owned(),
    };
    let commands = vec![
        own("gj", "show the title", "grep -o '\"title\":\"[^\"]*\"' | head -1; echo \"in $SAYSO_DATA\""),
        own("gJ", "break", "echo no such ticket >&2; exit 3"),
    ];
    let mut screen = TestScreen::full((120, 32));
    screen.model.keymap = Keymap::new(&BTreeMap::new(), &commands).unwrap();
    screen.model.options.commands = commands;
    screen.press("j").burst("gj");
    assert!(screen.model.layers.is_empty(), "keys that came together run nothing");
    screen.press("gj").shows(["\"title\":\"Lunch on Thursday?\"", "in /"]);
    screen.press("<esc>").press("gJ").says("break: it failed with 3: no such ticket");
    screen.press("?").type_in("ticket title").hides(["Your own commands"]);
    screen.press("<esc>?").type_in("show the title").shows(["Your own commands"]);
    screen.press("<esc>").press(":").type_in("show the title").press("<enter>");
    screen.says("…press gj with the card…").decided(0);
}

/// With nothing to decide, the palette begins with a new thread; help shows whole sentences.
#[test]
fn the_palette_begins_with_what_one_would_do_first() {
    let mut screen = TestScreen::with((120, 40), Vec::new());
    screen.press(":");
    let shown = screen.hides(["inbox: the inbox"]).dump();
    let at = |what: &str| shown.find(what).unwrap_or(usize::MAX);
    assert!(at(" new thread ") < at("next tab") && at("search the list") < at("next tab"), "{shown}");
    screen.press("<esc>?").type_in("last thing learned").shows(["undo or narrow the last thing learned"]);
}

/// Help and the palette begin with what can be done to what is selected, and are searched by typing.
#[test]
fn help_begins_with_what_fits() {
    let mut screen = TestScreen::full((120, 32));
    screen.press("?");
    let shown = screen.dump();
    let (here, everywhere) = (shown.find(" Here"), shown.find("Everywhere"));
    assert!(here.is_some() && everywhere.is_none_or(|other| here < Some(other)), "{shown}");
    screen.type_in("snooze").shows(["snooze"]).hides(["accept"]);
    screen.press("<esc>?").type_in("qqqq").shows(["No key does that"]);
    screen.press("<esc>").press(":");
    let shown = screen.dump();
    let first = |what: &str| shown.find(what).unwrap_or(usize::MAX);
    assert!(first("accept:").min(first(" accept ")) < first("next tab"), "{shown}");
    screen.decided(0);
}

#[test]
fn a_thread_in_trouble_is_taken_over_and_given_back() {
    let refused = || ModelError::Refused { model: "main".into(), why: "it would rather not".into() };
    let inbox = TestInbox::builder().with_model(FakeModel::by(move |_| Err(refused()))).open();
    inbox.write_input("notes.md", "The launch slipped.");
    block_on(inbox.run("analyze", json!({"query": "Why?", "inputs": inbox.inputs()})));
    let mut screen = TestScreen::over(inbox, (160, 40));
    screen.shows(["it would rather not", "O take over"]);
    screen.press("O").says("You are in the model's place; the next step is yours");
    screen.goes_on().shows(["You are in the model's place", "O give it back"]);
    // The form has the fields of the tool that is chosen, and the card says what the last step found.
    screen.press("e").shows(["list | search | read"]).hides(["The line to read from"]);
    screen.press("<space><space>").shows(["The line to read from"]).press("<space>");
    screen.press("<ctrl-s>").shows(["Take this step?"]).press("y").goes_on().shows(["notes.md ("]);
    screen.press("O").says("The model takes the next step");
    screen.goes_on().shows(["it would rather not"]);
    screen.press("2").press("O").says("You are in the model's place; the next step is yours");
}
