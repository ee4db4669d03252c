//! Counts the SQL statements of stores that are opened from now on, by their tracing events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Statements in write and in read transactions, then how many transactions of each sort.
pub type Counts = [u64; 4];

#[derive(Clone, Default)]
pub struct Statements(Arc<[AtomicU64; 4]>);

impl Statements {
    pub fn now(&self) -> Counts {
        std::array::from_fn(|at| self.0[at].load(Ordering::SeqCst))
    }

    pub fn since(&self, before: Counts) -> Counts {
        let now = self.now();
        std::array::from_fn(|at| now[at] - before[at])
    }
}

pub fn count() -> Statements {
    let counts = Statements::default();
    let subscriber = tracing_subscriber::registry().with(counts.clone());
    tracing::subscriber::set_global_default(subscriber).unwrap();
    counts
}

impl<S: tracing::Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut Seen(self));
    }
}

struct Seen<'c>(&'c Statements);

impl Visit for Seen<'_> {
    fn record_str(&mut self, field: &Field, sql: &str) {
        if field.name() != "sql" {
            return;
        }
        let writes = std::thread::current().name() == Some("sayso-writer");
        let at = match sql {
            "BEGIN IMMEDIATE" => 2,
            "BEGIN" => 3,
            "COMMIT" => return,
            _ if writes => 0,
            _ => 1,
        };
        self.0.0[at].fetch_add(1, Ordering::SeqCst);
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
