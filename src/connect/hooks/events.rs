//! What the event of an agent's hook means.

use crate::dialects::{Agent, Meaning};
use crate::text::Visible;
use serde_json::Value;

/// What this event of an agent means.
pub(super) fn meaning(agent: Agent, event: &Value) -> Result<Meaning, String> {
    let dialect = agent.dialect();
    let mut spellings = ["hook_event_name", "hookEventName", "event"].into_iter();
    let name = spellings.find_map(|name| event.get(name)?.as_str()).filter(|name| !name.trim().is_empty());
    let name = name.or(dialect.unnamed_event).ok_or("the event has no name (event)")?;
    if let Some((_, meaning)) = dialect.events().find(|(known, _)| *known == name) {
        return Ok(meaning);
    }
    let asking = dialect.events().filter(|(_, meaning)| matches!(meaning, Meaning::Asks(_)));
    let asking: Vec<&str> = asking.map(|(name, _)| name).collect();
    let name = Visible::line(name);
    Err(format!("sayso cannot decide on `{name}` events; register the hook for {}", asking.join(", ")))
}
