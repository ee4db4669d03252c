//! What a program wants to do, and patterns of such calls.
//!
//! Pure data: whoever makes a call says what it consists of and which of its words may be another one. A pattern covers
//! a call if everything is the same, except where it leaves a word open.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What a program wants to do, as far as it can be allowed for a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCall {
    /// The program's name for itself.
    pub by: String,
    /// The program's name for its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The folder it works in.
    pub folder: String,
    /// What it does, in order; all of it must be allowed.
    pub acts: Vec<Act>,
    /// The index of the first act that had to be asked about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<usize>,
    /// What this act's files contained when it was allowed, if only they keep it from being covered.
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub was: Texts,
}

/// What files contain whose digests are fixed, by the names under which those are. Only to be shown.
pub type Texts = BTreeMap<String, String>;

/// One thing that a program wants to do: a command, a change to files, the use of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Act {
    pub words: Vec<Word>,
    /// The folder it is done in.
    pub folder: String,
    /// What else must be the same, by name.
    pub fixed: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub texts: Texts,
    /// What stands between the act before and this one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
}

/// A word of an act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    pub text: String,
    /// Whether another word that is `open`, too, may stand in its place if a person says so.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
}

/// A word of a pattern, or a hole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordPattern {
    /// This very word.
    Fixed(String),
    /// Any one open word.
    Path,
    /// One or more open words.
    Paths,
}

/// The words that a person allows for each act of a call.
pub type Allowed = Vec<Vec<WordPattern>>;

/// An act that is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActPattern {
    pub words: Vec<WordPattern>,
    pub folder: String,
    pub fixed: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "Texts::is_empty")]
    pub texts: Texts,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
}

impl AgentCall {
    /// The act that it is asked because of.
    pub fn act_asked_about(&self) -> Option<&Act> {
        self.acts.get(self.asks?)
    }

    /// The call itself.
    pub fn exactly(&self) -> Allowed {
        self.acts.iter().map(|act| act.words.iter().map(Word::fixed).collect()).collect()
    }

    /// The call with its last open words as a hole; `None` if it has none.
    pub fn with_paths_open(&self) -> Option<Allowed> {
        let mut allowed = self.exactly();
        let mut has_hole = false;
        for (act, words) in self.acts.iter().zip(&mut allowed) {
            let Some(last) = act.words.iter().rposition(|word| word.open) else { continue };
            let first = act.words[..last].iter().rposition(|word| !word.open).map_or(0, |before| before + 1);
            words.splice(first..=last, [WordPattern::Paths]);
            has_hole = true;
        }
        has_hole.then_some(allowed)
    }

    /// The patterns of a grant; `None` if this call is not one of those it would cover, or has more holes of any size in
    /// an act than can be told apart.
    pub fn patterns(&self, allowed: Allowed) -> Option<Vec<ActPattern>> {
        let is_clear =
            |words: &Vec<WordPattern>| words.iter().filter(|word| **word == WordPattern::Paths).count() <= 1;
        if allowed.len() != self.acts.len() || !allowed.iter().all(is_clear) {
            return None;
        }
        let pattern = |(act, words): (&Act, Vec<WordPattern>)| ActPattern {
            words,
            folder: act.folder.clone(),
            fixed: act.fixed.clone(),
            texts: act.texts.clone(),
            after: act.after.clone(),
        };
        let patterns: Vec<ActPattern> = self.acts.iter().zip(allowed).map(pattern).collect();
        ActPattern::cover(&patterns, &self.acts).then_some(patterns)
    }
}

impl Word {
    fn fixed(&self) -> WordPattern {
        WordPattern::Fixed(self.text.clone())
    }
}

impl WordPattern {
    fn covers(&self, word: &Word) -> bool {
        match self {
            WordPattern::Fixed(text) => *text == word.text,
            WordPattern::Path | WordPattern::Paths => word.open,
        }
    }
}

impl ActPattern {
    /// What is fixed of an act that may write anything into its files.
    pub const CONTENTS: &str = "any contents";
    /// What is fixed of a command: the program that its first word is.
    pub const PROGRAM: &str = "program";
    /// What is fixed of a line of commands that is taken as a whole.
    pub const LINE: &str = "the whole line";

    /// Whether one of these writes files, the other runs a command, and one works below the folder of the other: then
    /// the two may allow more than each alone.
    pub fn add_up(&self, other: &ActPattern) -> bool {
        let writes = |act: &ActPattern| act.fixed.contains_key(Self::CONTENTS);
        let runs =
            |act: &ActPattern| [Self::PROGRAM, Self::LINE].iter().any(|name| act.fixed.contains_key(*name));
        let is_below =
            |one: &ActPattern, other: &ActPattern| Path::new(&one.folder).starts_with(&other.folder);
        (writes(self) && runs(other) || runs(self) && writes(other))
            && (is_below(self, other) || is_below(other, self))
    }

    /// Whether the first acts are those of these patterns, joined in the same way.
    pub fn cover(patterns: &[ActPattern], acts: &[Act]) -> bool {
        let mut pairs = patterns.iter().zip(acts).enumerate();
        !patterns.is_empty()
            && acts.len() >= patterns.len()
            && pairs.all(|(n, (pattern, act))| pattern.covers(act) && (n == 0 || pattern.after == act.after))
    }

    /// What the files of an act contained that it would cover if they still did.
    pub fn was(&self, act: &Act) -> Option<Texts> {
        let is_same = |name: &String| self.fixed.get(name) == act.fixed.get(name);
        let mut was = self.texts.clone();
        was.retain(|name, _| !is_same(name));
        let mut before = act.clone();
        before.fixed.extend(
            was.keys()
                .filter_map(|name| self.fixed.get_key_value(name))
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        (!was.is_empty() && self.covers(&before)).then_some(was)
    }

    fn covers(&self, act: &Act) -> bool {
        self.folder == act.folder && self.fixed == act.fixed && self.covers_words(&act.words)
    }

    fn covers_words(&self, words: &[Word]) -> bool {
        let all = |patterns: &[WordPattern], words: &[Word]| {
            patterns.len() == words.len()
                && patterns.iter().zip(words).all(|(pattern, word)| pattern.covers(word))
        };
        let Some(many) = self.words.iter().position(|word| *word == WordPattern::Paths) else {
            return all(&self.words, words);
        };
        let (before, after) = (&self.words[..many], &self.words[many + 1..]);
        let Some(count) = words.len().checked_sub(before.len() + after.len()) else { return false };
        let (first, rest) = words.split_at(before.len());
        let (open, last) = rest.split_at(count);
        count > 0 && all(before, first) && open.iter().all(|word| word.open) && all(after, last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call of acts that are parted by `;`. Words with a `/` are open.
    fn call(line: &str) -> AgentCall {
        let word = |text: &str| Word { text: text.to_owned(), open: text.contains('/') };
        let act = |line: &str| Act {
            words: line.split_whitespace().map(word).collect(),
            folder: "/a".to_owned(),
            fixed: BTreeMap::from([("tool".to_owned(), "Bash".to_owned())]),
            texts: Texts::new(),
            after: ";".to_owned(),
        };
        let acts = line.split(';').map(act).collect();
        AgentCall {
            by: "x".to_owned(),
            session: None,
            folder: "/a".to_owned(),
            acts,
            asks: None,
            was: Texts::new(),
        }
    }

    fn covers(allowed: &str, open: bool, line: &str) -> bool {
        let shown = call(allowed);
        let words = if open { shown.with_paths_open().unwrap() } else { shown.exactly() };
        ActPattern::cover(&shown.patterns(words).unwrap(), &call(line).acts)
    }

    #[test]
    fn a_pattern_covers_what_it_shows() {
        for (allowed, open, line, expected) in [
            ("git add a/b", false, "git add a/b", true),
            ("git add a/b", false, "git add a/c", false),
            ("git add a/b", false, "git add a/b c/d", false),
            ("git add a/b", true, "git add a/c", true),
            ("git add a/b", true, "git add a/c d/e f/g", true),
            ("git add a/b", true, "git add", false),
            ("git add a/b", true, "git add x", false),
            ("git add a/b", true, "git add a/c x", false),
            ("git add a/b", true, "git rm a/c", false),
            ("x a/b c/d -v", true, "x e/f -v", true),
            ("x a/b c/d -v", true, "x -v", false),
            ("x a/b c/d -v", true, "x e/f", false),
            ("x a/b y c/d", true, "x a/b y e/f g/h", true),
            ("x a/b y c/d", true, "x z/z y c/d", false),
            ("a; b", false, "a; b", true),
            ("a; b", false, "a; b; c", true),
            ("a; b", false, "b", false),
            ("a; b", false, "b; a", false),
        ] {
            assert_eq!(covers(allowed, open, line), expected, "{allowed} {open} {line}");
        }
    }

    #[test]
    fn all_else_is_the_same() {
        let shown = call("git add a/b; git commit");
        let patterns = shown.patterns(shown.exactly()).unwrap();
        let covers = |change: &dyn Fn(&mut Vec<Act>)| {
            let mut acts = shown.acts.clone();
            change(&mut acts);
            ActPattern::cover(&patterns, &acts)
        };
        assert!(covers(&|_| {}));
        assert!(covers(&|acts| acts[0].after = "&&".to_owned()), "what comes before it is another grant's");
        assert!(!covers(&|acts| acts[1].after = "||".to_owned()));
        assert!(!covers(&|acts| acts[1].folder = "/b".to_owned()));
        assert!(!covers(&|acts| drop(acts[0].fixed.insert("tool".to_owned(), "Shell".to_owned()))));
        assert!(!covers(&|acts| drop(acts[0].fixed.insert("sandbox".to_owned(), "false".to_owned()))));
        assert!(!covers(&|acts| drop(acts[0].fixed.remove("tool"))));
    }

    #[test]
    fn what_only_changed_files_keep_from_being_covered_is_known() {
        let digest =
            |act: &mut Act, digest: &str| drop(act.fixed.insert("x as it is".to_owned(), digest.to_owned()));
        let mut shown = call("./x a/b");
        digest(&mut shown.acts[0], "1");
        shown.acts[0].texts = Texts::from([("x as it is".to_owned(), "old".to_owned())]);
        let pattern = shown.patterns(shown.exactly()).unwrap().remove(0);
        let mut act = shown.acts.remove(0);
        assert_eq!(pattern.was(&act), None);
        digest(&mut act, "2");
        assert_eq!(pattern.was(&act), Some(pattern.texts.clone()));
        act.folder = "/b".to_owned();
        assert_eq!(pattern.was(&act), None);
    }

    #[test]
    fn writing_and_running_in_a_folder_add_up() {
        let act = |what: &str, folder: &str| ActPattern {
            words: Vec::new(),
            folder: folder.to_owned(),
            fixed: BTreeMap::from([(what.to_owned(), String::new())]),
            texts: Texts::new(),
            after: String::new(),
        };
        let (writes, runs, line) = (ActPattern::CONTENTS, ActPattern::PROGRAM, ActPattern::LINE);
        for (one, folder, other, expected) in [
            (runs, "/a", writes, true),
            (line, "/a/b", writes, true),
            (runs, "/", writes, true),
            (runs, "/ab", writes, false),
            (writes, "/a", writes, false),
            ("tool", "/a", writes, false),
        ] {
            let (one, other) = (act(one, folder), act(other, "/a"));
            assert_eq!((one.add_up(&other), other.add_up(&one)), (expected, expected), "{one:?}");
        }
    }

    #[test]
    fn no_pattern_leaves_out_the_call_it_is_made_from() {
        let shown = call("x a/b y c/d");
        let fixed = |text: &str| WordPattern::Fixed(text.to_owned());
        let x = || fixed("x");
        for allowed in [
            vec![],
            vec![vec![]],
            vec![vec![x(), WordPattern::Path]],
            vec![vec![x(), WordPattern::Path, WordPattern::Path, WordPattern::Path]],
            vec![vec![x(), WordPattern::Paths, fixed("y"), WordPattern::Paths]],
            vec![vec![fixed("z"), WordPattern::Path, fixed("y"), WordPattern::Path]],
        ] {
            assert_eq!(shown.patterns(allowed.clone()), None, "{allowed:?}");
        }
        let both = vec![vec![x(), WordPattern::Path, fixed("y"), WordPattern::Paths]];
        assert!(shown.patterns(both).is_some());
        assert_eq!(call("x y").with_paths_open(), None);
    }
}
