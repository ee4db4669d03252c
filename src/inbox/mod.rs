//! What a person sees and may decide.
//!
//! Everything a screen or a script needs is here as plain data ([`Item`], [`Card`], [`ThreadView`]), behind one
//! trait ([`Backend`]). The local engine is its first implementation; whoever draws or prints knows no other
//! way to threads. The rules of deciding ([`check`]) stand here too, pure, so that every road obeys the same.
//!
//! What is not here: storage, drawing and any knowledge of a particular workflow.

mod activity;
mod backend;
mod card;
mod diff;
mod errors;
mod grant;
mod item;
mod mail;
mod memory;
mod path;
mod propose;
mod prune;
mod request;
mod review;
mod rules;
mod screen;
mod skipped;
mod spec;
mod status;
mod thread;

pub use activity::{Activity, ActivityQuery, DayLine, Decisions, Latency, ModelLine, NodeLine, ToolLine};
pub use backend::{
    Backend, BackendError, Decide, Facets, ItemPage, ItemQuery, Overview, ThreadPage, ThreadQuery, Together,
};
pub use card::{AttachmentLine, Block, BodyPiece, Card, MailBlock, Span, Tone};
pub use diff::changed_lines;
pub use errors::{ErrorLine, Occurred, by_frequency};
pub use grant::{
    BUILTIN_GRANTS, BuiltinGrant, CATALOGUE_GET, GrantLine, GrantRequest, GrantScope, MARK_HANDLED,
    OUTPUT_FILES, POLICY_GRANT, SERVER_COMMANDS,
};
pub use item::{Item, ItemKind};
pub use mail::{MailLine, MailPage, MailQuery, SourceLine};
pub use memory::{LEARNING_WORKFLOW, MemoryCause, MemoryLine, MemoryVersion, MemoryView};
pub use path::taken;
pub use propose::proposal;
pub use prune::{KeptThreads, PruneQuery, Pruned, Pruning, Storage, TableSize};
pub use request::{Ending, RequestAnswer};
pub use review::{CallView, Change, QuestionView, StepStates, bounded};
pub use rules::{Refusal, check, check_args, check_fields};
pub use screen::{Decided, Glance, ItemLine, LineQuery, Screen, Standing};
pub use skipped::{SkippedLine, SkippedPage, SkippedQuery};
pub use spec::{Registry, Spec};
pub use status::{By, Status};
pub use thread::{
    DecisionView, EffectView, ErrorView, ForkedFrom, NextView, Outcome, StepView, ThreadLine, ThreadView,
    TraceView, UsageView,
};
