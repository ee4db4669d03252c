//! Memory profiles as people read and change them: names, edits, pins, versions.

use crate::support::TestInbox;
use sayso::engine::store::MemoryCause;
use sayso::inbox::InboxError;

const TONE: &str = "email_assistant/tone";

async fn taught() -> TestInbox {
    let inbox = TestInbox::new();
    let cause = || MemoryCause { kind: "answer".to_owned(), thread: None, interrupt: None };
    for (name, read, text) in [
        (TONE, 0, "Be brief."),
        (TONE, 1, "Be brief.\n- No jokes.\n- No jokes on Mondays.\n"),
        ("other/tone_of_voice", 0, "Loud."),
    ] {
        inbox.store().memory().remember(name.to_owned(), read, text.to_owned(), cause()).await.unwrap();
    }
    inbox
}

fn error_text<T: std::fmt::Debug>(result: Result<T, InboxError>) -> String {
    result.unwrap_err().to_string()
}

#[tokio::test]
async fn a_namespace_is_named_by_its_unique_last_part() {
    let inbox = taught().await;
    for name in ["tone", TONE] {
        assert_eq!(inbox.memory().show(name.to_owned()).await.unwrap().newest.namespace, TONE);
    }
    let unknown = inbox.memory().show("ton".to_owned()).await;
    assert!(matches!(unknown, Err(InboxError::NotFound { what: "memory", .. })), "{unknown:?}");
    let cause = MemoryCause { kind: "default".to_owned(), thread: None, interrupt: None };
    inbox.store().memory().remember("b/tone".to_owned(), 0, "x".to_owned(), cause).await.unwrap();
    let error = error_text(inbox.memory().show("tone".to_owned()).await);
    assert_eq!(error, "`tone` is the last part of b/tone and email_assistant/tone; give the whole name");
}

#[tokio::test]
async fn an_edit_is_based_on_the_version_that_was_read() {
    let inbox = taught().await;
    let edited = inbox.memory().edit("tone".to_owned(), 2, "Be kind.\u{1b}[31m".to_owned()).await.unwrap();
    assert_eq!((edited.newest.version, edited.newest.cause.kind.as_str()), (3, "edit"));
    assert_eq!(edited.newest.profile, "Be kind.[31m", "what a terminal would obey is left out");
    assert!(
        error_text(inbox.memory().edit("tone".to_owned(), 2, "x".to_owned()).await)
            .contains("is at version 3")
    );
    let reverted = inbox.memory().revert("tone".to_owned(), 1).await.unwrap();
    assert_eq!((reverted.newest.version, reverted.newest.profile.as_str()), (4, "Be brief."));
    assert!(
        error_text(inbox.memory().revert("tone".to_owned(), 9).await).contains("there is no version `9 of")
    );
    assert!(error_text(inbox.memory().revert("tone".to_owned(), 4).await).contains("the newest already"));
    let kinds: Vec<String> = inbox
        .memory()
        .history("tone".to_owned())
        .await
        .unwrap()
        .into_iter()
        .map(|version| version.cause.kind)
        .collect();
    assert_eq!(kinds, ["revert", "edit", "answer", "answer"]);
}

#[tokio::test]
async fn a_pinned_line_stays_until_it_is_let_go_by_name() {
    let inbox = taught().await;
    let pin = |line: &str, pinned| inbox.memory().pin("tone".to_owned(), line.to_owned(), pinned);
    assert_eq!(pin("- No jokes.", true).await.unwrap().pinned, ["- No jokes."]);
    assert_eq!(pin("Mondays", true).await.unwrap().pinned.len(), 2);
    assert_eq!(pin("1", true).await.unwrap().pinned.len(), 3, "by its number");
    assert_eq!(pin("Be brief.", true).await.unwrap().pinned.len(), 3, "once is enough");
    assert!(error_text(pin("No jokes", true).await).contains("2 lines of the memory"));
    assert!(error_text(pin("Shout", true).await).contains("has no line `Shout`"));
    assert!(error_text(pin("", true).await).contains("has no line"));
    let dropped = "Be brief.\n- No jokes on Mondays.\n";
    let error = error_text(inbox.memory().edit("tone".to_owned(), 2, dropped.to_owned()).await);
    assert_eq!(error, "the line `- No jokes.` is pinned; unpin it before it goes");
    assert!(error_text(inbox.memory().revert("tone".to_owned(), 1).await).contains("is pinned"));
    assert_eq!(pin("- No jokes.", false).await.unwrap().pinned.len(), 2);
    assert!(error_text(pin("- No jokes.", false).await).contains("the pinned lines of"));
    inbox.memory().edit("tone".to_owned(), 2, dropped.to_owned()).await.unwrap();
    assert_eq!(inbox.store().memory().pins(TONE).unwrap().len(), 2);
    inbox.assert_whole();
}
