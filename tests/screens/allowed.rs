//! What is allowed from a card, saved as a draft, taken for something else, and learned.

use crate::support::samples::samples;
use crate::support::test_inbox::hand_in;
use crate::support::test_screen::TestScreen;
use sayso::inbox::{Page, SkippedLine};
use sayso::tui::{Msg, Tab, skipped_listed};
use serde_json::json;

const SIZE: (u16, u16) = (140, 36);

/// From the first row of Activity to the first grant.
const GRANT: &str = "jjj";

fn screen() -> TestScreen {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j").selects("Lunch on Thursday?");
    screen
}

#[test]
fn accepted_and_allowed_after_a_yes() {
    let mut screen = screen();
    screen.press("A").press("jj<enter>");
    assert!(screen.decisions().is_empty() && screen.grants().is_empty(), "Enter decides nothing");
    screen.shows(["sending mail, every later call", "mail from eve@example.org", "Mon 02 Mar, 11:00"]);
    screen.press("n");
    assert!(screen.decisions().is_empty() && screen.grants().is_empty());
    screen.press("A").press("jj<enter>").burst("y");
    assert!(screen.grants().is_empty(), "not in a burst");
    screen.press("y").decided(1);
    let grants = screen.grants();
    assert_eq!(grants.len(), 1);
    assert_eq!(
        (grants[0].tool.as_str(), grants[0].sender.as_deref()),
        ("write_email", Some("eve@example.org"))
    );
    screen.press("4").press(GRANT).press("X");
    assert!(screen.grants().is_empty(), "one key revokes it");
    screen.says("Revoked: sending mail…");
}

/// It ends when the box said so, by whatever clock the answer is stored.
#[test]
fn a_grant_ends_when_its_box_said() {
    let mut screen = screen();
    let later = |minutes| {
        crate::support::test_screen::wall().checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap()
    };
    screen.tell(Msg::Tick(screen.at, later(5)));
    screen.press("A").press("jj<enter>").shows(["Mon 02 Mar, 11:05"]);
    screen.press("y");
    assert_eq!(screen.grants()[0].expires_at, Some(later(65)));
}

#[test]
fn a_refused_acceptance_allows_nothing() {
    let mut screen = screen();
    screen.press("A").press("<enter>");
    screen.ignored_elsewhere();
    screen.press("y");
    assert!(screen.grants().is_empty());
    screen.says("Not decided…");
}

#[test]
fn built_in_grants_are_switched_off_by_one_key_and_on_by_a_yes() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("4").press(GRANT).press("X").shows(["off     saving files"]);
    screen.press("X").shows(["Allow saving files again?"]);
    screen.press("y").shows(["allowed saving files"]);
}

#[test]
fn saved_as_a_draft_and_taken_back() {
    let mut screen = screen();
    screen.burst("D").decided(0);
    screen.press("D");
    assert_eq!(screen.decisions()[0].r#type, "draft");
    screen.says("Saved as a draft…");
    screen.press("u").selects("Lunch on Thursday?");
}

#[test]
fn mail_is_fetched_on_demand() {
    let mut screen = screen();
    let store = screen.inbox.engine().store().clone();
    let before = store.mail().sync_wanted().unwrap();
    screen.press("$").says("Looking for new mail");
    assert_ne!(store.mail().sync_wanted().unwrap(), before);
}

#[test]
fn a_mail_is_taken_for_something_else_after_a_yes() {
    let mut screen = TestScreen::full(SIZE);
    screen.on_the_mail().press("C").press("jj<enter>").press("<enter>").shows(["as respond?"]); // Enter does not confirm
    screen.press("y").says("Reclassified as respond…");
}

/// A mail that triage takes for an advertisement.
async fn skip(inbox: &sayso::inbox::door::Inbox, n: usize) {
    let title = format!("Offer {n}");
    let input = json!({"kind": "mail", "title": title, "from": "news@letters.test"});
    let thread = inbox.threads().start("desk".to_owned(), input).await.unwrap().thread;
    hand_in(inbox, &thread, &title, |mail| mail.sender = "news@letters.test".to_owned()).await;
    let store = inbox.engine().store();
    store
        .mail()
        .record_triage(thread, "ignore".to_owned(), "an advertisement".to_owned(), None)
        .await
        .unwrap();
}

/// However much was skipped, all of it is reached, and what comes meanwhile moves no selection.
#[test]
fn all_that_was_skipped_is_read_as_one_moves() {
    let mut screen = TestScreen::with(SIZE, Vec::new());
    screen.behind(async |inbox| {
        for n in 0..130 {
            skip(inbox, n).await;
        }
    });
    screen.press("gk");
    assert_eq!(screen.model.inbox.skipped.rows.len(), 100, "a page");
    screen.press("G").press("G");
    assert_eq!(screen.model.inbox.skipped.rows.len(), 130);
    assert_eq!(screen.model.inbox.skipped.selected().unwrap().title, "Offer 0");
    screen.behind(async |inbox| skip(inbox, 130).await);
    assert_eq!(screen.model.inbox.skipped.selected().unwrap().title, "Offer 0", "and it is still there");
    screen.shows(["an advertisement"]);
    screen.press("gg");
    assert_eq!(screen.model.inbox.skipped.selected().unwrap().title, "Offer 130");
    let titles: std::collections::BTreeSet<_> =
        screen.model.inbox.skipped.rows.iter().map(|line| line.title.clone()).collect();
    assert!(titles.len() >= 130, "{} titles", titles.len());
}

#[test]
fn skipped_mail_is_listed_with_its_reason() {
    let mut screen = TestScreen::full(SIZE);
    let thread = screen.model.inbox.list.selected().unwrap().thread.clone();
    screen.press("gk").shows(["No mail was skipped."]);
    let line = |title: &str, thread| SkippedLine {
        thread,
        title: title.to_owned(),
        sender: "Letters <news@letters.test>".to_owned(),
        reason: "a rule says so".to_owned(),
        at: crate::support::test_screen::wall(),
        came_at: crate::support::test_screen::wall(),
        text: "Ten ways to sell more.".to_owned(),
        raw: [0; 32],
        unsure: title == "Your parcel" || title == "Two",
    };
    let mails = vec![line("One", None), line("Two", Some(thread))];
    let page = Page { rows: mails, ..Page::default() };
    screen.call(|model| skipped_listed(model, None, Ok(page))).drawn();
    screen.shows(["a rule says so", "Ten ways to sell more."]);
    screen.shows(["▌ Letters One "]); // names, and only as wide as they are
    screen.press("C");
    assert!(screen.model.popup().is_none(), "no thread, nothing to take it for");
    screen.press("w").says("…before any thread was started…");
    screen.press("j").press("a").press("i").decided(0).shows(["another class fits nearly as well"]);
    screen.shows(["C reclassify", "w why", "t thread", "U unsubscribe"]);
    screen.press("w").shows(["Why it was skipped"]);
    screen.press("<esc>");
    screen.press("t");
    assert_eq!(screen.model.tab, Tab::Threads);
}

#[test]
fn the_skipped_mail_of_the_day_is_one_line_that_opens_and_is_never_decided() {
    for samples in [Vec::new(), samples()] {
        let mut screen = TestScreen::with(SIZE, samples);
        screen.hides(["skipped in the last day"]);
        screen.behind(async |inbox| skip(inbox, 1).await);
        screen.shows(["1 mail skipped in the last day · Enter or gk opens"]);
        screen.press("Gj").selects("").shows(["Enter lists it with the reasons"]);
        let items = screen.titles().len();
        for key in ["a", "i", "I", "d", "f", "S", "m", "D", "A", "M"] {
            screen.press(key).decided(0);
            assert!(screen.model.popup().is_none() && screen.titles().len() == items, "{key}");
        }
        screen.tell(Msg::Changed);
        assert!(screen.model.inbox.list.is_past_end(), "nothing else takes its place");
        screen.press("<enter>").shows(["C reclassifies it"]);
        screen.press("gij").press("gn").hides(["skipped in the last day"]);
        // The next day has none yet.
        let tomorrow = crate::support::test_screen::wall().checked_add(jiff::SignedDuration::from_hours(25));
        screen.press("gi");
        screen.tell(Msg::Tick(screen.at, tomorrow.unwrap()));
        screen.hides(["skipped in the last day"]);
    }
}

#[test]
fn activity_counts_the_skipped_mail_of_the_last_day() {
    let mut screen = TestScreen::with(SIZE, Vec::new());
    screen.behind(async |inbox| skip(inbox, 1).await);
    screen.press("4").tell(Msg::Changed).shows(["1 skipped in the last day"]);
}

#[test]
fn what_was_decided_together_is_taken_back_together_even_by_another_screen() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("gn").press("*").press("a").press("y").decided(2);
    let mut other = TestScreen::over(screen.inbox, SIZE);
    other.press("u").says("Taken back: 2 items");
    assert!(other.decisions().iter().all(|decision| decision.undone_at.is_some()));
    other.press("u");
    other.says("Nothing can be taken back now · gh lists past decisions, and C there reclassifies a mail");
}

#[test]
fn a_profile_is_edited_added_to_pinned_and_taken_back() {
    let mut screen = TestScreen::full(SIZE);
    screen.remember().press("3").press("e");
    let (text, take) = screen.editor();
    screen.edited(take, format!("{text}\n")).says("Nothing changed");
    let (_, late) = screen.press("e").editor();
    let (_, take) = screen.press("e").editor();
    screen.edited(take, "Prefers long replies.\n");
    assert_eq!(screen.profile().newest.profile, "Prefers long replies.");
    screen.edited(late, "late");
    assert!(screen.model.note.as_ref().unwrap().is_error, "somebody was quicker: {}", screen.note());
    screen.press("o").type_in("Never on Sundays.").press("<enter>");
    assert_eq!(screen.profile().newest.profile, "Prefers long replies.\nNever on Sundays.");
    screen.press("P").press("j<enter>");
    assert_eq!(screen.profile().pinned, ["Never on Sundays."]);
    screen.press("R").press("<enter>").press("n");
    assert_eq!(screen.profile().newest.version, 3, "n changes nothing");
    screen.press("P").press("j<enter>").press("R").press("j<enter>").press("y");
    assert!(screen.profile().newest.profile.starts_with("Prefers short replies."), "{}", screen.note());
}

/// Past decisions are listed with how each ended, searched, and lead to their threads.
#[test]
fn what_was_decided_is_listed_and_searched() {
    let mut screen = TestScreen::full(SIZE);
    let title = screen.model.selected().unwrap().title.clone();
    screen.press("I");
    screen.press("gh");
    let shown = screen.dump();
    assert!(shown.contains(&title) && shown.contains("you, on the screen"), "{shown}");
    assert_eq!(screen.model.inbox.history.list.rows.len(), 1);
    screen.press("/").press("nothing like it<enter>").shows(["No decision matches."]);
    screen.press("<esc>");
    assert_eq!(screen.model.inbox.history.list.rows.len(), 1);
    // A card that does not fit is scrolled.
    screen.resize(60, 15);
    let begin = screen.dump();
    assert!(begin.contains("for more"), "{begin}");
    screen.press("JJ");
    assert!(screen.dump() != begin && !screen.dump().contains("for more · 0%"), "{}", screen.dump());
    screen.press("KK");
    assert_eq!(screen.dump(), begin);
    let thread = screen.model.inbox.history.list.rows[0].thread.clone();
    screen.press("t");
    assert_eq!(screen.model.threads.review.as_ref().unwrap().view.id, thread);
}
