//! Polls the servers once, for people who want to see the questions there while no driver runs.
//!
//! Promises: it takes the driver's lock, or leaves polling to the process that has it; it ends in bounded time; a
//! server that does not answer costs only a sentence. It drives only mirrors, and only those that read: anything that a
//! person decided waits for a driver.

use super::{PATIENCE, PollError, Servers, with_timeout};
use crate::connect::langgraph::api::Remote;
use crate::engine::driver::{Driver, Scope, Until};
use crate::engine::graph::ThreadId;
use crate::engine::store::{Awaits, StoreError};
use futures_util::future::join_all;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Servers {
    /// Polls every server once, unless a driver runs. Returns a sentence for each thing that could not be read.
    pub(super) async fn look_at_all(&self) -> Result<Vec<String>, StoreError> {
        let engine = self.engine();
        if engine.store().paused()? {
            let text = "everything is paused, so no server was checked; run `sayso pause --off` to continue";
            return Ok(vec![text.to_owned()]);
        }
        let Ok(mut worker) = Driver::take(engine.clone()).await? else { return Ok(Vec::new()) };
        let (mut unread, mut reading) = (Vec::new(), Vec::new());
        for (remote, looked) in join_all(self.remotes().iter().map(|remote| self.look_in_time(remote))).await
        {
            match looked {
                Ok(mirrors) => reading.extend(mirrors.into_iter().map(|mirror| (remote.name(), mirror))),
                Err(why) => {
                    unread.push(format!("{}: {why}; its new questions are not listed", remote.name()))
                }
            }
        }
        reading.retain(|(_, mirror)| self.only_reads(mirror));
        if reading.is_empty() {
            return Ok(unread);
        }
        let scope = Scope::Only(reading.iter().map(|(_, mirror)| mirror.clone()).collect());
        worker.run(&scope, Until::Idle, tokio::time::sleep(PATIENCE)).await?;
        reading.retain(|(_, mirror)| {
            engine.store().threads().line(mirror).is_ok_and(|line| line.status.active())
        });
        let slow: BTreeSet<&str> = reading.iter().map(|(server, _)| *server).collect();
        unread.extend(slow.iter().map(|server| {
            let seconds = PATIENCE.as_secs();
            format!("{server}: some threads could not be read within {seconds} seconds; their questions are not listed")
        }));
        Ok(unread)
    }

    async fn look_in_time<'r>(
        &self,
        remote: &'r Arc<Remote>,
    ) -> (&'r Arc<Remote>, Result<Vec<ThreadId>, PollError>) {
        let looked = with_timeout(self.look(remote)).await;
        // The caller gets the result directly; the record for others is not worth a failure.
        let _ = self.note(remote, looked.as_ref().err().map(ToString::to_string)).await;
        (remote, looked)
    }

    /// Whether driving a mirror sends nothing. An unreadable mirror is left to the driver, which reports it.
    fn only_reads(&self, mirror: &ThreadId) -> bool {
        let loaded = self.engine().store().threads().load(mirror, None);
        let state = self.mirror(mirror);
        matches!((loaded, state), (Ok(loaded), Ok(Some((_, state))))
            if loaded.row.awaits == Awaits::Nothing && state.answers.is_empty())
    }
}
