//! Everything put together: the driver, mail, servers, models and tools of one config over one store.
//!
//! [`Local`] is the way in for people: the local [`crate::inbox::Backend`]. Whoever is not the driver reads and decides
//! all the same, and waits for the driver to act.

mod accounts;
mod apis;
mod audit;
mod auth;
mod background;
mod demo;
mod error_report;
mod errors;
mod eval;
mod expiry;
mod export;
mod grants;
pub mod init;
mod intake;
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

pub use crate::driver::{Driver, Ended, Engine, Scope, Settings, Until, fail_point};
pub use accounts::{check_accounts, check_calendar};
pub use apis::{AddedApi, ApiError, ApiLine, ApiView, Apis, OperationView, ParameterView};
pub use audit::{AuditChecked, AuditError};
pub use auth::{AuthError, Authorizing, LoggedIn, begin_auth};
pub use demo::{DemoError, begin_demo, is_demo, lay_out_demo};
pub use eval::{TriageEval, Unanswered, eval_triage};
pub use export::{ExportError, Exported, Format, export, write_new};
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
