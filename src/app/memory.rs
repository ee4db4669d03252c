//! Memory for nodes, over the store.

use crate::graph::{BoxFuture, InterruptId, NodeError, StepContext, ThreadId};
use crate::inbox::MemoryCause;
use crate::store::{NewLesson, Store, StoreError};
use crate::workflows::{Lesson, Memory, Profile};

/// The profiles of a data folder.
pub(super) struct StoreMemory(pub Store);

impl StoreMemory {
    fn newest(&self, namespace: &str) -> Result<Option<Profile>, NodeError> {
        let Some(newest) = self.0.memory().newest(namespace).map_err(NodeError::failed)? else {
            return Ok(None);
        };
        let pinned = self.0.memory().pins(namespace).map_err(NodeError::failed)?;
        Ok(Some(Profile { version: newest.version, text: newest.profile, pinned }))
    }
}

impl Memory for StoreMemory {
    fn read<'a>(&'a self, namespace: &'a str, preset: &'a str) -> BoxFuture<'a, Result<Profile, NodeError>> {
        Box::pin(async move {
            if let Some(newest) = self.newest(namespace)? {
                return Ok(newest);
            }
            let cause = MemoryCause { kind: "default".to_owned(), thread: None, interrupt: None };
            match self.0.memory().remember(namespace.to_owned(), 0, preset.to_owned(), cause).await {
                // Somebody else read it first: theirs counts.
                Ok(_) | Err(StoreError::Conflict(_)) => {}
                Err(error) => return Err(NodeError::failed(error)),
            }
            let newest = self.newest(namespace)?;
            newest.ok_or_else(|| NodeError::failed(format!("the memory `{namespace}` cannot be read")))
        })
    }

    fn learn<'a>(
        &'a self,
        step: &'a StepContext,
        lessons: Vec<Lesson>,
    ) -> BoxFuture<'a, Result<(), NodeError>> {
        Box::pin(async move {
            let mut kept = Vec::new();
            for lesson in lessons {
                let cause = serde_json::to_string(&lesson.cause).map_err(NodeError::failed)?;
                kept.push(NewLesson { namespace: lesson.namespace, cause, interrupt: lesson.interrupt });
            }
            let keeping = self.0.memory().keep_lessons(step.thread.clone(), step.number, kept);
            keeping.await.map_err(NodeError::failed)
        })
    }

    fn write<'a>(
        &'a self,
        namespace: &'a str,
        read: u64,
        text: String,
        cause: Option<(ThreadId, Option<InterruptId>)>,
    ) -> BoxFuture<'a, Result<Option<u64>, NodeError>> {
        Box::pin(async move {
            let (thread, interrupt) = cause.map_or((None, None), |(thread, answer)| (Some(thread), answer));
            let cause = MemoryCause { kind: "answer".to_owned(), thread, interrupt };
            match self.0.memory().remember(namespace.to_owned(), read, text, cause).await {
                Ok(version) => Ok(Some(version)),
                Err(StoreError::Conflict(_)) => Ok(None),
                Err(error) => Err(NodeError::failed(error)),
            }
        })
    }
}
