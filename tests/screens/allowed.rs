//! What is allowed from a card, saved as a draft, taken for something else, and learned.

use crate::support::test_screen::TestScreen;
use sayso::inbox::{Page, SkippedCount, SkippedLine, SkippedQuery};
use sayso::store::HandedIn;
use sayso::tui::{Cmd, Msg, Tab};
use serde_json::json;

const SIZE: (u16, u16) = (140, 36);

/// From the first row of Activity to the first grant.
const GRANT: &str = "jjj";

fn screen() -> TestScreen {
    let mut screen = TestScreen::full(SIZE);
    screen.press("j");
    assert_eq!(screen.selected(), "Lunch on Thursday?");
    screen
}

#[test]
fn accepted_and_allowed_after_a_yes() {
    let mut screen = screen();
    screen.press("A").press("jj<enter>");
    assert!(screen.decisions().is_empty() && screen.grants().is_empty(), "Enter decides nothing");
    let shown = screen.dump();
    for text in ["sending mail, every later call", "mail from eve@example.org", "Mon 02 Mar, 11:00"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    screen.press("n");
    assert!(screen.decisions().is_empty() && screen.grants().is_empty());
    screen.press("A").press("jj<enter>").burst("y");
    assert!(screen.grants().is_empty(), "not in a burst");
    screen.press("y");
    assert_eq!(screen.decisions().len(), 1);
    let grants = screen.grants();
    assert_eq!(grants.len(), 1);
    assert_eq!(
        (grants[0].tool.as_str(), grants[0].sender.as_deref()),
        ("write_email", Some("eve@example.org"))
    );
    screen.press("4").press(GRANT).press("X");
    assert!(screen.grants().is_empty(), "one key revokes it");
    assert!(screen.note().starts_with("Revoked: sending mail"), "{}", screen.note());
}

/// It ends when the box said so, by whatever clock the answer is stored.
#[test]
fn a_grant_ends_when_its_box_said() {
    let mut screen = screen();
    let later = |minutes| {
        crate::support::test_screen::wall().checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap()
    };
    screen.tell(Msg::Tick(screen.at, later(5)));
    screen.press("A").press("jj<enter>");
    assert!(screen.dump().contains("Mon 02 Mar, 11:05"), "{}", screen.dump());
    screen.press("y");
    assert_eq!(screen.grants()[0].expires_at, Some(later(65)));
}

#[test]
fn a_refused_acceptance_allows_nothing() {
    let mut screen = screen();
    screen.press("A").press("<enter>");
    let id = screen.model.inbox.list.selected().unwrap().id.clone();
    screen.behind(async |inbox| {
        let interrupt = sayso::graph::InterruptId::parse(&id).unwrap();
        let (decision, by) = (sayso::graph::Decision::Ignore, sayso::inbox::DecidedBy::Cli);
        let decide = sayso::inbox::DecisionRequest { interrupt, decision, shown: None, learn: false, by };
        inbox.decisions().decide(decide).await.unwrap();
    });
    screen.press("y");
    assert!(screen.grants().is_empty());
    assert!(screen.note().starts_with("Not decided"), "{}", screen.note());
}

#[test]
fn built_in_grants_are_switched_off_by_one_key_and_on_by_a_yes() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("4").press(GRANT).press("X");
    assert!(screen.dump().contains("off     saving files"), "{}", screen.dump());
    screen.press("X");
    assert!(screen.dump().contains("Allow saving files again?"), "{}", screen.dump());
    screen.press("y");
    assert!(screen.dump().contains("allowed saving files"), "{}", screen.dump());
}

#[test]
fn only_cards_that_offer_it_are_allowed_or_drafted() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("A");
    assert!(screen.note().contains("nothing to allow"), "{}", screen.note());
    screen.press("D");
    assert_eq!(screen.note(), "Only a reply to a mail can be saved as a draft");
    screen.press("jjjjC");
    assert!(screen.note().contains("Only triaged mail"), "{}", screen.note());
    assert!(screen.decisions().is_empty());
}

/// The store would refuse the grant, so nothing is opened that leads there.
#[test]
fn a_card_with_a_warning_says_at_once_that_it_allows_nothing_more() {
    let mut screen = screen();
    screen.press("j");
    assert_eq!(screen.selected(), "Invoice 4711");
    screen.press("A");
    assert!(screen.model.layer().is_none(), "{}", screen.dump());
    let why = "It carries a warning, so nothing more can be allowed from it · a accepts only this one";
    assert_eq!(screen.note(), why);
}

#[test]
fn a_key_that_a_card_does_not_take_says_why() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("gd").press("i");
    assert_eq!(screen.note(), "A result is filed away, not ignored · a does that");
    screen.press("gx").press("e");
    assert_eq!(screen.note(), "There is nothing to edit on this card");
    screen.press("k");
    assert_eq!(screen.note(), "", "the next key makes it old");
    assert!(screen.decisions().is_empty());
}

#[test]
fn saved_as_a_draft_and_taken_back() {
    let mut screen = screen();
    screen.burst("D");
    assert!(screen.decisions().is_empty());
    screen.press("D");
    assert_eq!(screen.decisions()[0].r#type, "draft");
    assert!(screen.note().starts_with("Saved as a draft"), "{}", screen.note());
    screen.press("u");
    assert_eq!(screen.selected(), "Lunch on Thursday?");
}

#[test]
fn mail_is_fetched_on_demand() {
    let mut screen = screen();
    let store = screen.inbox.engine().store().clone();
    let before = store.mail().sync_wanted().unwrap();
    screen.press("$");
    assert_eq!(screen.note(), "Looking for new mail");
    assert_ne!(store.mail().sync_wanted().unwrap(), before);
}

#[test]
fn why_is_a_page() {
    let mut screen = screen();
    screen.press("w");
    let shown = screen.dump();
    assert!(shown.contains("What the thread did") && shown.contains("model calls"), "{shown}");
    screen.press("<esc>");
    assert!(screen.model.layer().is_none());
}

#[test]
fn a_mail_is_taken_for_something_else_after_a_yes() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("C").press("jj<enter>").press("<enter>");
    assert!(screen.dump().contains("as respond?"), "Enter does not confirm: {}", screen.dump());
    screen.press("y");
    assert!(screen.note().starts_with("Reclassified as respond"), "{}", screen.note());
}

/// A mail that triage takes for an advertisement.
async fn skip(inbox: &sayso::service::Inbox, n: usize) {
    let title = format!("Offer {n}");
    let input = json!({"kind": "mail", "title": title, "from": "news@letters.test"});
    let thread = inbox.threads().start("desk".to_owned(), input).await.unwrap().thread;
    let store = inbox.engine().store();
    let mail = HandedIn {
        identity: format!("mail-{n}"),
        message_id: None,
        conversation: format!("c{n}"),
        sender: "news@letters.test".to_owned(),
        subject: title,
        sent_at: None,
        raw: store.put_blob(format!("mail {n}").into_bytes()).await.unwrap(),
        words: String::new(),
    };
    store.mail().hand_in(thread.clone(), mail).await.unwrap();
    store.mail().record_triage(thread, "ignore".to_owned(), "an advertisement".to_owned()).await.unwrap();
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
    assert!(screen.dump().contains("an advertisement"), "{}", screen.dump());
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
    screen.press("gk");
    assert!(screen.dump().contains("No mail was skipped."), "{}", screen.dump());
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
    screen.tell(Msg::Skipped(SkippedQuery::default(), Ok(page)));
    screen.drawn();
    let shown = screen.dump();
    assert!(shown.contains("a rule says so") && shown.contains("Ten ways to sell more."), "{shown}");
    assert!(shown.contains("▌ Letters One "), "names, and only as wide as they are: {shown}");
    screen.press("C");
    assert!(screen.model.layer().is_none(), "no thread, nothing to take it for");
    screen.press("w");
    assert!(screen.note().contains("before any thread was started"), "{}", screen.note());
    screen.press("j").press("a").press("i");
    assert!(screen.decisions().is_empty());
    assert!(screen.dump().contains("another class fits nearly as well"), "{}", screen.dump());
    for key in ["C reclassify", "w why", "t thread", "U unsubscribe"] {
        assert!(screen.dump().contains(key), "{key}: {}", screen.dump());
    }
    screen.press("w");
    assert!(screen.dump().contains("Why it was skipped"), "{}", screen.dump());
    screen.press("<esc>");
    screen.press("t");
    assert_eq!(screen.model.tab, Tab::Threads);
}

#[test]
fn skipped_mail_is_told_of_once_a_day() {
    let mut screen = TestScreen::with(SIZE, Vec::new());
    assert_eq!(screen.note(), "", "nothing was skipped");
    screen.behind(async |inbox| skip(inbox, 1).await);
    assert_eq!(screen.note(), "", "it was counted today");
    let hours =
        |n| crate::support::test_screen::wall().checked_add(jiff::SignedDuration::from_hours(n)).unwrap();
    screen.tell(Msg::Tick(screen.at, hours(15)));
    assert_eq!(screen.note(), "Mail in the last day: 1 skipped; gk lists it");
    screen.press("4");
    assert!(screen.dump().contains("1 skipped; gk lists it"), "{}", screen.dump());
    let mut other = TestScreen::over(screen.inbox, SIZE);
    other.tell(Msg::Tick(other.at, hours(16)));
    assert_eq!(other.note(), "", "whoever looks next was told already");
    other.tell(Msg::SkippedLately(Ok((SkippedCount { mails: 9, unsure: 2 }, true))));
    assert_eq!(other.note(), "Mail in the last day: 9 skipped, 2 unsure; gk lists it");
}

#[test]
fn what_was_decided_together_is_taken_back_together_even_by_another_screen() {
    let mut screen = TestScreen::full(SIZE);
    screen.press("gn").press("*").press("a").press("y");
    assert_eq!(screen.decisions().len(), 2);
    let mut other = TestScreen::over(screen.inbox, SIZE);
    other.press("u");
    assert_eq!(other.note(), "Undone: 2 items");
    assert!(other.decisions().iter().all(|decision| decision.undone_at.is_some()));
    other.press("u");
    assert_eq!(
        other.note(),
        "Nothing can be taken back now · gh lists past decisions, and C there reclassifies a mail"
    );
}

#[test]
fn a_profile_is_edited_added_to_pinned_and_taken_back() {
    let mut screen = TestScreen::full(SIZE);
    screen.remember();
    screen.press("3").press("e");
    let Some(Cmd::EditProfile(namespace, version, text)) = screen.outside.last().cloned() else { panic!() };
    screen.tell(Msg::ProfileEdited(namespace.clone(), version, Ok(format!("{text}\n"))));
    assert_eq!(screen.note(), "Nothing changed");
    screen.tell(Msg::ProfileEdited(namespace.clone(), version, Ok("Prefers long replies.\n".to_owned())));
    assert_eq!(screen.profile().newest.profile, "Prefers long replies.");
    screen.tell(Msg::ProfileEdited(namespace, version, Ok("late".to_owned())));
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
    screen.press("/").press("nothing like it<enter>");
    assert!(screen.dump().contains("No decision matches."), "{}", screen.dump());
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
