//! What the driver knows of the threads it may have to drive.

use crate::engine::graph::ThreadId;
use crate::engine::store::{Moved, Runnable, RunnableThreads, Store, StoreError};
use std::collections::BTreeMap;
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

/// The threads that may need the driver, oldest first, and whether it may drive.
#[derive(Default)]
pub(crate) struct ToDo {
    pub threads: BTreeMap<i64, Runnable>,
    pub paused: bool,
    /// Whether every thread was looked at, and nothing but what we were told of has changed since.
    complete: bool,
    /// The last entry of the log when they were. What we are told of earlier ones is old.
    looked_at: i64,
}

impl ToDo {
    /// Takes in what changed. Whoever falls behind, or is told of a change by others, looks at all threads.
    pub(crate) fn take_in(&mut self, news: Result<Moved, RecvError>) {
        match news {
            Ok(Moved::These(_, last)) if last <= self.looked_at => {}
            Ok(Moved::These(threads, _)) => {
                for thread in threads {
                    if thread.needs_driver() {
                        self.threads.insert(thread.seq, thread);
                    } else {
                        self.threads.remove(&thread.seq);
                    }
                }
            }
            Ok(Moved::Any) | Err(RecvError::Lagged(_) | RecvError::Closed) => self.complete = false,
        }
    }

    /// Takes in everything that has changed so far.
    pub(crate) fn take_in_all(&mut self, moved: &mut broadcast::Receiver<Moved>) {
        loop {
            match moved.try_recv() {
                Ok(news) => self.take_in(Ok(news)),
                Err(TryRecvError::Lagged(n)) => self.take_in(Err(RecvError::Lagged(n))),
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Looks at all threads, unless what we were told of is all that changed; returns whether it did.
    pub(crate) fn look_at_all_if_due(&mut self, store: &Store) -> Result<bool, StoreError> {
        if self.complete {
            return Ok(false);
        }
        let RunnableThreads { threads, paused, last } = store.threads().runnable()?;
        self.threads = threads.into_iter().map(|thread| (thread.seq, thread)).collect();
        (self.paused, self.looked_at, self.complete) = (paused, last, true);
        Ok(true)
    }

    /// Looks at all threads the next time.
    pub(crate) fn doubt(&mut self) {
        self.complete = false;
    }

    /// The driver is done with a thread that is still to be driven: what we know of it may be old.
    pub(crate) fn doubt_if_listed(&mut self, thread: &ThreadId) {
        self.complete &= !self.threads.values().any(|listed| listed.thread == *thread);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inbox::Status;

    fn thread(seq: i64, status: Status) -> Runnable {
        let (thread, version) = (ThreadId::random(), seq);
        let (hold_ms, held_at, waiting_events, by_program) = (0, None, 0, false);
        Runnable { seq, thread, status, version, hold_ms, held_at, waiting_events, by_program }
    }

    /// All threads were looked at when the log had ten entries, and one was ready.
    fn looked_at() -> ToDo {
        let threads = BTreeMap::from([(1, thread(1, Status::Ready))]);
        ToDo { threads, paused: false, complete: true, looked_at: 10 }
    }

    #[test]
    fn what_happened_before_the_look_is_old() {
        for (last, threads) in [(10, vec![1]), (11, vec![])] {
            let mut to_do = looked_at();
            to_do.take_in(Ok(Moved::These(vec![thread(1, Status::Done)], last)));
            assert_eq!(to_do.threads.into_keys().collect::<Vec<_>>(), threads, "{last}");
            assert!(to_do.complete);
        }
    }

    #[test]
    fn the_newest_of_what_was_told_counts() {
        let mut to_do = looked_at();
        let twice = vec![thread(2, Status::Ready), thread(3, Status::Waiting), thread(2, Status::Done)];
        to_do.take_in(Ok(Moved::These(twice, 12)));
        to_do.take_in(Ok(Moved::These(vec![thread(4, Status::Held)], 13)));
        assert_eq!(to_do.threads.into_keys().collect::<Vec<_>>(), [1, 4]);
    }

    #[test]
    fn whoever_falls_behind_or_hears_of_others_looks_at_all() {
        let behind = [Ok(Moved::Any), Err(RecvError::Lagged(3)), Err(RecvError::Closed)];
        for news in behind {
            let mut to_do = looked_at();
            to_do.take_in(news);
            to_do.take_in(Ok(Moved::These(Vec::new(), 11)));
            assert!(!to_do.complete, "what comes after does not tell what was missed");
        }
        let (sender, mut moved) = broadcast::channel(2);
        for last in 11..15 {
            sender.send(Moved::These(Vec::new(), last)).unwrap();
        }
        let mut to_do = looked_at();
        to_do.take_in_all(&mut moved);
        assert!(!to_do.complete);
    }
}
