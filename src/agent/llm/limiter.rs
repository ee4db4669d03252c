//! Limits how many calls a model gets, at the same time and per minute.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::time::{Instant, sleep_until};

const MINUTE: Duration = Duration::from_secs(60);

/// Holds callers back until they may go; first come, first served. Dropping the future gives up and costs nothing.
#[derive(Debug)]
pub struct Limiter {
    places: Semaphore,
    per_minute: Option<usize>,
    started: Mutex<VecDeque<Instant>>,
}

impl Limiter {
    /// At most `at_once` calls at the same time and `per_minute` requests in any minute. Zero means one.
    pub fn new(at_once: usize, per_minute: Option<u32>) -> Self {
        Self {
            places: Semaphore::new(at_once.clamp(1, Semaphore::MAX_PERMITS)),
            per_minute: per_minute.map(|n| (n as usize).max(1)),
            started: Mutex::new(VecDeque::new()),
        }
    }

    /// Waits for a place. It is free again when the result is dropped. `None` cannot happen, as the semaphore is never
    /// closed.
    pub async fn enter(&self) -> Option<SemaphorePermit<'_>> {
        self.places.acquire().await.ok()
    }

    /// Waits until one more request fits into the minute, and counts it.
    pub async fn pace(&self) {
        let Some(limit) = self.per_minute else { return };
        // Held during the pause, so that waiting callers keep their order.
        let mut started = self.started.lock().await;
        if started.len() >= limit
            && let Some(oldest) = started.front().copied()
        {
            sleep_until(oldest + MINUTE).await;
            started.pop_front();
        }
        started.push_back(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_requests_than_allowed() {
        let limiter = Limiter::new(10, Some(3));
        let begun = Instant::now();
        let mut times = Vec::new();
        for _ in 0..10 {
            limiter.pace().await;
            times.push(begun.elapsed());
        }
        assert_eq!(times[2], Duration::ZERO);
        for window in times.windows(4) {
            assert!(window[3] - window[0] >= MINUTE, "{times:?}");
        }
        assert_eq!(times[9], MINUTE * 3);
    }

    #[tokio::test(start_paused = true)]
    async fn a_waiter_that_gives_up_takes_no_slot() {
        let limiter = Limiter::new(1, Some(1));
        limiter.pace().await;
        assert!(tokio::time::timeout(Duration::from_secs(1), limiter.pace()).await.is_err());
        let begun = Instant::now();
        limiter.pace().await;
        assert_eq!(begun.elapsed(), MINUTE - Duration::from_secs(1));
    }

    #[tokio::test(start_paused = true)]
    async fn places_are_given_back() {
        let limiter = Arc::new(Limiter::new(1, None));
        let first = limiter.enter().await;
        assert!(tokio::time::timeout(MINUTE, limiter.enter()).await.is_err());
        drop(first);
        assert!(limiter.enter().await.is_some());
    }
}
