//! Telling beside driving, in whichever process drives.

use super::Traces;
use crate::app::local::Local;
use crate::inbox::SourceLine;
use crate::store::StoreError;
use std::convert::Infallible;

impl Local {
    /// The same, with traces to tell where this process drives.
    pub fn with_traces(mut self, traces: Option<Traces>) -> Self {
        self.traces = traces;
        self
    }

    /// Does some driving with traces told beside it; what is left when it ends is told where that takes but a moment.
    pub async fn telling<T>(&self, driving: impl Future<Output = T>) -> T {
        if let Some(traces) = &self.traces {
            traces.begin().await;
        }
        let done = tokio::select! {
            done = driving => done,
            never = self.tell_traces() => match never {},
        };
        if let Some(traces) = &self.traces {
            traces.part().await;
        }
        done
    }

    /// Traces begin where they are wanted, and end where they are not. Whoever calls this holds the driver's lock: of two
    /// configs over one folder that of the driver counts.
    pub(in crate::app) async fn begin_telling(&self) {
        match &self.traces {
            Some(traces) => traces.begin().await,
            None => {
                if let Err(error) = self.engine().store().figures().end_traces().await {
                    tracing::debug!(%error, "how far traces were told is still on record");
                }
            }
        }
    }

    /// How everything that is looked at does; where traces went once is of no interest any more.
    pub(in crate::app) fn read_sources(&self) -> Result<Vec<SourceLine>, StoreError> {
        let mut sources = self.engine().store().mail().sources()?;
        sources.retain(|line| self.traces.is_some() || line.source != SourceLine::TRACES);
        Ok(sources)
    }

    /// Tells traces, for ever.
    pub(in crate::app) async fn tell_traces(&self) -> Infallible {
        match &self.traces {
            Some(traces) => traces.run().await,
            None => std::future::pending().await,
        }
    }
}
