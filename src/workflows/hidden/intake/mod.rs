//! `intake`: questions for the person from mail intake and from the driver. Hidden: nobody starts its threads by hand.
//!
//! It asks one question and ends with the answer as its output; the starter acts on it. The workflow itself reads and
//! does nothing.

mod card;
mod state;

use crate::agent::Services;
use crate::engine::graph::{
    Allow, BuildError, Command, Ctx, Graph, Interrupt, Kind, Labels, NodeError, Workflow, ask, end,
};
use crate::inbox::{ABSENT_ACTION, ASKING_WORKFLOW, Spec, Words, proposal};
use crate::text::Visible;
use serde_json::json;
use std::sync::Arc;

pub use state::{IntakeAnswer, IntakeQuestion, IntakeState};

pub const NAME: &str = ASKING_WORKFLOW;

pub const WORDS: Words = &[("first_sync", "a first look at your mail")];

/// The workflow with its services.
pub fn spec(services: Arc<Services>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(NAME, graph()?, services);
    Ok(Spec::new(workflow, "asks what mail to take in, and says what is out of reach", card::draw)
        .explaining(card::explain)
        .hidden()
        .without_results()
        .without_expiry())
}

fn graph() -> Result<Graph<IntakeState, Services>, BuildError> {
    Graph::builder(NAME, "ask_first")
        .node("ask_first", ask_first, [ask("answered"), end()])
        .node("answered", answered, [end()])
        .build()
}

async fn ask_first(_: Ctx<Services>, state: Arc<IntakeState>) -> Result<Command<IntakeState>, NodeError> {
    // It was settled before anybody was asked.
    if state.answer.is_some() {
        return Ok(Command::end());
    }
    let interrupt = match &state.asked {
        IntakeQuestion::FirstSync { account, mails, oldest, about_cost } => {
            first_sync(account, *mails, oldest, about_cost)
        }
        IntakeQuestion::Unreadable { account, place, error, bytes, .. } => {
            unreadable(account, place, error, *bytes)
        }
        IntakeQuestion::Login { account, why } => login(account, why),
        IntakeQuestion::Absent { server, why } => absent(server, why),
    };
    Ok(Command::ask(vec![interrupt], "answered"))
}

async fn answered(_: Ctx<Services>, _: Arc<IntakeState>) -> Result<Command<IntakeState>, NodeError> {
    Ok(Command::end())
}

fn first_sync(account: &str, mails: u64, oldest: &str, about_cost: &str) -> Interrupt {
    let args = json!({"account": account, "mails": mails, "oldest": oldest, "about_cost": about_cost});
    let title = format!("Take in {mails} mails from {account}?");
    let mut interrupt = proposal("first_sync", Kind::Approval, "first_sync", &args, &title);
    interrupt.gist =
        Visible::line(&format!("This is the first look at {account}. Cost: {about_cost}.")).into_string();
    interrupt.source = Some(Visible::line(account).into_string());
    interrupt.allow = Allow { respond: false, ..Allow::ALL };
    interrupt.labels = Labels {
        edit: Some("take in the newest".to_owned()),
        ..Labels::new("take them in", "", "leave them")
    };
    interrupt.schema = json!({
        "type": "object",
        "properties": {
            "account": {"const": interrupt.args["account"]},
            "mails": {"type": "integer", "minimum": 0, "maximum": mails, "description": "only this many of the newest"},
            "oldest": {"const": interrupt.args["oldest"]},
            "about_cost": {"const": interrupt.args["about_cost"]}
        },
        "required": ["account", "mails", "oldest", "about_cost"],
        "additionalProperties": false
    });
    interrupt
}

fn unreadable(account: &str, place: &str, error: &str, bytes: u64) -> Interrupt {
    let args = json!({"account": account, "place": place, "bytes": bytes});
    let title = format!("A mail in {account} cannot be read");
    let mut interrupt = proposal("unreadable_mail", Kind::Trouble, "unreadable_mail", &args, &title);
    interrupt.gist = Visible::line(error).into_string();
    interrupt.source = Some(Visible::line(account).into_string());
    interrupt.allow = Allow { edit: false, respond: false, ..Allow::ALL };
    interrupt.labels = Labels::new("try again", "", "leave it");
    interrupt
}

/// It cannot be dismissed: it stays in the inbox until the login works again, then goes away by itself.
fn login(account: &str, why: &str) -> Interrupt {
    let args = json!({ "account": account });
    let title = format!("Log in again for {account}");
    let mut interrupt = proposal("login", Kind::Trouble, "login", &args, &title);
    interrupt.gist = Visible::line(why).into_string();
    interrupt.source = Some(Visible::line(account).into_string());
    interrupt.allow = Allow { accept: true, ..Allow::default() };
    interrupt.labels = Labels::new("try again", "", "");
    interrupt
}

/// It goes away by itself, like a login.
fn absent(server: &str, why: &str) -> Interrupt {
    let args = json!({ "server": server });
    let title = format!("The model at {server} cannot be reached");
    let mut interrupt = proposal(ABSENT_ACTION, Kind::Trouble, ABSENT_ACTION, &args, &title);
    interrupt.gist = Visible::line(why).into_string();
    interrupt.source = Some(Visible::line(server).into_string());
    interrupt.allow = Allow { accept: true, ..Allow::default() };
    interrupt.labels = Labels::new("try now", "", "");
    interrupt
}
