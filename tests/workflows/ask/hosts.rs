//! Servers that die in the middle of a request: what reads goes elsewhere, what changes something is never repeated.

use super::*;
use std::io::Read;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How a server dies.
#[derive(Clone, Copy)]
enum Dies {
    /// As soon as somebody has connected.
    AtOnce,
    /// Once it has read the whole request.
    AfterReading,
    /// In the middle of its answer.
    Answering,
}

/// A server that dies on every connection, and how many it has had.
fn dying(how: Dies) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            if matches!(how, Dies::AtOnce) {
                continue;
            }
            let mut heard = Vec::new();
            let mut part = [0; 4096];
            loop {
                let read = stream.read(&mut part).unwrap_or(0);
                heard.extend_from_slice(&part[..read]);
                if read == 0 || heard.windows(4).any(|end| end == b"\r\n\r\n") {
                    break;
                }
            }
            if matches!(how, Dies::Answering) {
                use std::io::Write;
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{\"da",
                );
            }
        }
    });
    (port, count)
}

#[tokio::test]
async fn a_question_goes_to_the_next_server() {
    for how in [Dies::AtOnce, Dies::AfterReading, Dies::Answering] {
        let (dead, count) = dying(how);
        let inbox = AskInbox::reaching(|port| vec![dead, port]).await;
        inbox.server.tell("/v1/lists", [Reply::Json(200, json!([{"title": "Buy tea"}]))]);
        let thread = inbox.ask("List tasks with list=home").await;
        let outcome = inbox.outcome(&thread).await;
        assert_eq!(outcome.status, Status::Done, "{:?}", outcome.error);
        assert_eq!(count.load(Ordering::SeqCst), 1, "asked once, then left");
        assert_eq!(inbox.server.asked(), ["GET /v1/lists/home/tasks"]);
        // The one that answered is kept for the next question.
        assert_eq!(inbox.state(&thread).await["selected_host"], inbox.server.url());
        inbox.proceed(&thread, "List tasks with list=work").await;
        assert_eq!((count.load(Ordering::SeqCst), inbox.server.asked().len()), (1, 2));
    }
}

#[tokio::test]
async fn a_change_that_may_have_happened_is_in_doubt_and_goes_nowhere_else() {
    for how in [Dies::AtOnce, Dies::AfterReading, Dies::Answering] {
        let (dead, count) = dying(how);
        let inbox = AskInbox::reaching(|port| vec![dead, port]).await;
        inbox.server.tell("/v1/lists", [Reply::Json(201, json!({"id": 7}))]);
        let thread = inbox.ask("Add a task with list=home and title=\"Buy tea\"").await;
        inbox.answer(&thread, Decision::Accept).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert_eq!(code, "in_doubt", "{text}");
        assert_eq!(count.load(Ordering::SeqCst), 1, "never made again without being told to");
        assert!(inbox.server.lines().is_empty(), "and nowhere else: {:?}", inbox.server.lines());
        // The person says that it was not done: the same bytes go to the same server, once.
        let card = inbox.open_item(&thread).await;
        let mut args = card.args.clone();
        args["outcome"] = json!("not_done");
        inbox.answer(&thread, Decision::Edit { args }).await;
        assert_eq!(count.load(Ordering::SeqCst), 2);
        assert!(inbox.server.lines().is_empty());
    }
}
