//! What is asked, and all that is said about it on its card and in the lists.

use crate::engine::graph::{Allow, Interrupt, Kind, Labels};
use crate::inbox::{ABSENT_ACTION, Block, proposal};
use crate::text::Visible;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What is asked.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum IntakeQuestion {
    /// How much of what the first look at a mailbox found is taken in.
    FirstSync {
        /// The account.
        account: String,
        /// How many there are.
        mails: u64,
        /// When the oldest of them came.
        oldest: String,
        /// What handling them costs, in words.
        about_cost: String,
    },
    /// What to do with a mail that cannot be read.
    Unreadable {
        /// The account.
        account: String,
        /// Where the mailbox keeps it.
        place: String,
        /// The digest of its bytes, in hexadecimal.
        raw: String,
        /// How many there are of them.
        bytes: u64,
        /// Why it cannot be read.
        error: String,
    },
    /// That a mailbox does not let anybody in until the person has logged in again.
    Login {
        /// The account.
        account: String,
        /// Why, and what to do.
        why: String,
    },
    /// That a model server cannot be reached.
    Absent {
        /// Its address.
        server: String,
        /// Why, and what to do.
        why: String,
    },
}

impl Default for IntakeQuestion {
    fn default() -> Self {
        Self::FirstSync { account: String::new(), mails: 0, oldest: String::new(), about_cost: String::new() }
    }
}

/// A question in words.
pub(super) struct Asked {
    /// The title of its thread.
    pub thread_title: String,
    pub interrupt: Interrupt,
    /// Why we ask.
    pub why: &'static str,
    pub card: Vec<Block>,
}

impl Asked {
    pub fn of(question: &IntakeQuestion) -> Self {
        match question {
            IntakeQuestion::FirstSync { account, mails, oldest, about_cost } => {
                let args =
                    json!({"account": account, "mails": mails, "oldest": oldest, "about_cost": about_cost});
                let title = format!("Take in {mails} mails from {account}?");
                let gist = format!("This is the first look at {account}. Cost: {about_cost}.");
                let mut interrupt = ask(("first_sync", Kind::Approval), &args, &title, &gist, account);
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
                Self {
                    thread_title: format!("The first look at {account}"),
                    interrupt,
                    why: "The first look found more mail than sayso takes in without asking, or the cost is unknown \
                          ([intake]).",
                    card: vec![
                        Block::text(
                            "This is the first look at this mailbox. Mail that comes later is taken in as it comes; \
                             whatever you leave now stays in the mailbox and is not touched.",
                        ),
                        Block::fields([
                            ("account", account),
                            ("mails", &mails.to_string()),
                            ("oldest", oldest),
                            ("cost", about_cost),
                        ]),
                    ],
                }
            }
            IntakeQuestion::Unreadable { account, place, bytes, error, .. } => {
                let args = json!({"account": account, "place": place, "bytes": bytes});
                let title = format!("A mail in {account} cannot be read");
                let mut interrupt = ask(("unreadable_mail", Kind::Trouble), &args, &title, error, account);
                // Only what came is read again; the mailbox is not asked for it once more.
                let came = *bytes > 0;
                interrupt.allow = Allow { accept: came, edit: false, respond: false, ..Allow::ALL };
                interrupt.labels = Labels::new("try again", "", "leave it");
                let kept = if came { "What came of it is kept." } else { "The mailbox gave nothing of it." };
                Self {
                    thread_title: format!("A mail of {account} that cannot be read"),
                    interrupt,
                    why: "A mail that cannot be read is never skipped: it waits for you.",
                    card: vec![
                        Block::text(error),
                        Block::text(&format!("{kept} Open the mail in another mail program, or leave it.")),
                        Block::fields([
                            ("account", account),
                            ("place", place),
                            ("bytes", &bytes.to_string()),
                        ]),
                    ],
                }
            }
            IntakeQuestion::Login { account, why } => {
                let (args, title) = (json!({ "account": account }), format!("Log in again for {account}"));
                Self {
                    thread_title: format!("The login of {account}"),
                    interrupt: tell(("login", "try again"), &args, &title, why, account),
                    why: "This mailbox refused the login, and only you can fix that.",
                    card: vec![
                        Block::text(why),
                        Block::text(
                            "Until then no mail comes in for this account, and none is lost. This card goes away by \
                             itself once the login works; accept to try again now, or snooze it.",
                        ),
                        Block::fields([("account", account)]),
                    ],
                }
            }
            IntakeQuestion::Absent { server, why } => {
                let args = json!({ "server": server });
                let title = format!("The model at {server} cannot be reached");
                Self {
                    thread_title: format!("The model at {server}"),
                    interrupt: tell((ABSENT_ACTION, "try now"), &args, &title, why, server),
                    why: "Threads need this model, and it was tried several times without an answer.",
                    card: vec![
                        Block::text(why),
                        Block::text(
                            "Threads that need it wait, and nothing is lost. sayso retries them at least every two \
                             minutes; this card goes away once one succeeds. Accept to try now, snooze it, or take the \
                             model's place in one of the threads.",
                        ),
                        Block::fields([("server", server)]),
                    ],
                }
            }
        }
    }
}

fn ask((action, kind): (&str, Kind), args: &Value, title: &str, gist: &str, source: &str) -> Interrupt {
    let mut interrupt = proposal(action, kind, action, args, title);
    interrupt.gist = Visible::line(gist).into_string();
    interrupt.source = Some(Visible::line(source).into_string());
    interrupt
}

/// A question that cannot be dismissed: it goes away by itself once what it tells of is over.
fn tell((action, accept): (&str, &str), args: &Value, title: &str, gist: &str, source: &str) -> Interrupt {
    let mut interrupt = ask((action, Kind::Trouble), args, title, gist, source);
    interrupt.allow = Allow { accept: true, ..Allow::default() };
    interrupt.labels = Labels::new(accept, "", "");
    interrupt
}
