//! A data folder shared by several processes, and what must be true of it in the end.

use crate::support::delivery::DeliveryLog;
use crate::support::test_inbox::TestInbox;
use sayso::inbox::{Status, ThreadView};
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

pub const PARCELS: [&str; 2] = ["book", "lamp"];

pub struct Home {
    pub folder: TempDir,
}

impl Home {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn delivery_log(&self) -> Arc<DeliveryLog> {
        DeliveryLog::new(self.folder.path().join("street"))
    }

    /// The folder, opened by this process.
    pub fn inbox(&self) -> TestInbox {
        TestInbox::builder().in_folder(self.folder.path()).open()
    }

    /// The steps that are complete, as the ledger names them.
    pub async fn completed(&self) -> HashSet<String> {
        if !self.data().join("sayso.db").exists() {
            return HashSet::new();
        }
        let views = self.inbox().views().await;
        let name = |view: &ThreadView| {
            let id = view.id.clone();
            view.steps.iter().map(move |step| format!("{id} {} {}", step.n, step.node)).collect::<Vec<_>>()
        };
        views.iter().flat_map(name).collect()
    }

    /// The end of the story: every thread done, every parcel delivered exactly once, nothing damaged.
    pub async fn check_end(&self, threads: usize, what: &str) {
        let inbox = self.inbox();
        let views = inbox.views().await;
        assert_eq!(views.len(), threads, "{what}: nothing is lost");
        let mut expected = Vec::new();
        for view in &views {
            assert_eq!(view.status, Status::Done, "{what}: {view:?}");
            let nodes: Vec<&str> = view.steps.iter().map(|step| step.node.as_str()).collect();
            assert_eq!(nodes, ["START", "plan", "ANSWERS", "act", "leave"], "{what}");
            let asked = view.decisions.iter().filter(|d| d.action == "deliver" && d.undone_at.is_none());
            assert_eq!(asked.count(), PARCELS.len(), "{what}: one decision a parcel is in force");
            assert_eq!(view.effects.len(), PARCELS.len(), "{what}");
            assert!(
                view.effects.iter().all(|e| e.state == "done" || e.state == "settled"),
                "{what}: {view:?}"
            );
            expected.extend(PARCELS.iter().map(|parcel| format!("{parcel} for {}", view.id)));
        }
        let mut delivered = self.delivery_log().deliveries();
        delivered.sort();
        expected.sort();
        assert_eq!(delivered, expected, "{what}: each parcel once");
        inbox.assert_intact(what);
    }
}
