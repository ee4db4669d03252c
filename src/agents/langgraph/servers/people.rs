//! What people do to a server's threads: decide, start, end.

use super::{PollError, Servers, inbox_error, key, poll, with_timeout};
use crate::agents::langgraph::{Assistant, MirrorInput, Remote};
use crate::graph::{Event, EventKind, InterruptId, ThreadId};
use crate::inbox::{InboxError, Status};
use crate::text::{nearest, truncate};
use serde_json::{Value, json};

impl Servers {
    /// Checks that a decision on this interrupt can be sent: its server answers, and still asks exactly this.
    pub(super) async fn check_ready(&self, id: &InterruptId) -> Result<(), InboxError> {
        let stored = self.engine().store().inbox().item(id)?;
        if stored.engine || stored.item.closed.is_some() {
            return Ok(());
        }
        let Some((remote, _)) = self.of(&stored.item.workflow) else {
            return self.check_configured(&stored.item.workflow);
        };
        let why = match with_timeout(self.settle_if_changed(&stored.item.thread)).await {
            Ok(true) => return Ok(()),
            Ok(false) => {
                let item = self.engine().store().inbox().item(id)?.item;
                let why = item.closed.unwrap_or_else(|| "it was settled on its server".to_owned());
                return Err(InboxError::NotOpen { id: item.id, why });
            }
            Err(PollError::Store(error)) => return Err(error.into()),
            Err(error) => error.to_string(),
        };
        let text = format!(
            "{} cannot be reached ({why}), so nothing was decided; decide again when it is back",
            remote.name()
        );
        Err(InboxError::Conflict(text))
    }

    /// A server's workflow must belong to a server of the config.
    fn check_configured(&self, workflow: &str) -> Result<(), InboxError> {
        if self.engine().registry().get(workflow).is_some() {
            return Ok(());
        }
        let server = workflow.split('/').next().unwrap_or_default();
        let text =
            format!("the config has no server `{server}`, so nothing can be sent there; see [[server]]");
        Err(InboxError::Conflict(text))
    }

    /// A graph's input schema, as far as its server tells; `None` if the workflow does not belong to a server.
    pub(super) async fn schema_of(&self, workflow: &str) -> Result<Option<Value>, InboxError> {
        let Some((remote, graph)) = self.of(workflow) else { return Ok(None) };
        let assistant = assistant(remote, graph).await?;
        let schema = with_timeout(remote.input_schema(&assistant.assistant_id))
            .await
            .map_err(|fault| inbox_error(remote, &fault))?;
        Ok(Some(schema.unwrap_or_else(|| json!({"type": "object", "additionalProperties": true}))))
    }

    /// Starts a thread that begins a run on a server; `None` if the workflow does not belong to a server.
    pub(super) async fn start_run(
        &self,
        workflow: &str,
        input: &Value,
    ) -> Result<Option<ThreadId>, InboxError> {
        let Some((remote, graph)) = self.of(workflow) else { return Ok(None) };
        let assistant = assistant(remote, graph).await?;
        let of = MirrorInput {
            server: remote.name().to_owned(),
            graph: poll::graph_word(&assistant.graph_id),
            thread: uuid()
                .map_err(|error| InboxError::Failed(format!("no random id can be had: {error}")))?,
            assistant: assistant.assistant_id,
            title: title(graph, input),
            input: Some(input.to_string()),
        };
        self.put_in(&of).await.map(Some)
    }

    /// Ends a server's thread there; `None` if it is not a server's thread, or if it has to be stopped here.
    pub(super) async fn end_thread(&self, thread: &ThreadId) -> Result<Option<ThreadId>, InboxError> {
        let line = self.engine().store().threads().line(thread)?;
        let Some((remote, _)) = self.of(&line.workflow) else { return Ok(None) };
        with_timeout(remote.info()).await.map_err(|fault| inbox_error(remote, &fault))?;
        if matches!(line.status, Status::Ready | Status::Running | Status::Joining | Status::Trouble) {
            // An active thread, or one in trouble, is stopped like any other thread.
            return Ok(None);
        }
        let what = EventKind::Corrected { payload: json!({"end": true}) };
        let delivered = self.deliver(&line.id, &Event { id: format!("end:{}", line.steps), what }).await;
        delivered.map_err(|error| InboxError::Failed(error.to_string()))?;
        Ok(Some(line.id))
    }

    async fn put_in(&self, of: &MirrorInput) -> Result<ThreadId, InboxError> {
        let new = self
            .new_mirror(of, &key(&of.server, &of.thread))
            .map_err(|error| InboxError::Failed(error.to_string()))?;
        let engine = self.engine();
        engine.store().threads().start_for_person(new, engine.step_limit()).await.map_err(InboxError::from)
    }
}

/// Finds an assistant by its graph, name or id.
async fn assistant(remote: &Remote, word: &str) -> Result<Assistant, InboxError> {
    let all = with_timeout(remote.assistants()).await.map_err(|fault| inbox_error(remote, &fault))?;
    let is_named =
        |assistant: &&Assistant| assistant.assistant_id == word || assistant.name.as_deref() == Some(word);
    let assistant =
        all.iter().find(is_named).or_else(|| all.iter().find(|assistant| assistant.graph_id == word));
    if let Some(assistant) = assistant {
        return Ok(assistant.clone());
    }
    let mut graphs: Vec<&str> = all.iter().map(|assistant| assistant.graph_id.as_str()).collect();
    graphs.sort_unstable();
    graphs.dedup();
    let hint = match nearest(word, graphs.iter().copied()) {
        Some(near) => format!("did you mean `{}/{near}`?", remote.name()),
        None => format!("{} has {}", remote.name(), crate::text::Visible::line(&graphs.join(", "))),
    };
    Err(InboxError::NotFound { what: "graph", id: word.to_owned(), hint })
}

/// A random id in the servers' format.
fn uuid() -> Result<String, getrandom::Error> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = crate::text::hex(&bytes);
    Ok(format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]))
}

/// A run's title: the first text in its input.
fn title(graph: &str, input: &Value) -> String {
    let words = input.as_object().into_iter().flatten().find_map(|(_, value)| value.as_str());
    match words {
        Some(words) => truncate(&format!("{graph}: {words}"), 80).into_owned(),
        None => String::new(),
    }
}
