//! What is allowed from a card, saved as a draft, taken for something else, and learned.

use crate::harness::Desk;
use sayso::inbox::{SkippedLine, SkippedPage, SkippedQuery};
use sayso::store::HandedIn;
use sayso::tui::{Cmd, Msg, Tab};
use serde_json::json;

const SIZE: (u16, u16) = (140, 36);

/// From the first row of Activity to the first grant.
const GRANT: &str = "jjjjjjjj";

fn desk() -> Desk {
    let mut desk = Desk::full(SIZE);
    desk.press("j");
    assert_eq!(desk.selected(), "Lunch on Thursday?");
    desk
}

#[test]
fn accepted_and_allowed_after_a_yes() {
    let mut desk = desk();
    desk.press("A").press("jj<enter>");
    assert!(desk.decisions().is_empty() && desk.grants().is_empty(), "Enter decides nothing");
    let shown = desk.dump();
    for text in ["every further call of write_email", "mail of eve@example.org", "Mon 02 Mar, 11:00"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    desk.press("n");
    assert!(desk.decisions().is_empty() && desk.grants().is_empty());
    desk.press("A").press("jj<enter>").burst("y");
    assert!(desk.grants().is_empty(), "not in a burst");
    desk.press("y");
    assert_eq!(desk.decisions().len(), 1);
    let grants = desk.grants();
    assert_eq!(grants.len(), 1);
    assert_eq!(
        (grants[0].tool.as_str(), grants[0].sender.as_deref()),
        ("write_email", Some("eve@example.org"))
    );
    desk.press("4").press(GRANT).press("X");
    assert!(desk.grants().is_empty(), "one key revokes it");
    assert!(desk.note().starts_with("revoked: write_email"), "{}", desk.note());
}

#[test]
fn a_refused_acceptance_allows_nothing() {
    let mut desk = desk();
    desk.press("A").press("<enter>");
    let id = desk.model.inbox.list.selected().unwrap().id.clone();
    desk.behind(async |inbox| {
        let interrupt = sayso::graph::InterruptId::parse(&id).unwrap();
        let (decision, by) = (sayso::graph::Decision::Ignore, sayso::inbox::By::Cli);
        let decide = sayso::inbox::Decide { interrupt, decision, shown: None, learn: false, by };
        inbox.decisions().decide(decide).await.unwrap();
    });
    desk.press("y");
    assert!(desk.grants().is_empty());
    assert!(desk.note().starts_with("not decided"), "{}", desk.note());
}

#[test]
fn built_in_grants_are_switched_off_by_one_key_and_on_by_a_yes() {
    let mut desk = Desk::full(SIZE);
    desk.press("4").press(GRANT).press("X");
    assert!(desk.dump().contains("off     output_files"), "{}", desk.dump());
    desk.press("X");
    assert!(desk.dump().contains("on again?"), "{}", desk.dump());
    desk.press("y");
    assert!(desk.dump().contains("allowed output_files"), "{}", desk.dump());
}

#[test]
fn only_cards_that_offer_it_are_allowed_or_drafted() {
    let mut desk = Desk::full(SIZE);
    desk.press("A");
    assert!(desk.note().contains("nothing to allow"), "{}", desk.note());
    desk.press("D");
    assert!(desk.note().contains("no such answer"), "{}", desk.note());
    desk.press("jjjjC");
    assert!(desk.note().contains("only mail that was triaged"), "{}", desk.note());
    assert!(desk.decisions().is_empty());
}

#[test]
fn saved_as_a_draft_and_taken_back() {
    let mut desk = desk();
    desk.burst("D");
    assert!(desk.decisions().is_empty());
    desk.press("D");
    assert_eq!(desk.decisions()[0].r#type, "draft");
    assert!(desk.note().starts_with("saved as a draft"), "{}", desk.note());
    desk.press("u");
    assert_eq!(desk.selected(), "Lunch on Thursday?");
}

#[test]
fn mail_is_fetched_on_demand() {
    let mut desk = desk();
    let store = desk.inbox.engine().store().clone();
    let before = store.mail().sync_wanted().unwrap();
    desk.press("$");
    assert_eq!(desk.note(), "looking for new mail");
    assert_ne!(store.mail().sync_wanted().unwrap(), before);
}

#[test]
fn why_is_a_page() {
    let mut desk = desk();
    desk.press("w");
    let shown = desk.dump();
    assert!(shown.contains("What the thread did") && shown.contains("model calls"), "{shown}");
    desk.press("<esc>");
    assert!(desk.model.layer().is_none());
}

#[test]
fn a_mail_is_taken_for_something_else_after_a_yes() {
    let mut desk = Desk::full(SIZE);
    desk.press("C").press("jj<enter>").press("<enter>");
    assert!(desk.dump().contains("for: respond?"), "Enter does not confirm: {}", desk.dump());
    desk.press("y");
    assert!(desk.note().starts_with("taken for: respond"), "{}", desk.note());
}

/// However much was skipped, all of it is reached, and what comes meanwhile moves no selection.
#[test]
fn all_that_was_skipped_is_read_as_one_moves() {
    let mut desk = Desk::with(SIZE, Vec::new());
    let skip = async |inbox: &sayso::service::Inbox, n: usize| {
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
        store.mail().triaged(thread, "ignore".to_owned(), "an advertisement".to_owned()).await.unwrap();
    };
    desk.behind(async |inbox| {
        for n in 0..130 {
            skip(inbox, n).await;
        }
    });
    desk.press("gk");
    assert_eq!(desk.model.inbox.skipped.rows.len(), 100, "a page");
    desk.press("G").press("G");
    assert_eq!(desk.model.inbox.skipped.rows.len(), 130);
    assert_eq!(desk.model.inbox.skipped.selected().unwrap().title, "Offer 0");
    desk.behind(async |inbox| skip(inbox, 130).await);
    assert_eq!(desk.model.inbox.skipped.selected().unwrap().title, "Offer 0", "and it is still there");
    assert!(desk.dump().contains("an advertisement"), "{}", desk.dump());
    desk.press("gg");
    assert_eq!(desk.model.inbox.skipped.selected().unwrap().title, "Offer 130");
    let titles: std::collections::BTreeSet<_> =
        desk.model.inbox.skipped.rows.iter().map(|line| line.title.clone()).collect();
    assert!(titles.len() >= 130, "{} titles", titles.len());
}

#[test]
fn skipped_mail_is_listed_with_its_reason() {
    let mut desk = Desk::full(SIZE);
    let thread = desk.model.inbox.list.selected().unwrap().thread.clone();
    desk.press("gk");
    assert!(desk.dump().contains("No mail was skipped."), "{}", desk.dump());
    let line = |title: &str, thread| SkippedLine {
        thread,
        title: title.to_owned(),
        sender: "news@letters.test".to_owned(),
        reason: "a rule says so".to_owned(),
        at: crate::harness::wall(),
    };
    let mails = vec![line("One", None), line("Two", Some(thread))];
    let page = SkippedPage { mails, ..SkippedPage::default() };
    desk.tell(Msg::Skipped(SkippedQuery::default(), Ok(page)));
    desk.drawn();
    assert!(desk.dump().contains("a rule says so"), "{}", desk.dump());
    desk.press("C");
    assert!(desk.model.layer().is_none(), "no thread, nothing to take it for");
    desk.press("j").press("a").press("i");
    assert!(desk.decisions().is_empty());
    desk.press("t");
    assert_eq!(desk.model.tab, Tab::Threads);
}

#[test]
fn what_was_decided_together_is_taken_back_together_even_by_another_screen() {
    let mut desk = Desk::full(SIZE);
    desk.press("gn").press("*").press("a").press("y");
    assert_eq!(desk.decisions().len(), 2);
    let Desk { folder, inbox, .. } = desk;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut other = Desk::over(folder, inbox, runtime, SIZE);
    other.press("u");
    assert_eq!(other.note(), "taken back: 2 items");
    assert!(other.decisions().iter().all(|decision| decision.undone_at.is_some()));
    other.press("u");
    assert_eq!(other.note(), "there is nothing to take back");
}

#[test]
fn a_profile_is_edited_added_to_pinned_and_taken_back() {
    let mut desk = Desk::full(SIZE);
    desk.remember();
    desk.press("3").press("e");
    let Some(Cmd::EditProfile(namespace, version, text)) = desk.outside.last().cloned() else { panic!() };
    desk.tell(Msg::ProfileEdited(namespace.clone(), version, Ok(format!("{text}\n"))));
    assert_eq!(desk.note(), "nothing is changed");
    desk.tell(Msg::ProfileEdited(namespace.clone(), version, Ok("Prefers long replies.\n".to_owned())));
    assert_eq!(desk.profile().newest.profile, "Prefers long replies.");
    desk.tell(Msg::ProfileEdited(namespace, version, Ok("late".to_owned())));
    assert!(desk.model.note.as_ref().unwrap().bad, "somebody was quicker: {}", desk.note());
    desk.press("o").type_in("Never on Sundays.").press("<enter>");
    assert_eq!(desk.profile().newest.profile, "Prefers long replies.\nNever on Sundays.");
    desk.press("P").press("j<enter>");
    assert_eq!(desk.profile().pinned, ["Never on Sundays."]);
    desk.press("R").press("<enter>").press("n");
    assert_eq!(desk.profile().newest.version, 3, "n changes nothing");
    desk.press("P").press("j<enter>").press("R").press("j<enter>").press("y");
    assert!(desk.profile().newest.profile.starts_with("Prefers short replies."), "{}", desk.note());
}
