//! An inbox together with its background work.

use super::background::Background;
use super::features::{FEATURES, Parts};
use super::intake::Intake;
use super::setup::Setup;
use crate::engine::driver::{Driver, Ended, Engine, Scope, Until};
use crate::engine::graph::BoxFuture;
use crate::engine::store::StoreError;
use crate::inbox::Registry;
use crate::inbox::door::Inbox;
use futures_util::future::{join_all, select_all};
use std::sync::Arc;

/// The inbox of a data folder, with its background work. Cloning it is cheap.
#[derive(Clone)]
pub struct App {
    inbox: Inbox,
    intake: Option<Intake>,
    background: Vec<Arc<dyn Background>>,
}

impl App {
    /// An inbox without background work.
    pub fn new(inbox: Inbox) -> Self {
        Self { inbox, intake: None, background: Vec::new() }
    }

    /// An inbox with everything the config asks for.
    pub fn open(setup: &Setup, registry: Registry) -> Self {
        let inbox = setup.inbox(setup.engine(registry));
        let intake = Some(setup.intake(inbox.engine())).filter(|intake| !intake.accounts().is_empty());
        let parts = Parts { setup, inbox: &inbox, intake: intake.as_ref() };
        let background = FEATURES.iter().filter_map(|feature| (feature.background)(&parts)).collect();
        Self { inbox, intake, background }
    }

    /// Adds background work.
    pub fn with(mut self, background: Arc<dyn Background>) -> Self {
        self.background.push(background);
        self
    }

    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    pub fn engine(&self) -> &Engine {
        self.inbox.engine()
    }

    /// `None` if the config names no account.
    pub fn intake(&self) -> Option<&Intake> {
        self.intake.as_ref()
    }

    /// Drives every thread and runs all background work until told to stop.
    pub async fn drive(
        &self,
        driver: &mut Driver,
        stop: impl Future<Output = ()>,
    ) -> Result<Ended, StoreError> {
        let tasks = self.background.iter().map(|task| task.run());
        let ended = tokio::select! {
            ended = driver.run(&Scope::All, Until::Stopped, stop) => ended,
            () = first(tasks.collect()) => Ok(Ended::Stopped),
        };
        join_all(self.background.iter().map(|task| task.finish())).await;
        ended
    }

    /// Drives single threads, with the background work that belongs to all driving.
    pub async fn run_with_background<T>(&self, driving: impl Future<Output = T>) -> T {
        let tasks: Vec<_> = self.background.iter().filter(|task| task.runs_beside_single_threads()).collect();
        let running = async {
            join_all(tasks.iter().map(|task| task.run())).await;
            std::future::pending().await
        };
        let done = tokio::select! {
            done = driving => done,
            never = running => never,
        };
        join_all(tasks.iter().map(|task| task.finish())).await;
        done
    }
}

/// Waits until the first task ends; for ever if there is none.
async fn first(tasks: Vec<BoxFuture<'_, ()>>) {
    if tasks.is_empty() {
        return std::future::pending().await;
    }
    select_all(tasks).await;
}
