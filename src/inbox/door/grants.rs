//! What may be done without asking.

use super::Inbox;
use crate::config::{Policy, Reach};
use crate::engine::graph::InterruptId;
use crate::inbox::{
    DecidedBy, DecisionEnd, DecisionLine, DecisionQuery, GrantLine, GrantRequest, InboxError, POLICY_GRANT,
    Weighed,
};

/// How many of a grant's answers are taken back before it is proposed to end it.
const OFTEN: usize = 2;

/// How many of the newest decisions are looked through for that.
const MAX_DECISIONS: usize = 500;

/// What may be done without asking.
#[derive(Clone, Copy)]
pub struct Grants<'a>(pub(super) &'a Inbox);

impl Grants<'_> {
    /// Everything that may be done without asking: built in, from the config, and given by the person, newest last.
    pub async fn list(self) -> Result<Vec<GrantLine>, InboxError> {
        let read = |inbox: &Inbox| {
            let mut lines = inbox.store().grants().list()?;
            let first_given = lines.iter().position(|line| !line.builtin).unwrap_or(lines.len());
            let policies = inbox.engine.settings().policies.iter();
            lines.splice(first_given..first_given, policies.map(|(tool, policy)| policy_line(tool, policy)));
            Ok(lines)
        };
        self.0.blocking(read).await
    }

    /// Gives a grant that a card offers ([`crate::inbox::Question::grantable`]). The card must be open or accepted.
    pub async fn give(self, request: GrantRequest) -> Result<GrantLine, InboxError> {
        self.0.store().grants().give(request).await
    }

    /// What a grant would have done with what people decided in the last months.
    pub async fn weigh(self, request: GrantRequest) -> Result<Weighed, InboxError> {
        self.0.blocking(move |inbox: &Inbox| inbox.store().inbox().weigh_grant(&request)).await
    }

    /// What is allowed already that adds up with this grant: one may write files, the other runs a command beside them.
    pub async fn adding_up(self, request: GrantRequest) -> Result<Vec<String>, InboxError> {
        self.0.blocking(move |inbox: &Inbox| inbox.store().grants().adding_up(&request)).await
    }

    /// The grant that gave one of these answers, and how many of its answers people have taken back by now; `None` if
    /// that is too few to say that it should go.
    pub async fn often_undone(
        self,
        undone: Vec<InterruptId>,
    ) -> Result<Option<(GrantLine, usize)>, InboxError> {
        let read = move |inbox: &Inbox| {
            let query = DecisionQuery { limit: MAX_DECISIONS, ..DecisionQuery::default() };
            let mut rows = inbox.store().inbox().decisions(&query)?.rows;
            rows.retain(|line| line.end == DecisionEnd::Undone);
            let by_grant = |line: &DecisionLine| match &line.by {
                Some(DecidedBy::Grant(id)) => Some(id.clone()),
                Some(_) | None => None,
            };
            let is_meant =
                |line: &&DecisionLine| line.interrupt.as_ref().is_some_and(|id| undone.contains(id));
            let Some(grant) = rows.iter().filter(is_meant).find_map(by_grant) else { return Ok(None) };
            let count = rows.iter().filter(|line| by_grant(line).as_ref() == Some(&grant)).count();
            let mut given = inbox.store().grants().list()?.into_iter();
            let given = given.find(|line| line.id == grant && line.in_force && !line.builtin);
            Ok(given.filter(|_| count >= OFTEN).map(|line| (line, count)))
        };
        self.0.blocking(read).await
    }

    /// Ends a grant, or switches a built-in one off. Answers it gave that were not acted on yet are asked again.
    pub async fn revoke(self, id: String) -> Result<GrantLine, InboxError> {
        self.0.store().grants().revoke(id).await
    }

    /// Switches a built-in grant on again.
    pub async fn restore(self, id: String) -> Result<GrantLine, InboxError> {
        self.0.store().grants().restore(id).await
    }
}

/// A policy as one line of the list of grants.
fn policy_line(tool: &str, policy: &Policy) -> GrantLine {
    let reach = policy.recipients.iter().map(|reach| match reach {
        Reach::Thread => "people in the conversation",
        Reach::OwnDomain => "people at your own domain",
    });
    let reach: Vec<&str> = reach.collect();
    let scope = if reach.is_empty() { "what reaches nobody".to_owned() } else { reach.join(" and ") };
    GrantLine {
        id: format!("{POLICY_GRANT}{tool}"),
        tool: tool.to_owned(),
        scope,
        thread: None,
        sender: None,
        origin: "config".to_owned(),
        builtin: false,
        created_at: None,
        expires_at: None,
        revoked_at: None,
        in_force: true,
        used: 0,
    }
}
