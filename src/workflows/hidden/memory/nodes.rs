//! The nodes of `memory`.

use super::state::{Learning, LearningUpdate};
use super::{prompts, reasons};
use crate::agent::lesson::{MemoryFacts, MemoryUpdate};
use crate::agent::llm::OutputSchema;
use crate::agent::mail_facts::User;
use crate::agent::{Services, ask_structured, pick_model_of, pick_only};
use crate::engine::graph::{Allow, Command, Ctx, InterruptId, Kind, Labels, NodeError, ThreadId};
use crate::inbox::{Tone, changed_lines, proposal};
use crate::text::{Visible, truncate};
use crate::workflows::email::defaults;
use serde_json::json;
use std::sync::Arc;

type NodeResult = Result<Command<Learning>, NodeError>;

/// How often another writer may get in first before we tell a person.
const TRIES: u32 = 5;

/// Reads the profile, asks the model, and stores its update unless that needs the person's approval.
pub(super) async fn propose_update(ctx: Ctx<Services>, state: Arc<Learning>) -> NodeResult {
    if state.tries > TRIES {
        return Err(NodeError::failed("the profile kept changing; retry when nothing else is writing to it"));
    }
    let services = ctx.services();
    let preset = defaults::preset(&state.namespace);
    let profile = ctx.call("read", services.records.profile(&state.namespace, preset)).await?;
    let facts = facts(services, &state, profile.text.clone(), profile.pinned.clone());
    let model = match only_model(&state) {
        Some(Some(name)) => pick_only(&ctx, name).await?,
        Some(None) => pick_model_of(&ctx, "email", "memory", None).await?,
        None => {
            let outcome = "unchanged".to_owned();
            return Ok(Command::end().update(LearningUpdate::Ended { written: None, outcome }));
        }
    };
    let output = OutputSchema::of::<MemoryUpdate>();
    let update: MemoryUpdate =
        ask_structured(&ctx, "memory", &model, &prompts::request(&facts), output).await?.value;
    let proposed = with_final_newline(&update.profile);
    let reasoning = update.reasoning;
    let proposed_update = LearningUpdate::Proposed {
        read: profile.version,
        profile: profile.text.clone(),
        pinned: profile.pinned.clone(),
        proposed: proposed.clone(),
        reasoning,
    };
    let is_unchanged = proposed.trim() == profile.text.trim();
    if !is_unchanged && !reasons::reasons_to_ask(&facts, &proposed).is_empty() {
        return Ok(Command::goto("hold_update").update(proposed_update));
    }
    let version = if is_unchanged {
        Some(profile.version)
    } else {
        write(&ctx, &state, profile.version, proposed.clone()).await?
    };
    let Some(version) = version else {
        return Ok(Command::goto("propose_update").update(LearningUpdate::Again));
    };
    let ended = if is_unchanged {
        LearningUpdate::Ended { written: None, outcome: "unchanged".to_owned() }
    } else {
        learned(version)
    };
    Ok(Command::end().update(proposed_update).update(ended))
}

/// The only model that may read what happened; `None` if there is no such one: two models may each read a part.
fn only_model(state: &Learning) -> Option<Option<&str>> {
    let mut names = state.causes.iter().filter_map(|cause| cause.only.as_deref());
    let first = names.next();
    names.all(|other| Some(other) == first).then_some(first)
}

/// Asks the person about an update.
pub(super) async fn hold_update(ctx: Ctx<Services>, state: Arc<Learning>) -> NodeResult {
    let facts = facts(ctx.services(), &state, state.profile.clone(), state.pinned.clone());
    let args = json!({ "namespace": state.namespace, "profile": state.proposed });
    let title = format!("Change your {}?", defaults::describe(&state.namespace));
    let mut interrupt = proposal("update", Kind::Approval, "update_memory", &args, &title);
    interrupt.schema = json!({
        "type": "object",
        "properties": {
            "namespace": {"type": "string", "const": state.namespace},
            "profile": {"type": "string", "minLength": 1},
        },
        "required": ["namespace", "profile"],
        "additionalProperties": false,
    });
    interrupt.allow = Allow { respond: false, ..Allow::ALL };
    interrupt.labels = Labels::new("learn it", "", "keep it as it is");
    interrupt.gist = gist(&state);
    interrupt.source = Some("memory".to_owned());
    interrupt.warnings = reasons::reasons_to_ask(&facts, &state.proposed);
    Ok(Command::ask(vec![interrupt], "store_update"))
}

/// The first changed line. The model's own description of its update is not to be trusted.
fn gist(state: &Learning) -> String {
    let lines = changed_lines(&state.profile, &state.proposed);
    let first_line = |tone: Tone, mark: &str| {
        let line = lines.iter().find(|line| line.tone == tone && !line.text.as_str().trim().is_empty())?;
        let text = line.text.as_str().trim_start_matches(['-', ' ']);
        Some(truncate(&format!("{mark} {text}"), 160).into_owned())
    };
    first_line(Tone::Added, "+").or_else(|| first_line(Tone::Removed, "−")).unwrap_or_default()
}

/// The facts we make and judge an update by.
fn facts(services: &Services, state: &Learning, profile: String, pinned: Vec<String>) -> MemoryFacts {
    let addresses = services.accounts.first().map(|account| account.addresses).unwrap_or_default();
    MemoryFacts {
        namespace: state.namespace.clone(),
        profile,
        pinned,
        user: User {
            name: services.user.name.clone(),
            addresses,
            background: services.user.background.clone(),
        },
        causes: state.causes.clone(),
    }
}

/// Stores what the person decided, based on the version they were shown.
pub(super) async fn store_update(ctx: Ctx<Services>, state: Arc<Learning>) -> NodeResult {
    let Some(Some(text)) = state.decided.clone() else {
        let outcome = "refused".to_owned();
        return Ok(Command::end().update(LearningUpdate::Ended { written: None, outcome }));
    };
    Ok(match write(&ctx, &state, state.read, text).await? {
        Some(version) => Command::end().update(learned(version)),
        // The profile is no longer what they were shown: propose again, and ask again if needed.
        None => Command::goto("propose_update").update(LearningUpdate::Again),
    })
}

/// Writes the version after `read`; `None` if somebody else was first.
async fn write(
    ctx: &Ctx<Services>,
    state: &Learning,
    read: u64,
    text: String,
) -> Result<Option<u64>, NodeError> {
    let records = &ctx.services().records;
    let thread = state.thread.as_deref().and_then(|id| ThreadId::parse(id).ok());
    let interrupt = state.interrupt.as_deref().and_then(|id| InterruptId::parse(id).ok());
    let cause = thread.map(|thread| (thread, interrupt));
    if let Some(version) = records.write_profile(&state.namespace, read, text.clone(), cause).await? {
        return Ok(Some(version));
    }
    // Before a crash this may have been us.
    let current = records.profile(&state.namespace, defaults::preset(&state.namespace)).await?;
    Ok((current.version == read + 1 && current.text == text).then_some(current.version))
}

fn learned(version: u64) -> LearningUpdate {
    LearningUpdate::Ended { written: Some(version), outcome: "learned".to_owned() }
}

/// The text, ending in a line break.
fn with_final_newline(profile: &str) -> String {
    let text = Visible::new(profile).into_string();
    format!("{}\n", text.trim_end())
}
