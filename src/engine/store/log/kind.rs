//! The kinds of log entries.

macro_rules! kinds {
    ($($name:ident $word:literal $doc:literal)*) => {
        /// What kind of event an entry records.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EntryKind {
            $(#[doc = $doc] $name,)*
        }

        impl EntryKind {
            /// The word it is stored as.
            pub fn word(self) -> &'static str {
                match self { $(EntryKind::$name => $word,)* }
            }

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(EntryKind::$name),)* _ => None }
            }
        }
    };
}

kinds! {
    Opened "opened" "A process began to write."
    Started "started" "A thread began."
    Stepped "stepped" "A thread took one or more steps."
    Asked "asked" "A person is asked."
    Amended "amended" "A warning was added to a question."
    Decided "decided" "A question was answered."
    Undone "undone" "The last answer to a question was taken back."
    Released "released" "A person ended the hold of a thread's answers."
    Closed "closed" "A question was closed without an answer."
    Begun "begun" "An effect is about to happen."
    Ended "ended" "An effect reached another state."
    Arrived "arrived" "Something reached a thread."
    Continued "continued" "A person continued a thread after its result."
    Corrected "corrected" "A person corrected what a thread concluded."
    Stopped "stopped" "A person stopped a thread."
    Handed "handed" "A person took the model's place in a thread, or gave it back."
    Resolved "resolved" "The decision about a thread's trouble was carried out."
    Reopened "reopened" "A thread that was set aside is open again, with its questions."
    Snoozed "snoozed" "A question was snoozed or shown again, or found overdue."
    Waited "waited" "Somebody waits for the answer to a question, or nobody does any more."
    Filed "filed" "A result was filed away."
    Granted "granted" "Something may be done without asking."
    Revoked "revoked" "A grant was revoked, or a built-in one switched off."
    Restored "restored" "A built-in grant was switched on again."
    Learned "learned" "A memory has a new version."
    Taught "taught" "A row of the memory was made, confirmed, corrected or changed."
    Pinned "pinned" "A line of a memory was pinned."
    Unpinned "unpinned" "A pinned line was unpinned."
    Paused "paused" "All driving was paused."
    Resumed "resumed" "All driving was resumed."
    Pruned "pruned" "The bodies of old threads were deleted."
}

impl EntryKind {
    /// Whether its body may be deleted once its thread is old.
    pub fn can_be_pruned(self) -> bool {
        matches!(
            self,
            EntryKind::Started
                | EntryKind::Stepped
                | EntryKind::Arrived
                | EntryKind::Continued
                | EntryKind::Corrected
        )
    }

    /// Whether later entries tend to repeat its body.
    pub fn is_repeated(self) -> bool {
        matches!(self, EntryKind::Asked | EntryKind::Decided | EntryKind::Arrived | EntryKind::Continued)
    }

    /// Whether an export includes its body: what was asked, decided, done and allowed, but not what nodes produced.
    pub fn is_exported(self) -> bool {
        !matches!(self, EntryKind::Stepped | EntryKind::Arrived)
    }
}
