//! The scope of a grant for a program's calls: which calls it covers, and how a list describes it.

use crate::engine::graph::{Act, ActPattern, AgentCall, Allowed};
use crate::engine::store::log::AgentScope;
use crate::inbox::allowed_words;
use std::time::Duration;

/// How long a grant lasts if the person does not say, unless it is for a thread.
pub const DEFAULT_DURATION: Duration = Duration::from_secs(3600);

/// The id of the first grant that helps cover the call, or the index of the first act that no grant covers. Each grant
/// covers acts that follow one another.
pub fn covering<'a>(
    grants: impl Iterator<Item = (&'a str, &'a str, &'a AgentScope)>,
    tool: &str,
    call: &AgentCall,
) -> Result<String, usize> {
    let grants: Vec<_> = grants.filter(|(_, of, scope)| fits(of, scope, tool, call)).collect();
    // Up to each act, the first grant that helps cover what comes before it, if all of that is covered.
    let mut covered: Vec<Option<usize>> = vec![None; call.acts.len() + 1];
    let mut end = 0;
    for at in 0..call.acts.len() {
        let before = covered[at];
        if at > 0 && before.is_none() {
            continue;
        }
        let rest: &[Act] = &call.acts[at..];
        for (n, (_, _, scope)) in grants.iter().enumerate() {
            if ActPattern::cover(&scope.acts, rest) {
                let to = at + scope.acts.len();
                let first = before.map_or(n, |first| first.min(n));
                covered[to] = Some(covered[to].map_or(first, |first_yet| first_yet.min(first)));
                end = end.max(to);
            }
        }
    }
    let first = covered.last().copied().flatten().filter(|_| !call.acts.is_empty()).ok_or(end)?;
    grants.get(first).map(|(id, ..)| (*id).to_owned()).ok_or(0)
}

/// Whether a grant with this scope, for the tool `of`, is for calls of this tool by whoever makes this call.
pub fn fits(of: &str, scope: &AgentScope, tool: &str, call: &AgentCall) -> bool {
    of == tool && scope.by == call.by && (scope.session.is_none() || scope.session == call.session)
}

/// The scope a person allows with a card, or why that is not possible.
pub fn agent_scope(call: &AgentCall, allowed: Allowed, session: bool) -> Result<AgentScope, &'static str> {
    if session && call.session.is_none() {
        return Err("belongs to no session");
    }
    let acts = call.patterns(allowed).ok_or("cannot be allowed this way")?;
    Ok(AgentScope { by: call.by.clone(), session: call.session.clone().filter(|_| session), acts })
}

/// Describes what is allowed.
pub fn describe(scope: &AgentScope) -> String {
    let session = scope.session.as_ref().map(|id| format!(", in session {id}")).unwrap_or_default();
    format!("{}, by {}{session}", allowed_words(&scope.acts), scope.by)
}
