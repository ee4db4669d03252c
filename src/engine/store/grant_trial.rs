//! What a card's grant would be for, and what it would have covered, before it is given.

use crate::engine::graph::{Interrupt, ThreadId, Warning};
use crate::engine::store::StoreError;
use crate::engine::store::grant_scope::{agent_scope, covering};
use crate::engine::store::log::{AgentScope, Asked, Scope};
use crate::engine::store::record::questions::question_of;
use crate::engine::store::rows::{InterruptRow, ThreadRow};
use crate::inbox::{GrantRequest, GrantScope};
use rusqlite::Connection;

/// What a card's grant would be for, and its tool, or why it allows nothing.
pub fn wished(
    asked: &Asked,
    thread: &ThreadId,
    request: &GrantRequest,
) -> Result<(String, Scope), &'static str> {
    if Warning::need_confirmation(&asked.interrupt.warnings) {
        return Err("has a warning; such a card is decided on its own and allows nothing else");
    }
    let Interrupt { grantable: offered, action, .. } = &asked.interrupt;
    let scope = match &request.scope {
        GrantScope::Thread if offered.thread => Scope::Thread(thread.clone()),
        GrantScope::Thread => return Err("cannot be allowed for its thread"),
        GrantScope::Sender => {
            let sender = offered.sender.as_ref().ok_or("cannot be allowed for a sender")?;
            Scope::Sender(sender.to_lowercase())
        }
        GrantScope::Call(allowed) => {
            let call = offered.call.as_ref().ok_or("cannot be allowed this way")?;
            Scope::Agent(agent_scope(call, allowed.clone(), request.session)?)
        }
    };
    Ok((action.clone(), scope))
}

/// What a grant would cover before it is given. Only to show: what a grant really covers is read from the log.
pub struct Trial {
    tool: String,
    scope: Scope,
}

impl Trial {
    pub fn of(db: &Connection, request: &GrantRequest) -> Result<Self, StoreError> {
        let interrupt = InterruptRow::find(db, &request.interrupt)?;
        let asked = question_of(db, &interrupt)?.asked;
        let thread = ThreadRow::by_seq(db, interrupt.thread)?;
        let (tool, scope) = wished(&asked, &thread.id, request)
            .map_err(|why| StoreError::Conflict(format!("`{}` {why}", interrupt.id)))?;
        Ok(Self { tool, scope })
    }

    /// Whether it and a grant with this scope may allow more than each alone.
    pub fn adds_up(&self, other: &AgentScope) -> bool {
        let Scope::Agent(scope) = &self.scope else { return false };
        scope.acts.iter().any(|act| other.acts.iter().any(|other| act.add_up(other)))
    }

    /// Whether it would have answered this question of this thread.
    pub fn would_cover(&self, asked: &Asked, thread: &ThreadId) -> bool {
        if Warning::need_confirmation(&asked.interrupt.warnings) {
            return false;
        }
        let Interrupt { action, grantable, .. } = &asked.interrupt;
        match (&self.scope, &grantable.call) {
            (Scope::Agent(scope), Some(call)) => {
                covering(std::iter::once(("", self.tool.as_str(), scope)), action, call).is_ok()
            }
            (Scope::Agent(_), None) => false,
            (Scope::Thread(_) | Scope::Sender(_) | Scope::Builtin, _) => {
                reaches(&self.scope, &self.tool, asked, thread)
            }
        }
    }
}

/// Whether a grant with this scope covers this question of this thread. Only for thread and sender grants.
pub fn reaches(scope: &Scope, tool: &str, asked: &Asked, thread: &ThreadId) -> bool {
    let sender = asked.interrupt.grantable.sender.as_ref();
    let reaches = match scope {
        Scope::Thread(only) => only == thread,
        Scope::Sender(only) => sender.is_some_and(|sender| sender.eq_ignore_ascii_case(only)),
        Scope::Builtin | Scope::Agent(_) => false,
    };
    reaches && tool == asked.interrupt.action
}
