//! Everything put together: the driver, mail, servers, models and tools of one config over one store.
//!
//! [`App::open`] builds an inbox from a config, with all background work; [`FEATURES`] lists the parts. What users do
//! in the inbox is in `inbox::door`.

mod accounts;
mod apis;
mod audit;
mod auth;
mod background;
mod demo;
mod demo_script;
mod error;
mod eval;
mod features;
pub mod init;
mod intake;
mod models;
mod node_services;
mod notices;
mod running;
mod setup;
mod traces;

pub use crate::engine::driver::{Driver, Ended, Engine, Scope, Settings, Until, fail_point};
pub use crate::engine::store::LOCK_WAIT;
pub use crate::tools::cage::{Environment as PythonEnvironment, EnvironmentError as PythonEnvironmentError};
pub use crate::workflows::VERBS;
pub use crate::workflows::email::eval::Case as TriageCase;
pub use accounts::{check_accounts, check_calendar};
pub use apis::{AddedApi, ApiLine, ApiView, Apis, OperationView, ParameterView};
pub use audit::{AuditChecked, AuditError};
pub use auth::{Authorizing, LoggedIn, begin_auth};
pub use background::Background;
pub use demo::{Delivery, DemoError, TourGoal, TourStep, begin_demo, demo_tour, lay_out_demo};
pub use demo_script::is_demo;
pub use error::AppError;
pub use eval::{PastMails, TriageEval, Unanswered, eval_triage, labelled_mails};
pub use features::{Check, FEATURES, Feature, Parts};
pub use intake::{FirstLook, Intake, OnStep, ReadMail, Step, Synced};
pub use models::{ConfiguredModels, check_models, plays_demo_script};
pub use node_services::{check_python, check_reader};
pub use running::App;
pub use setup::{Health, Setup, WorkflowsError, has_data};
pub use traces::{Traces, check_traces};
