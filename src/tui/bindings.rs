//! The one table of keys. Dispatch, footer, help, palette and `docs/keys.md` all read it.
//!
//! Promises: in a scope a key means one thing (a test holds it, and remapping refuses what would break it), and a key
//! that begins a longer one means nothing by itself.

use super::action::Action;
use super::key::Key;
use crate::text::nearest;
use std::collections::BTreeMap;

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere but in a layer.
    Global,
    /// The inbox's list, and the lists of the other tabs.
    List,
    /// The card.
    Card,
    /// Where an item is selected, in its list or its card.
    Decide,
    /// The thread that is shown, in the Threads tab.
    Thread,
    /// The Memory tab.
    Memory,
    /// The Activity tab.
    Activity,
    /// A question with yes and no.
    Confirm,
    /// The question at the end.
    Ending,
    /// A form or a box with text.
    Form,
    /// A list to choose from.
    Menu,
    /// One line of text: search and palette.
    Prompt,
}

impl Scope {
    /// All of them, in the order help shows them.
    pub const ALL: [Scope; 12] = [
        Scope::Global,
        Scope::List,
        Scope::Card,
        Scope::Decide,
        Scope::Thread,
        Scope::Memory,
        Scope::Activity,
        Scope::Confirm,
        Scope::Ending,
        Scope::Form,
        Scope::Menu,
        Scope::Prompt,
    ];

    /// What help calls it.
    pub fn title(self) -> &'static str {
        match self {
            Scope::Global => "Everywhere",
            Scope::List => "In a list",
            Scope::Card => "In the card",
            Scope::Decide => "On an item",
            Scope::Thread => "On a thread, in Threads",
            Scope::Memory => "On a profile, in Memory",
            Scope::Activity => "In Activity",
            Scope::Confirm => "When asked yes or no",
            Scope::Ending => "When leaving while something is held",
            Scope::Form => "In a form or a box",
            Scope::Menu => "In a menu, help or review",
            Scope::Prompt => "In search and palette",
        }
    }
}

/// Keys and what they mean.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// Where.
    pub scope: Scope,
    /// The keys, as people write them; any of them will do.
    pub keys: &'static [&'static str],
    /// What they mean.
    pub action: Action,
    /// What help says; the action's own words where this is empty.
    pub help: &'static str,
}

const fn bind(scope: Scope, keys: &'static [&'static str], action: Action) -> Binding {
    Binding { scope, keys, action, help: "" }
}

const fn told(scope: Scope, keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding { scope, keys, action, help }
}

use Action as A;
use Scope::{Activity, Card, Confirm, Decide, Ending, Form, Global, List, Memory, Menu, Prompt, Thread};

/// Every key there is.
pub const BINDINGS: &[Binding] = &[
    bind(Global, &["1"], A::TabInbox),
    bind(Global, &["2"], A::TabThreads),
    bind(Global, &["3"], A::TabMemory),
    bind(Global, &["4"], A::TabActivity),
    bind(Global, &["gt"], A::NextTab),
    bind(Global, &["gT"], A::PreviousTab),
    bind(Global, &["gi"], A::ShowAll),
    bind(Global, &["ga"], A::ShowApprovals),
    bind(Global, &["gn"], A::ShowTriage),
    bind(Global, &["gq"], A::ShowQuestions),
    bind(Global, &["gx"], A::ShowTrouble),
    bind(Global, &["gd"], A::ShowResults),
    bind(Global, &["gs"], A::ShowSnoozed),
    bind(Global, &["go"], A::ShowHeld),
    bind(Global, &["gr"], A::ShowRunning),
    bind(Global, &["gk"], A::ShowSkipped),
    bind(Global, &["/"], A::Search),
    bind(Global, &["n"], A::SearchNext),
    bind(Global, &["N"], A::SearchPrevious),
    bind(Global, &["\\"], A::Narrow),
    bind(Global, &[":"], A::Palette),
    bind(Global, &["?"], A::Help),
    bind(Global, &["c"], A::NewThread),
    bind(Global, &["u"], A::Undo),
    bind(Global, &["!"], A::Pause),
    bind(Global, &["$"], A::FetchMail),
    bind(Global, &["esc"], A::Clear),
    bind(Global, &["q"], A::Back),
    bind(Global, &["Q"], A::Quit),
    bind(Global, &["ctrl-c"], A::CloseLayer),
    bind(Global, &["ctrl-l"], A::Redraw),
    bind(Global, &["ctrl-z"], A::Suspend),
    bind(List, &["j", "down"], A::Down),
    bind(List, &["k", "up"], A::Up),
    bind(List, &["gg", "home"], A::Top),
    bind(List, &["G", "end"], A::Bottom),
    bind(List, &["ctrl-d", "pagedown"], A::PageDown),
    bind(List, &["ctrl-u", "pageup"], A::PageUp),
    bind(List, &["J"], A::CardDown),
    bind(List, &["K"], A::CardUp),
    bind(List, &["enter", "l", "tab", "right"], A::Open),
    bind(List, &["space"], A::Mark),
    bind(List, &["V"], A::MarkRange),
    bind(List, &["*"], A::MarkAll),
    bind(List, &["="], A::MarkSame),
    bind(List, &["s"], A::Sort),
    told(Card, &["j", "down"], A::CardDown, "scroll down"),
    told(Card, &["k", "up"], A::CardUp, "scroll up"),
    told(Card, &["space", "ctrl-d", "pagedown"], A::PageDown, "a page down"),
    told(Card, &["b", "ctrl-u", "pageup"], A::PageUp, "a page up"),
    bind(Card, &["gg", "home"], A::Top),
    bind(Card, &["G", "end"], A::Bottom),
    bind(Card, &["J"], A::NextItem),
    bind(Card, &["K"], A::PreviousItem),
    bind(Card, &["]"], A::NextPart),
    bind(Card, &["["], A::PreviousPart),
    bind(Card, &["T"], A::Quotes),
    bind(Card, &["H"], A::Headers),
    bind(Card, &["v"], A::Attachments),
    bind(Card, &["L"], A::Links),
    bind(Card, &["|"], A::Pipe),
    bind(Card, &["h", "tab", "left"], A::Leave),
    bind(Decide, &["a"], A::Accept),
    bind(Decide, &["A"], A::AcceptGrant),
    bind(Decide, &["e"], A::Edit),
    bind(Decide, &["E"], A::EditOutside),
    bind(Decide, &["r"], A::Respond),
    bind(Decide, &["i"], A::Ignore),
    bind(Decide, &["I"], A::IgnoreQuietly),
    bind(Decide, &["z"], A::Snooze),
    bind(Decide, &["D"], A::SaveDraft),
    bind(Decide, &["C"], A::Reclassify),
    told(Decide, &["X"], A::Stop, "stop the thread; revoke a grant"),
    bind(Decide, &["w"], A::Why),
    bind(Decide, &["t"], A::OpenThread),
    bind(Decide, &["y"], A::Copy),
    bind(Thread, &["l", "right", "}"], A::NextView),
    bind(Thread, &["h", "left", "{"], A::PreviousView),
    told(Thread, &["]"], A::NextPart, "next step"),
    told(Thread, &["["], A::PreviousPart, "previous step"),
    bind(Thread, &["d"], A::StateDiff),
    bind(Thread, &["p"], A::ShowPrompt),
    bind(Thread, &["enter", "o"], A::Unfold),
    bind(Thread, &["<"], A::PanLeft),
    bind(Thread, &[">"], A::PanRight),
    bind(Thread, &["a"], A::Answer),
    bind(Thread, &["f"], A::Fork),
    bind(Thread, &["S"], A::Settle),
    bind(Thread, &["R"], A::Retry),
    told(Thread, &["X"], A::Stop, "stop the thread; in trouble, abandon it"),
    bind(Thread, &["C"], A::Reclassify),
    bind(Thread, &["w"], A::Why),
    bind(Thread, &["W"], A::Export),
    bind(Memory, &["e"], A::EditProfile),
    bind(Memory, &["o"], A::AddLine),
    bind(Memory, &["P"], A::PinLine),
    bind(Memory, &["R"], A::RevertProfile),
    bind(Memory, &["d"], A::History),
    told(Memory, &["t"], A::OpenThread, "the thread that caused the version"),
    bind(Activity, &["P"], A::Prune),
    bind(Confirm, &["y"], A::Yes),
    bind(Confirm, &["n", "esc", "q", "ctrl-c"], A::No),
    bind(Confirm, &["j", "down"], A::Down),
    bind(Confirm, &["k", "up"], A::Up),
    bind(Confirm, &["space"], A::Drop),
    bind(Ending, &["w"], A::Wait),
    bind(Ending, &["t"], A::TakeBack),
    bind(Ending, &["g"], A::GoNow),
    told(Ending, &["n", "esc", "q", "ctrl-c"], A::Cancel, "stay"),
    bind(Form, &["tab"], A::NextField),
    bind(Form, &["shift-tab"], A::PreviousField),
    bind(Form, &["ctrl-s"], A::Submit),
    bind(Form, &["ctrl-g"], A::Outside),
    bind(Form, &["ctrl-t"], A::Remember),
    bind(Form, &["ctrl-n"], A::Complete),
    bind(Form, &["esc", "ctrl-c"], A::LeaveForm),
    bind(Menu, &["j", "down"], A::Down),
    bind(Menu, &["k", "up"], A::Up),
    bind(Menu, &["gg", "home"], A::Top),
    bind(Menu, &["G", "end"], A::Bottom),
    bind(Menu, &["ctrl-d", "space", "pagedown"], A::PageDown),
    bind(Menu, &["ctrl-u", "b", "pageup"], A::PageUp),
    bind(Menu, &["enter", "l"], A::Choose),
    told(Menu, &["y"], A::Copy, "copy a link's target"),
    bind(Menu, &["esc", "q", "ctrl-c", "?"], A::Cancel),
    bind(Prompt, &["enter"], A::Choose),
    bind(Prompt, &["down", "ctrl-n", "tab"], A::Down),
    bind(Prompt, &["up", "ctrl-p", "shift-tab"], A::Up),
    bind(Prompt, &["esc", "ctrl-c"], A::Cancel),
];

/// What a key, after those before it, came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    /// It means this.
    Found(Action),
    /// It begins something longer.
    Begun,
    /// It means nothing here.
    Nothing,
}

/// The table with the config's own keys in it.
#[derive(Clone, Debug)]
pub struct Keymap {
    rows: Vec<(Scope, Vec<Key>, Action, &'static str)>,
}

impl Keymap {
    /// The usual keys, but for those that the config gives by the name of an action.
    pub fn new(remapped: &BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let mut others: BTreeMap<&str, Vec<Vec<Key>>> = BTreeMap::new();
        for (name, keys) in remapped {
            if Action::from_name(name).is_none() {
                let near = nearest(name, Action::ALL.iter().map(|action| action.name()));
                let hint =
                    near.map_or("`?` shows their names".to_owned(), |near| format!("did you mean `{near}`?"));
                return Err(format!("[keys] has no action `{}`; {hint}", name.escape_debug()));
            }
            let mut rows = Vec::new();
            for key in keys {
                rows.push(Key::parse_row(key).ok_or_else(|| {
                    format!(
                        "[keys] {name}: `{}` is no key; write one such as \"a\", \"gg\" or \"ctrl-d\"",
                        key.escape_debug()
                    )
                })?);
            }
            others.insert(name, rows);
        }
        let mut rows = Vec::new();
        for binding in BINDINGS {
            let help = if binding.help.is_empty() { binding.action.help() } else { binding.help };
            let usual = || binding.keys.iter().filter_map(|keys| Key::parse_row(keys)).collect();
            let keys: Vec<Vec<Key>> = others.get(binding.action.name()).cloned().unwrap_or_else(usual);
            rows.extend(keys.into_iter().map(|keys| (binding.scope, keys, binding.action, help)));
        }
        let keymap = Self { rows };
        match keymap.clash() {
            Some(clash) => Err(format!("[keys] {clash}")),
            None => Ok(keymap),
        }
    }

    /// Two meanings of one key in one scope, in a sentence.
    pub fn clash(&self) -> Option<String> {
        for (n, (scope, keys, action, _)) in self.rows.iter().enumerate() {
            for (other_scope, other, other_action, _) in &self.rows[..n] {
                let shared = keys.len().min(other.len());
                if scope == other_scope && action != other_action && keys[..shared] == other[..shared] {
                    return Some(format!(
                        "`{}` would mean both {} and {}; give one of them another key",
                        Key::show_row(&keys[..shared]),
                        other_action.name(),
                        action.name()
                    ));
                }
            }
        }
        None
    }

    /// What `keys` mean in the first of these scopes that knows them.
    pub fn lookup(&self, scopes: &[Scope], keys: &[Key]) -> Lookup {
        let mut begun = false;
        for scope in scopes {
            for (of, row, action, _) in &self.rows {
                if of == scope && row == keys {
                    return Lookup::Found(*action);
                }
                begun |= of == scope && row.len() > keys.len() && row.starts_with(keys);
            }
        }
        if begun { Lookup::Begun } else { Lookup::Nothing }
    }

    /// The first key of an action in these scopes, as people write it.
    pub fn key_of(&self, scopes: &[Scope], action: Action) -> Option<String> {
        let row = self.rows.iter().find(|(scope, _, of, _)| *of == action && scopes.contains(scope))?;
        Some(Key::show_row(&row.1))
    }

    /// The rows of a scope: keys as people write them, the action, and what it does.
    pub fn rows(&self, scope: Scope) -> Vec<(String, Action, &'static str)> {
        let mut rows: Vec<(String, Action, &'static str)> = Vec::new();
        for (_, keys, action, help) in self.rows.iter().filter(|(of, ..)| *of == scope) {
            let keys = Key::show_row(keys);
            match rows.iter_mut().find(|(_, known, _)| known == action) {
                Some((shown, ..)) => *shown = format!("{shown} {keys}"),
                None => rows.push((keys, *action, help)),
            }
        }
        rows
    }

    /// The table as `docs/keys.md` shows it.
    pub fn markdown(&self) -> String {
        let mut page = String::from(
            "# Keys\n\nLower case acts, upper case is the stronger or rarer form. Enter, Esc, mouse and paste never \
             decide. Any key can be changed in the config, by the name in the third column:\n\n```toml\n[keys]\n\
             accept = [\"a\", \"ctrl-y\"]\n```\n",
        );
        for scope in Scope::ALL {
            page.push_str(&format!(
                "\n## {}\n\n| keys | does | name |\n| --- | --- | --- |\n",
                scope.title()
            ));
            for (keys, action, help) in self.rows(scope) {
                let keys: Vec<String> = keys.split(' ').map(|key| format!("`{key}`")).collect();
                page.push_str(&format!("| {} | {help} | `{}` |\n", keys.join(" "), action.name()));
            }
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keymap(name: &str, keys: &[&str]) -> Result<Keymap, String> {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        Keymap::new(&BTreeMap::from([(name.to_owned(), keys)]))
    }

    #[test]
    fn no_key_has_two_meanings_in_a_scope() {
        let usual = Keymap::new(&BTreeMap::new()).unwrap();
        assert_eq!(usual.clash(), None);
        for scopes in [
            [List, Decide, Global],
            [Card, Decide, Global],
            [List, Thread, Global],
            [Thread, Card, Global],
            [List, Memory, Global],
            [Card, Memory, Global],
        ] {
            for scope in scopes {
                for (keys, action, _) in usual.rows(scope) {
                    let seen = scopes.iter().take_while(|other| **other != scope);
                    for other in seen {
                        let hidden = usual.rows(*other).iter().any(|(theirs, meaning, _)| {
                            *meaning != action
                                && keys.split(' ').all(|key| theirs.split(' ').any(|other| other == key))
                        });
                        assert!(!hidden, "{action:?} ({keys}) is hidden by {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn keys_are_remapped_by_name() {
        let mapped = keymap("accept", &["x"]).unwrap();
        assert_eq!(mapped.lookup(&[Decide], &[Key::plain('x')]), Lookup::Found(A::Accept));
        assert_eq!(mapped.lookup(&[Decide], &[Key::plain('a')]), Lookup::Nothing);
        assert!(keymap("acept", &["x"]).unwrap_err().contains("did you mean `accept`?"));
        assert!(keymap("accept", &["hyper-x"]).unwrap_err().contains("is no key"));
        assert!(keymap("accept", &["e"]).unwrap_err().contains("would mean both"));
        assert!(keymap("accept", &["er"]).unwrap_err().contains("would mean both"));
    }

    #[test]
    fn long_keys_are_waited_for() {
        let usual = Keymap::new(&BTreeMap::new()).unwrap();
        let g = Key::plain('g');
        assert_eq!(usual.lookup(&[List, Global], &[g]), Lookup::Begun);
        assert_eq!(usual.lookup(&[List, Global], &[g, g]), Lookup::Found(A::Top));
        assert_eq!(usual.lookup(&[List, Global], &[g, Key::plain('!')]), Lookup::Nothing);
    }

    #[test]
    fn the_page_of_keys_is_fresh() {
        let page = Keymap::new(&BTreeMap::new()).unwrap().markdown();
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
            std::fs::write(path, &page).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == page, "docs/keys.md is stale: run the tests once with UPDATE_DOCS=1");
    }
}
