//! What a key starts, and what happens when that ends: a job carries its callback, so both are written in one place.

use super::Model;
use crate::inbox::door::Inbox;
use crate::inbox::{ErrorKind, InboxError};
use futures_util::future::BoxFuture;

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The card was outdated or is no longer open, or there was nothing to do.
    pub stale: bool,
    /// One sentence.
    pub text: String,
}

impl From<InboxError> for Failure {
    fn from(error: InboxError) -> Self {
        let stale = error.kind() == ErrorKind::Gone;
        let text = match &error {
            InboxError::Stale { .. } => "it has changed since it was shown; look at it again".to_owned(),
            InboxError::Refused { refusal, .. } => refusal.to_string(),
            other => other.to_string(),
        };
        Self { stale, text }
    }
}

impl Failure {
    /// A failure that says nothing about the card.
    pub fn new(text: impl Into<String>) -> Self {
        Self { stale: false, text: text.into() }
    }
}

/// The result of a request to the inbox.
pub type InboxResult<T> = Result<T, Failure>;

/// Changes the model once a job has ended.
pub type Callback = Box<dyn FnOnce(&mut Model) + Send>;

/// Takes the text that `$EDITOR` was closed with.
pub type TakeText = Box<dyn FnOnce(&mut Model, InboxResult<String>) + Send>;

/// Work on the inbox, done beside the screen.
pub struct Work(Box<dyn FnOnce(Inbox) -> BoxFuture<'static, Callback> + Send>);

impl Work {
    pub async fn run(self, inbox: Inbox) -> Callback {
        (self.0)(inbox).await
    }
}

/// What the model asks for. All but work is done by the loop, which has the terminal.
pub enum Job {
    Work(Work),
    /// Copy text to the clipboard.
    Copy(String),
    /// Let the user edit text in `$EDITOR`, as a file with this ending.
    Edit(String, &'static str, TakeText),
    /// Pipe text to a command the user typed.
    Pipe(String, String),
    /// Notify a user who may be looking elsewhere.
    Notice(String),
    /// Stop until the shell says `fg`.
    Suspend,
    /// Draw everything again.
    Redraw,
    Quit,
}

impl Model {
    /// Starts work; `then` gets what came of it.
    pub fn start_any<T, F>(
        &mut self,
        work: impl FnOnce(Inbox) -> F + Send + 'static,
        then: impl FnOnce(&mut Model, T) + Send + 'static,
    ) where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        self.jobs.push(Job::Work(Work(Box::new(|inbox| {
            let work = work(inbox);
            Box::pin(async move {
                let result = work.await;
                Box::new(|model: &mut Model| then(model, result)) as Callback
            })
        }))));
    }

    /// Starts work that may fail; `then` gets its result.
    pub fn start<T, E, F>(
        &mut self,
        work: impl FnOnce(Inbox) -> F + Send + 'static,
        then: impl FnOnce(&mut Model, InboxResult<T>) + Send + 'static,
    ) where
        T: Send + 'static,
        E: Into<Failure> + Send + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.start_any(work, |model, result| then(model, result.map_err(Into::into)));
    }

    /// Starts work; `then` gets its value. A failure is shown.
    pub fn read<T, E, F>(
        &mut self,
        work: impl FnOnce(Inbox) -> F + Send + 'static,
        then: impl FnOnce(&mut Model, T) + Send + 'static,
    ) where
        T: Send + 'static,
        E: Into<Failure> + Send + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
    {
        self.start(work, |model, result| {
            if let Some(value) = model.ok_or_fail(result) {
                then(model, value);
            }
        });
    }

    /// Starts work whose result is a sentence, or nothing worth saying.
    pub fn tell<E, F>(&mut self, work: impl FnOnce(Inbox) -> F + Send + 'static)
    where
        E: Into<Failure> + Send + 'static,
        F: Future<Output = Result<String, E>> + Send + 'static,
    {
        self.read(work, |model, text| {
            if !text.is_empty() {
                model.say(text);
            }
        });
    }

    /// Lets the user edit text in `$EDITOR`; `then` gets the new text.
    pub fn edit(
        &mut self,
        text: String,
        ending: &'static str,
        then: impl FnOnce(&mut Model, String) + Send + 'static,
    ) {
        let take = move |model: &mut Model, result| {
            if let Some(text) = model.ok_or_fail(result) {
                then(model, text);
            }
        };
        self.jobs.push(Job::Edit(text, ending, Box::new(take)));
    }
}
