//! A mirrored thread as its server has it now.

use super::{Servers, with_timeout};
use crate::agents::langgraph::state;
use crate::graph::ThreadId;
use crate::inbox::InboxError;
use crate::text::Visible;
use serde_json::{Value, json};

impl Servers {
    /// The server's state of a mirrored thread; `None` if the thread is no mirror.
    pub(super) async fn read_state(&self, id: &ThreadId) -> Result<Option<Value>, InboxError> {
        let Some((remote, mirror)) = self.mirror(id)? else { return Ok(None) };
        let thread = &mirror.of.thread;
        Ok(Some(match with_timeout(remote.thread(thread)).await {
            Ok(Some(thread)) => state(remote.name(), &thread),
            Ok(None) => json!({"server": remote.name(), "thread": thread, "status": "gone"}),
            Err(fault) => json!({
                "server": remote.name(), "thread": thread, "status": mirror.status,
                "away": Visible::line(&fault.to_string()), "values": Visible::json(&mirror.values),
            }),
        }))
    }
}
