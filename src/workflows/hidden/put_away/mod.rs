//! `put_away`: moves a mail to the archive, trash, spam or another folder, or mutes its conversation, because the person
//! said so, and undoes it when they say so. Hidden: a key or a verb starts its threads, never a model.
//!
//! One thread per mail. It does one thing and ends with what it did as its output; words from the person undo it. What
//! the mailbox refuses is no trouble: whoever wants the move is told, and nothing has changed.

mod state;

use crate::agent::{Services, mailbox_error};
use crate::engine::graph::{
    Authorization, BoxFuture, BuildError, Command, Ctx, Effect, EffectError, EffectTrace, Graph, NodeError,
    Workflow, end,
};
use crate::inbox::{Block, Card, MOVING_WORKFLOW, PUT_AWAY, RowAnswer, RowChange, Spec, Words};
use crate::mail::{Destination, Mailbox, UndoToken};
use serde_json::{Value, json};
use std::sync::Arc;

pub use state::{PutAway, PutAwayMail, PutAwayRequest};
use state::{PutAwayUpdate, Step};

pub const NAME: &str = MOVING_WORKFLOW;

pub const WORDS: Words = &[("put_back", "putting mail back")];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(NAME, graph()?, services);
    let spec = Spec::new(workflow, "puts a mail away, and back", |_, _| Card::default());
    Ok(spec.hidden().without_results().without_expiry().with_trouble_subject(|state| {
        let Some(filed) = state.get::<PutAway>() else { return Vec::new() };
        let mail = &filed.mail;
        vec![Block::fields([("mail", &mail.subject), ("from", &mail.from), ("account", &mail.account)])]
    }))
}

fn graph() -> Result<Graph<PutAway, Services>, BuildError> {
    Graph::builder(NAME, "move_mail").node("move_mail", move_mail, [end()]).build()
}

async fn move_mail(ctx: Ctx<Services>, state: Arc<PutAway>) -> Result<Command<PutAway>, NodeError> {
    let Some(step) = state.next() else { return Ok(Command::end()) };
    let services = ctx.services();
    let PutAwayMail { account, identity, place, .. } = &state.mail;
    let Some(account) = services.accounts.get(account) else {
        return Err(NodeError::failed(format!("the config has no account {account} any more")));
    };
    let basis = Authorization::Grant { name: PUT_AWAY.to_owned() };
    let moved = match step {
        Step::Away(to) => {
            let place = services.records.place_of(identity)?.unwrap_or_else(|| place.clone());
            let frozen = json!({"place": place, "to": to}).to_string().into_bytes();
            let effect = Arc::new(Move { mailbox: account.mailbox.clone(), place, to: to.clone() });
            let name = format!("put_away:{}", state.steps);
            ctx.once(&name, basis, frozen, effect).await.map(|outcome| {
                let way = outcome.get("way").and_then(Value::as_str).unwrap_or_default();
                PutAwayUpdate::WentAway { way: way.to_owned() }
            })
        }
        Step::Back(way) => {
            let frozen = way.0.clone().into_bytes();
            let effect = Arc::new(MoveBack { mailbox: account.mailbox.clone(), way });
            let moved = ctx.once(&format!("put_back:{}", state.steps), basis, frozen, effect).await;
            moved.map(|_| PutAwayUpdate::CameBack)
        }
        Step::Mute(_) | Step::Unmute(_) if !services.records.is_builtin_on(PUT_AWAY)? => Err(
            NodeError::failed(format!("{PUT_AWAY} is off; `sayso grants restore {PUT_AWAY}` switches it on")),
        ),
        Step::Mute(key) => {
            services.records.change_row(key.clone(), RowChange::Set { answer: RowAnswer::Skip }).await?;
            Ok(PutAwayUpdate::WentAway { way: key.to_string() })
        }
        Step::Unmute(key) => {
            // The person may have said something else about it since.
            let muted = services.records.row(&key)?.is_some_and(|row| row.answer == RowAnswer::Skip);
            if muted {
                services.records.change_row(key, RowChange::Deleted).await?;
            }
            Ok(PutAwayUpdate::CameBack)
        }
    };
    let update = match moved {
        Err(NodeError::Failed { text }) => PutAwayUpdate::Refused { why: text },
        moved => moved?,
    };
    Ok(Command::end().update(update))
}

/// Puts a mail away. The frozen bytes say which mail and where to.
struct Move {
    mailbox: Arc<dyn Mailbox>,
    place: String,
    to: Destination,
}

impl Effect for Move {
    fn perform<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(async move {
            let moved = self.mailbox.put_away(&self.place, &self.to).await;
            moved.map(|way| json!({ "way": way.0 })).map_err(mailbox_error)
        })
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        // Doing it twice is harmless.
        Box::pin(async { EffectTrace::NotDone })
    }
}

/// Puts a mail back. The frozen bytes say how.
struct MoveBack {
    mailbox: Arc<dyn Mailbox>,
    way: UndoToken,
}

impl Effect for MoveBack {
    fn perform<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, Result<Value, EffectError>> {
        Box::pin(
            async move { self.mailbox.put_back(&self.way).await.map(|()| json!({})).map_err(mailbox_error) },
        )
    }

    fn find<'a>(&'a self, _: &'a [u8]) -> BoxFuture<'a, EffectTrace> {
        Box::pin(async { EffectTrace::NotDone })
    }
}
