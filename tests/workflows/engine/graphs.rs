//! Graphs: what is refused when they are built, mounted parts, and drawings.

use crate::support::TestInbox;
use crate::support::table_workflow::{self, Next, Walk};
use crate::support::test_inbox::eager;
use sayso::engine::graph::{
    BuildError, Builder, Command, Ctx, Graph, NodeError, TakenPath, Workflow, ask, end, goto, spawn,
};
use sayso::inbox::{Card, Spec, Status};
use serde_json::json;
use std::sync::Arc;

type Made = Result<Command<Walk>, NodeError>;

/// A node that notes where it is and goes `to`.
fn to(
    command: fn() -> Command<Walk>,
) -> impl Fn(Ctx<()>, Arc<Walk>) -> std::future::Ready<Made> + Send + Sync {
    move |ctx, _| std::future::ready(Ok(command().update(ctx.step_context().node.clone())))
}

fn builder(entry: &str) -> Builder<Walk, ()> {
    Graph::builder("walk", entry)
}

fn ended() -> Command<Walk> {
    Command::end()
}

fn inner() -> Graph<Walk, ()> {
    builder("one")
        .node("one", to(|| Command::goto("two")), [goto("two")])
        .node("two", to(ended), [end()])
        .build()
        .unwrap()
}

#[test]
fn invalid_graphs_are_refused() {
    let unknown = |node: &str, target: &str| BuildError::UnknownTarget {
        node: node.to_owned(),
        target: target.to_owned(),
    };
    let table: Vec<(Builder<Walk, ()>, BuildError)> = vec![
        (builder("a"), unknown("START", "a")),
        (
            builder("a").node("a", to(ended), [end()]).node("a", to(ended), [end()]),
            BuildError::Twice("a".into()),
        ),
        (builder("a").node("a", to(ended), [goto("b")]), unknown("a", "b")),
        (builder("a").node("a", to(ended), [ask("b")]), unknown("a", "b")),
        (builder("a").node("a", to(ended), [spawn("b"), end()]), unknown("a", "b")),
        (
            builder("a").node("a", to(ended), [end()]).node("b", to(ended), [end()]),
            BuildError::Unreachable("b".into()),
        ),
        (builder("a").node("a", to(ended), [goto("a")]), BuildError::Endless("a".into())),
        (builder("a").node("a", to(ended), []), BuildError::Endless("a".into())),
        (builder("").node("", to(ended), [end()]), BuildError::Name(String::new())),
        (builder("a/b").node("a/b", to(ended), [end()]), BuildError::Name("a/b".into())),
        (builder("START").node("START", to(ended), [end()]), BuildError::Name("START".into())),
        (builder("JOIN").node("JOIN", to(ended), [end()]), BuildError::Name("JOIN".into())),
        (builder("m").node("m", to(ended), [end()]).mount("m", inner(), "m"), BuildError::Twice("m".into())),
        (builder("m").mount("m", inner(), "m").node("m", to(ended), [end()]), BuildError::Twice("m".into())),
        (
            builder("m").mount("m", inner(), "z").mount("m", inner(), "z").node("z", to(ended), [end()]),
            BuildError::Twice("m".into()),
        ),
        (builder("m").mount("m", inner(), "gone"), unknown("m/two", "gone")),
        (builder("m").mount("m", inner(), "m"), BuildError::Endless("m/one".into())),
        (
            builder("z").node("z", to(ended), [end()]).mount("m", inner(), "z"),
            BuildError::Unreachable("m/one".into()),
        ),
    ];
    for (place, (graph, expected)) in table.into_iter().enumerate() {
        assert_eq!(graph.build().err(), Some(expected), "row {place}");
    }
}

fn walk(name: &str, graph: Graph<Walk, ()>) -> Spec {
    Spec::new(Workflow::new(name, graph, Arc::new(())), "walks", |_, _| Card::default())
}

#[tokio::test]
async fn an_undeclared_edge_is_trouble() {
    let graph = builder("a").node("a", to(|| Command::goto("b")), [end()]);
    let graph = walk("astray", graph.build().unwrap());
    let inbox = TestInbox::builder().with_workflow(graph).open();
    let thread = inbox.run("astray", json!({})).await;
    let (code, text) = inbox.trouble(&thread).await;
    assert_eq!(code, "failed");
    assert!(text.contains("took the way Goto(\"b\"), which it does not declare"), "{text}");
    let astray = inbox.run_program(json!([[{"astray": "moon"}]])).await;
    assert!(inbox.trouble(&astray).await.1.contains("moon"));
    assert_eq!(inbox.nodes(&astray).await, ["START"], "nothing of it was kept");
}

/// A mount in a mount, with relative names inside and the edge `after` where each ends.
#[tokio::test]
async fn mounts_are_walked_by_relative_names() {
    let middle = builder("first")
        .node("first", to(|| Command::goto("deep")), [goto("deep")])
        .mount("deep", inner(), "last")
        .node("last", to(ended), [end()])
        .build()
        .unwrap();
    let graph = builder("outer")
        .mount("outer", middle, "ask")
        .node("ask", to(|| Command::ask(vec![question()], "other")), [ask("other")])
        .mount("other", inner(), "bye")
        .node("bye", to(ended), [end()])
        .build()
        .unwrap();
    let drawing = graph.shape().picture(&TakenPath::default()).text();
    let mermaid = graph.shape().mermaid();
    let inbox = TestInbox::builder().with_workflow(walk("mounts", graph)).open();
    let thread = inbox.run("mounts", json!({})).await;
    inbox.accept_and_drive(&thread).await;
    let nodes = inbox.nodes(&thread).await;
    let way = [
        "START",
        "outer/first",
        "outer/deep/one",
        "outer/deep/two",
        "outer/last",
        "ask",
        "ANSWERS",
        "other/one",
        "other/two",
        "bye",
    ];
    assert_eq!(nodes, way);
    assert_eq!(inbox.status(&thread).await, Status::Done);
    assert!(drawing.starts_with(&["┌", &"─".repeat(18), "┐\n│      START       │\n"].concat()), "{drawing}");
    let names: Vec<&str> =
        drawing.lines().skip(1).step_by(4).map(|line| line.trim_matches(['│', ' '])).collect();
    let nodes: Vec<&str> = way.iter().copied().filter(|node| *node != "ANSWERS").chain(["END"]).collect();
    assert_eq!(names, nodes, "in order, each in a box");
    assert_eq!(drawing.matches('▼').count(), 9, "every way leads to the next box");
    assert!(drawing.contains("▼ asks"), "{drawing}");
    for line in [
        "title: walk",
        "START([START]) --> n_outer_first",
        "n_outer_deep_one[outer/deep/one]",
        "n_ask -. asks .-> n_other_one",
        "n_bye --> END([END])",
    ] {
        assert!(mermaid.contains(line), "{mermaid}");
    }
}

fn question() -> sayso::engine::graph::Interrupt {
    sayso::inbox::proposal("q", sayso::engine::graph::Kind::Question, "question", &json!({}), "Well?")
}

#[test]
fn every_kind_of_edge_is_drawn() {
    let inbox = TestInbox::new();
    let shape = inbox.engine().registry().get("player").unwrap().workflow.shape();
    let way = ("play".to_owned(), "play".to_owned());
    let visits = [("START", 1), ("play", 3)].map(|(node, times)| (node.to_owned(), times));
    let taken = TakenPath { visits: visits.into(), edges: [way].into(), current: Some("play".to_owned()) };
    let picture = shape.picture(&taken);
    let text = picture.text();
    assert!(text.contains("▸ play ×3") && text.contains('┏') && text.contains('▶'), "{text}");
    assert_eq!(picture.current_line(), Some(4), "where it stands is lit");
    assert!(shape.mermaid().contains("n_play == children ==> n_play"));
}

/// That it never takes the wrong node, and goes on when its own is back, is row D11 of the catalogue.
#[tokio::test]
async fn a_thread_whose_node_or_workflow_is_gone_says_so() {
    let asking =
        |then: &'static str| table_workflow::spec("changing", &[("a", Next::Ask(then)), (then, Next::End)]);
    assert_ne!(asking("b").workflow.fingerprint(), asking("c").workflow.fingerprint());
    assert_eq!(asking("b").workflow.fingerprint(), asking("b").workflow.fingerprint());
    for (now, expected) in [
        (vec![asking("c")], "has no node `b` any more"),
        (vec![], "This sayso does not know the workflow `changing`."),
    ] {
        let inbox = TestInbox::builder().with_workflow(asking("b")).open();
        let thread = inbox.run("changing", json!({})).await;
        let inbox = inbox.restart_with(eager(), now);
        inbox.accept_and_drive(&thread).await;
        let (code, text) = inbox.trouble(&thread).await;
        assert!(code == "lost_node" && text.contains(expected), "{code}: {text}");
    }
}
