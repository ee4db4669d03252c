//! Language models behind one small trait.
//!
//! Promises: an answer is either whole or an error; a cut stream yields no call; text from a model is
//! [`Visible`](crate::text::Visible) before anybody sees it; sizes, times and repetitions are bounded; a key goes only
//! to the configured server and appears in no error, log or cassette; dropping the future cancels.
//!
//! Not here: budgets, the journal and the prompts. Callers ask through [`propose`] or [`structured`], which check tool
//! calls and answers against their schemas, and send back once what does not fit; a bare [`Model::complete`] does not.
//!
//! A provider is one file and one arm in [`open`]. [`Builtin`] needs no network: it answers from
//! [`Request::task`] and [`Request::facts`], which the other providers ignore.

mod anthropic;
mod builtin;
mod calls;
mod check;
mod coerce;
mod error;
mod exchange;
mod lenient_json;
mod limiter;
mod ollama;
mod openai;
mod propose;
mod record;
mod redact;
mod reply;
mod request;
mod schema;
mod scripted;
mod settings;
mod structured;
mod usage;
mod wire;

use std::pin::Pin;
use std::sync::Arc;

pub use builtin::{Builtin, RuleAnswer, Task, facts};
pub use check::check;
pub use error::ModelError;
use limiter::Limiter;
pub use propose::{ReadReply, propose};
pub use record::{Recorder, Replayer};
use redact::Redactor;
pub use reply::{BadCall, Delta, Reply, Stop};
pub use request::{Choice, Message, OutputSchema, Request, ToolCall, ToolSpec, join_user_messages};
pub use scripted::Scripted;
pub use settings::{ModelSettings, Provider};
pub use structured::{Structured, fitted, structured};
pub use usage::Usage;

/// A future that can be stored, as returned by traits that are used as `dyn`.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Receives the text while an answer is being streamed.
pub type OnText<'a> = &'a (dyn Fn(Delta<'_>) + Send + Sync);

/// Something that answers requests.
pub trait Model: Send + Sync {
    /// The name this model has in the config (`model`, `cheap`), for people and for errors.
    fn label(&self) -> &str;

    /// Gives one answer. Dropping the future cancels the call; nothing goes on in the background.
    ///
    /// The reply's calls are whole JSON objects, but they are not yet checked against the tools' schemas:
    /// that is what [`propose`] adds.
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>>;
}

/// A model that has its answers ready: rules, a script, a recording.
pub trait ReadyModel: Send + Sync {
    /// As in [`Model::label`].
    fn label(&self) -> &str;

    /// Gives one answer at once.
    fn answer(&self, request: &Request) -> Result<Reply, ModelError>;
}

impl<M: ReadyModel> Model for M {
    fn label(&self) -> &str {
        ReadyModel::label(self)
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let reply = self.answer(request)?;
            if !reply.text.is_empty() {
                on_text(Delta::Text(&reply.text));
            }
            Ok(reply)
        })
    }
}

/// For callers that do not watch the text as it streams.
pub fn quiet(_: Delta<'_>) {}

/// Opens the model that the settings describe; `rules` are the tasks of the built-in one. Sends nothing yet, so only
/// the settings themselves can be wrong.
pub fn open(
    settings: &ModelSettings,
    rules: &'static [&'static [Task]],
) -> Result<Arc<dyn Model>, ModelError> {
    Ok(match settings.provider {
        // Whoever takes the model's place is asked by the loop; what rules can tell is not asked of them.
        Provider::Builtin | Provider::Me => Arc::new(Builtin::new(&settings.label, rules)),
        Provider::Openai => Arc::new(wire::HttpModel::open(settings, openai::OpenAi::new(settings))?),
        Provider::Anthropic => Arc::new(wire::HttpModel::open(settings, anthropic::Anthropic)?),
        Provider::Ollama => Arc::new(wire::HttpModel::open(settings, ollama::Ollama)?),
    })
}
