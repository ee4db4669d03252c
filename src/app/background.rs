//! All that runs as long as somebody drives, side by side.

use super::local::Local;
use crate::driver::{Driver, Ended, Scope, Until};
use crate::store::StoreError;
use std::future::Future;

impl Local {
    /// Drives every thread, takes mail in, looks at servers and tells traces, until told to stop.
    pub async fn run_everything(
        &self,
        worker: &mut Driver,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, StoreError> {
        self.begin_telling().await;
        let driving = worker.run(&Scope::All, Until::Told, stop);
        let taking_in = async {
            match self.intake() {
                Some(intake) => intake.run(std::future::pending()).await,
                None => std::future::pending().await,
            }
        };
        let servers = async {
            match &self.servers {
                Some(servers) => servers.run(std::future::pending()).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            ended = driving => ended,
            () = taking_in => Ok(Ended::Told),
            () = servers => Ok(Ended::Told),
            () = self.close_expiring() => Ok(Ended::Told),
            () = self.tell_news() => Ok(Ended::Told),
            never = self.tell_traces() => match never {},
        }
    }
}
