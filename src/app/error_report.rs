//! What goes wrong and how often, over all workflows: trouble, model calls that failed, and what threads remember to
//! have gone wrong and mended themselves.

use super::Local;
use crate::inbox::{ErrorLine, Occurred, by_frequency};
use crate::store::StoreError;

/// How many threads of a workflow are asked what they remember.
const ASKED: usize = 100;

impl Local {
    pub(super) fn read_errors(&self) -> Result<Vec<ErrorLine>, StoreError> {
        let engine = self.engine();
        let mut occurred = engine.store().figures().occurred()?;
        for spec in engine.registry().iter().filter(|spec| spec.remembers_errors()) {
            let workflow = spec.workflow.name();
            for (thread, at) in engine.store().figures().newest(workflow, ASKED)? {
                let state = match engine.state_at(&thread, None) {
                    Ok(Some(state)) => state,
                    // One thread that cannot be read takes nothing from the others; `doctor` names it.
                    Ok(None) | Err(StoreError::Damaged(_) | StoreError::Conflict(_)) => continue,
                    Err(error) => return Err(error),
                };
                let remembered = spec.errors(&state).into_iter();
                occurred.extend(remembered.map(|(node, text)| Occurred {
                    workflow: workflow.to_owned(),
                    node,
                    text,
                    at,
                }));
            }
        }
        Ok(by_frequency(occurred))
    }
}
