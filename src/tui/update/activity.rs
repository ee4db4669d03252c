//! The Activity tab: what is running.

use crate::graph::ThreadId;
use crate::inbox::{Status, ThreadLine};
use crate::tui::model::Model;
use crate::tui::msg::{Cmd, Told};

pub(super) fn running(model: &mut Model, told: Told<Vec<ThreadLine>>) -> Vec<Cmd> {
    match told {
        Ok(lines) => {
            let here = model.running.selected().map(|line| line.id.clone());
            let grant = model.selected_grant().map(|_| model.running.cursor - model.running.rows.len());
            let stays = lines.iter().position(|line| Some(&line.id) == here.as_ref());
            model.running.cursor = match (stays, grant) {
                (Some(position), _) => position,
                // The selection stays on its grant.
                (None, Some(grant)) => lines.len() + grant,
                (None, None) => model.running.cursor.min(lines.len().saturating_sub(1)),
            };
            let runs = |thread: &ThreadId| {
                lines.iter().any(|line| line.id == *thread && line.status == Status::Running)
            };
            model.working.retain(|thread, _| runs(thread));
            model.running.rows = lines;
            model.running.read = true;
        }
        Err(failure) => model.fail(failure.text),
    }
    Vec::new()
}
