//! Everything put together: threads that drive themselves over one store.
//!
//! [`Engine`] takes a thread one node further and commits what came of it. [`Worker`] does so for every thread
//! that can go on, as the one driver of a data folder. [`Local`] is the door for people: the local
//! [`crate::inbox::Backend`]. Whoever is not the driver reads and decides all the same, and waits for the
//! driver to act.

mod accounts;
mod apis;
mod audit;
mod auth;
mod background;
mod cache;
mod demo;
mod drive;
mod engine;
mod error_report;
mod errors;
mod eval;
mod expiry;
mod export;
mod fail_point;
mod grants;
pub mod init;
mod intake;
mod journal;
mod learning;
mod local;
mod mail_services;
mod memory;
mod models;
mod notices;
mod prune;
mod replay;
mod request;
mod review;
mod screen;
mod servers;
mod services;
mod setup;
mod trace;
mod traces;
mod trouble;
mod wait;
mod why;
mod worker;

pub use accounts::{check_accounts, check_calendar};
pub use apis::{AddedApi, ApiError, ApiLine, ApiView, Apis, OperationView, ParameterView};
pub use audit::{AuditChecked, AuditError};
pub use auth::{AuthError, Authorizing, LoggedIn, begin_auth};
pub use demo::{DemoError, begin_demo, is_demo, lay_out_demo};
pub use engine::{Engine, Settings};
pub use eval::{TriageEval, Unanswered, eval_triage};
pub use export::{ExportError, Exported, Format, export, write_new};
pub use fail_point::fail_point;
pub use intake::{FirstLook, Intake, OnStep, ReadMail, Step, Synced};
pub use local::Local;
pub use models::{ConfiguredModels, check_models};
pub use replay::{DecisionsEval, EvalMiss, EvalRow, NotReplayed, ReplayOptions};
pub use request::{Asking, Waited};
pub use servers::{Servers, check_servers};
pub use services::{check_sandbox, services};
pub use setup::{Health, Setup, WorkflowsError, has_data};
pub use traces::{Traces, check_traces};
pub use wait::{Attended, attend, closed, family_outcome};
pub use worker::{Ended, Scope, Until, Worker};
