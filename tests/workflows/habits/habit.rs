//! The habits of real models: odd ways of writing an answer that means the right thing.

use strum::{EnumIter, IntoStaticStr};

/// Something a model does that its instructions did not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumIter, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Habit {
    /// Says in words that it is done, and calls nothing.
    ProseAfterWork,
    /// Adds words to its call.
    ProseWithCall,
    /// Puts its answer in a Markdown code fence, with words around it.
    Fence,
    /// Leaves its thoughts in the answer.
    Thoughts,
    /// Writes JSON with comments and trailing commas.
    LooseJson,
    /// Puts its answer inside another object.
    WrappedAnswer,
    NullOptional,
    EmptyOptional,
    MissingOptional,
    NumbersAsText,
    /// Writes one of the given words in upper case.
    OtherCase,
    OneForList,
    ListForOne,
    ExtraKeys,
    /// Adds a prefix to a tool's name, or changes its case.
    ToolName,
    CallAsText,
    SeveralCalls,
    /// Repeats the call it has just made.
    SameCall,
    /// Packs its arguments as JSON inside a string.
    PackedArguments,
    /// Calls a tool that never existed.
    UnknownTool,
    Refusal,
    OtherLanguage,
    EmptyAnswer,
    /// Is cut off by the token limit, in the middle of a call.
    CutAnswer,
    /// Cannot read as much as it was sent.
    LongContext,
}

impl Habit {
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// How the model is told what is wrong, where it has to answer again: one of these.
    pub fn is_told(self) -> &'static [&'static str] {
        match self {
            Self::ProseAfterWork => &["calls no tool"],
            Self::LooseJson => &["key must be a string at line 1"],
            Self::WrappedAnswer => &["is a required property"],
            Self::OtherCase => &["is not one of", "fits none of its choices"],
            Self::ExtraKeys => &["'explanation' was unexpected"],
            Self::ToolName => &["there is no tool `"],
            Self::SameCall => &["its result is above"],
            Self::UnknownTool => &["there is no tool `search_web`", "calls a tool", "is a required property"],
            Self::EmptyAnswer => &["it is empty", "it calls no tool"],
            _ => &[],
        }
    }

    /// Whether the model is asked again: told what is wrong, with more room, or with less to read.
    pub fn is_asked_again(self) -> bool {
        !self.is_told().is_empty() || [Self::CutAnswer, Self::LongContext].contains(&self)
    }
}
