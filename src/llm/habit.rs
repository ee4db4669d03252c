//! The habits of real models: odd ways of writing an answer that means the right thing.
//!
//! One list: the readers of this folder note what they corrected, `sayso doctor` reports it, the page about models
//! prints it as a table, and the tests play it against every workflow.

use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoStaticStr};

/// Something a model does that its instructions did not say.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, EnumIter, IntoStaticStr, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "kebab-case")]
// `shows` describes each.
pub enum Habit {
    ProseAfterWork,
    ProseWithCall,
    Fence,
    Thoughts,
    LooseJson,
    WrappedAnswer,
    NullOptional,
    EmptyOptional,
    MissingOptional,
    NumbersAsText,
    OtherCase,
    OneForList,
    ListForOne,
    ExtraKeys,
    ToolName,
    CallAsText,
    SeveralCalls,
    SameCall,
    PackedArguments,
    UnknownTool,
    Refusal,
    OtherLanguage,
    EmptyAnswer,
    CutAnswer,
    LongContext,
}

impl Habit {
    /// Its name in tables and reports.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What the model does.
    pub fn shows(self) -> &'static str {
        match self {
            Self::ProseAfterWork => "says in words that it is done, and calls nothing",
            Self::ProseWithCall => "adds words to its call",
            Self::Fence => "puts its answer in a Markdown code fence, with words around it",
            Self::Thoughts => "leaves its thoughts in the answer",
            Self::LooseJson => "writes JSON with trailing commas, comments, single quotes or raw line breaks",
            Self::WrappedAnswer => "puts its answer inside another object",
            Self::NullOptional => "says null for an optional value",
            Self::EmptyOptional => "says \"\" for an optional value",
            Self::MissingOptional => "leaves optional values out",
            Self::NumbersAsText => "writes numbers and booleans as text, or text as numbers",
            Self::OtherCase => "writes one of the given words in different upper or lower case",
            Self::OneForList => "gives one value where a list is wanted",
            Self::ListForOne => "gives a list of one where a value is wanted",
            Self::ExtraKeys => "adds keys that nobody asked for",
            Self::ToolName => "adds a prefix to a tool's name, or changes its case",
            Self::CallAsText => "writes its call into the text",
            Self::SeveralCalls => "makes several calls at once",
            Self::SameCall => "repeats the call it has just made",
            Self::PackedArguments => "packs its arguments as JSON inside a string",
            Self::UnknownTool => "calls a tool from an earlier step, or one that never existed",
            Self::Refusal => "declines",
            Self::OtherLanguage => "answers in another language",
            Self::EmptyAnswer => "says nothing",
            Self::CutAnswer => "is cut off by the token limit, in the middle of a call",
            Self::LongContext => "cannot read as much as it was sent",
        }
    }

    /// How sayso treats it.
    pub fn taken_as(self) -> &'static str {
        match self {
            Self::ProseAfterWork => {
                "asked again once; then its words are the answer, or the reason why there is none"
            }
            Self::ProseWithCall => "the call counts, the words are shown with it",
            Self::Fence => "read from the fence",
            Self::Thoughts => "what follows the thoughts counts",
            Self::LooseJson => "read as meant, if nothing is missing",
            Self::WrappedAnswer => "the inner object counts if it fits",
            Self::NullOptional | Self::EmptyOptional => "counts as left out",
            Self::MissingOptional => "taken as it is",
            Self::NumbersAsText => "converted to the expected type",
            Self::OtherCase => "taken as the given word",
            Self::OneForList => "taken as a list of one",
            Self::ListForOne => "taken as that value",
            Self::ExtraKeys => "dropped from data; in a call, asked again once, then dropped",
            Self::ToolName => "taken as the tool of that name",
            Self::CallAsText => "taken as the call; the tool must be one of those offered",
            Self::SeveralCalls => "you are asked about all; of dependent steps only the first counts",
            Self::SameCall => {
                "duplicates are dropped; for a repeated call the model is asked again, and reminded of the result"
            }
            Self::PackedArguments => "unpacked",
            Self::UnknownTool => "asked again, with a list of the tools",
            Self::Refusal => "one card says so",
            Self::OtherLanguage => "taken as it is",
            Self::EmptyAnswer => "asked again",
            Self::CutAnswer => "nothing of it counts; asked again with more room, or for a shorter answer",
            Self::LongContext => "asked again with the longest texts shortened; the answer says so",
        }
    }

    /// How many extra calls it costs.
    pub fn costs(self) -> u32 {
        match self {
            Self::ProseAfterWork
            | Self::ExtraKeys
            | Self::SameCall
            | Self::UnknownTool
            | Self::EmptyAnswer
            | Self::CutAnswer
            | Self::LongContext => 1,
            Self::ProseWithCall
            | Self::Fence
            | Self::Thoughts
            | Self::LooseJson
            | Self::WrappedAnswer
            | Self::NullOptional
            | Self::EmptyOptional
            | Self::MissingOptional
            | Self::NumbersAsText
            | Self::OtherCase
            | Self::OneForList
            | Self::ListForOne
            | Self::ToolName
            | Self::CallAsText
            | Self::SeveralCalls
            | Self::PackedArguments
            | Self::Refusal
            | Self::OtherLanguage => 0,
        }
    }
}

/// Adds habits to a list, each once.
pub(super) fn note(list: &mut Vec<Habit>, more: impl IntoIterator<Item = Habit>) {
    for habit in more {
        if !list.contains(&habit) {
            list.push(habit);
        }
    }
}
