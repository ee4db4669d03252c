//! What people do to a server's threads: decide on their questions, and look at them.

use super::{PollError, Servers, with_timeout};
use crate::connect::langgraph::messages;
use crate::engine::graph::{InterruptId, ThreadId};
use crate::inbox::InboxError;
use crate::text::Visible;
use serde_json::{Value, json};

impl Servers {
    /// Checks that a decision on this interrupt can be sent: its server answers, and still asks exactly this.
    pub(super) async fn check_ready(&self, id: &InterruptId) -> Result<(), InboxError> {
        let stored = self.engine().store().inbox().item(id)?;
        if stored.engine || stored.item.closed.is_some() {
            return Ok(());
        }
        let server = stored.item.workflow.split('/').next().unwrap_or_default();
        if self.engine().registry().get(&stored.item.workflow).is_none() {
            let text =
                format!("the config has no server `{server}`, so nothing can be sent there; see [[server]]");
            return Err(InboxError::Conflict(text));
        }
        match with_timeout(self.settle_if_changed(&stored.item.thread)).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                let item = self.engine().store().inbox().item(id)?.item;
                let why = item.closed.unwrap_or_else(|| "it was settled on its server".to_owned());
                Err(InboxError::NotOpen { id: item.id.to_string(), why })
            }
            Err(PollError::Store(error)) => Err(error),
            Err(error) => Err(InboxError::Conflict(format!("{server}: {error}; nothing was decided"))),
        }
    }

    /// A mirrored thread as its server has it now; `None` if the thread is no mirror.
    pub(super) async fn read_state(&self, id: &ThreadId) -> Result<Option<Value>, InboxError> {
        let Some((remote, mirror)) = self.mirror(id)? else { return Ok(None) };
        let mut state =
            json!({"server": remote.name(), "thread": mirror.of.thread, "graph": mirror.of.graph});
        match with_timeout(remote.thread(&mirror.of.thread)).await {
            Ok(Some(thread)) => {
                let turns = messages::all(&thread.values).into_iter();
                let turns: Vec<Value> = turns.map(|(who, text)| json!({"who": who, "said": text})).collect();
                state["status"] = json!(thread.status);
                state["messages"] = json!(turns);
                state["values"] = thread.values;
            }
            Ok(None) => state["status"] = json!("gone"),
            Err(error) => state["away"] = json!(error.to_string()),
        }
        Ok(Some(Visible::json(&state)))
    }
}
