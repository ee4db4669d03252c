//! The inbox: what is asked, what a person may decide, and the door people and programs come through.
//!
//! From a question to its effect:
//!
//! 1. A node [asks](crate::engine::graph::ask). The [driver](crate::engine::driver) commits its step and the question together
//!    in the [store](crate::engine::store), with the hash of what would be done.
//! 2. The [door](door::Inbox) hands it out as an [`Item`], and its [`Card`] is drawn from the thread's state.
//! 3. A person or a program [decides](door::Inbox::decisions), bound to the hash of the card that was seen. The
//!    [rules](check) say which answers the question allows; they are pure, so everyone who decides follows the same ones.
//! 4. The decision is committed, held for a moment in which it can be undone, and folded into the state of exactly that
//!    thread.
//! 5. The next node acts through [`Ctx::once`](crate::engine::graph::Ctx::once): the log is read again and checked, the intent is
//!    written, and only then does anything leave.
//!
//! Everything a screen or a script needs is plain data here. Storage, drawing and knowledge of particular workflows are
//! not.

mod activity;
mod call_words;
mod card;
mod day_bars;
mod day_strip;
mod diff;
pub mod door;
mod error;
mod grant;
mod history;
mod invitation;
mod item;
mod line;
mod mail;
mod memory;
mod order;
mod page;
mod path;
mod propose;
mod prune;
mod query;
mod query_language;
mod request;
mod review;
mod row_key;
mod rows;
mod rules;
mod session;
mod set_aside;
mod skipped;
mod spec;
mod status;
mod thread;
mod verb;
mod weighed;

pub use activity::{Activity, ActivityQuery, DayLine, Decisions, ModelLine};
pub use call_words::{act_words, allowed_words, conditions, pattern_words, read_pattern};
pub use card::{AttachmentLine, Block, BodyPiece, Card, MailBlock, Span, Tone};
pub use day_bars::DayBars;
pub use day_strip::{DayStrip, StripLine, StripMark};
pub use diff::changed_lines;
pub use error::{ErrorKind, InboxError};
pub use grant::{
    BUILTIN_GRANTS, BuiltinGrant, CATALOGUE_GET, GrantLine, GrantRequest, GrantScope, MARK_HANDLED,
    OUTPUT_FILES, OWN_MAIL, POLICY_GRANT, PUT_AWAY,
};
pub use history::{AnswerKind, DecisionEnd, DecisionLine, DecisionLinks, LessonLink};
pub use invitation::{ANSWER_INVITATION, Coming};
pub use item::{
    Edited, Item, ItemKind, PROGRAM_ACTIONS, PROGRAM_WORKFLOW, Question, RESULT_ANSWERS, STOP_WORDS,
    ThreadResult, UNNAMED_PROGRAM, YOUR_TURN, unsent_edit_key,
};
pub use line::{ItemLine, ItemStamp, ItemStatus, LineQuery, UndoableBatch};
pub use mail::{MailLine, MailQuery, SourceLine};
pub use memory::{
    LEARNING_WORKFLOW, MemoryCause, MemoryItem, MemoryLine, MemoryVersion, MemoryView, ROW_WORKFLOW,
};
pub use order::{Group, Order, Sort};
pub use page::Page;
pub use path::path_taken;
pub use propose::{proposal, schema_like};
pub use prune::{KeptThreads, PruneQuery, Pruned, Pruning, Storage, TableSize};
pub use query::{BatchResults, DecisionQuery, DecisionRequest, Facets, ItemQuery, Overview, ThreadQuery};
pub use query_language::{Candidate, Flag, Place, Query};
pub use request::{Ending, RequestAnswer};
pub use review::{CallView, Change, QuestionView, StepStates, bounded};
pub use row_key::{BulkKind, RowKey};
pub use rows::{
    MemoryRow, RowAnswer, RowCause, RowChange, RowDecision, RowLine, RowQuestion, RowState, RowView,
};
pub use rules::{ArgError, Refusal, SeenHash, check, check_args, check_fields};
pub use session::{AgentSession, SessionState};
pub use set_aside::SetAside;
pub use skipped::{SkippedCount, SkippedLine, SkippedQuery};
pub use spec::{ABSENT_ACTION, ASKING_WORKFLOW, ENGINE_WORKFLOWS, MOVING_WORKFLOW, Registry, Spec, Words};
pub use status::{DecidedBy, Status};
pub use thread::{
    DecisionView, EffectView, ErrorView, ForkedFrom, NextView, Outcome, StepView, ThreadLine, ThreadView,
    TraceView, UsageView,
};
pub use verb::{StartVerb, WorkflowVerb};
pub use weighed::{Weighed, outcome as weighed_outcome};
