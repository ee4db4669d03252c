//! The one table of keys. Dispatch, footer, help, palette and `docs/keys.md` all read it.
//!
//! Promises: in a scope a key means one thing (a test holds it), and a key that begins a longer one means nothing by
//! itself. What the config gives breaks neither, takes no key from an action that is heard at the same time, and lets
//! neither Enter nor Esc decide; it is refused with one sentence otherwise.

use super::{Action, Key};
use crate::text::nearest;
use std::collections::BTreeMap;

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Everywhere but in a layer.
    Global,
    /// The inbox's list, and the lists of the other tabs.
    List,
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

const fn bind_as(scope: Scope, keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
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
    bind_as(Card, &["j", "down"], A::CardDown, "scroll down"),
    bind_as(Card, &["k", "up"], A::CardUp, "scroll up"),
    bind_as(Card, &["space", "ctrl-d", "pagedown"], A::PageDown, "a page down"),
    bind_as(Card, &["b", "ctrl-u", "pageup"], A::PageUp, "a page up"),
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
    bind_as(Decide, &["X"], A::Stop, "stop the thread; revoke a grant"),
    bind(Decide, &["w"], A::Why),
    bind(Decide, &["t"], A::OpenThread),
    bind(Decide, &["y"], A::Copy),
    bind(Thread, &["l", "right", "}"], A::NextView),
    bind(Thread, &["h", "left", "{"], A::PreviousView),
    bind_as(Thread, &["]"], A::NextPart, "next step"),
    bind_as(Thread, &["["], A::PreviousPart, "previous step"),
    bind(Thread, &["d"], A::StateDiff),
    bind(Thread, &["p"], A::ShowPrompt),
    bind(Thread, &["enter", "o"], A::Unfold),
    bind(Thread, &["<"], A::PanLeft),
    bind(Thread, &[">"], A::PanRight),
    bind(Thread, &["a"], A::Answer),
    bind(Thread, &["f"], A::Fork),
    bind(Thread, &["S"], A::Settle),
    bind(Thread, &["R"], A::Retry),
    bind_as(Thread, &["X"], A::Stop, "stop the thread; in trouble, abandon it"),
    bind(Thread, &["C"], A::Reclassify),
    bind(Thread, &["w"], A::Why),
    bind(Thread, &["W"], A::Export),
    bind(Memory, &["e"], A::EditProfile),
    bind(Memory, &["o"], A::AddLine),
    bind(Memory, &["P"], A::PinLine),
    bind(Memory, &["R"], A::RevertProfile),
    bind(Memory, &["d"], A::History),
    bind_as(Memory, &["t"], A::OpenThread, "the thread that caused the version"),
    bind(Activity, &["P"], A::Prune),
    bind(Confirm, &["y"], A::Yes),
    bind(Confirm, &["n", "esc", "q", "ctrl-c"], A::No),
    bind(Confirm, &["j", "down"], A::Down),
    bind(Confirm, &["k", "up"], A::Up),
    bind(Confirm, &["space"], A::Drop),
    bind(Ending, &["w"], A::Wait),
    bind(Ending, &["t"], A::TakeBack),
    bind(Ending, &["g"], A::GoNow),
    bind_as(Ending, &["n", "esc", "q", "ctrl-c"], A::Cancel, "stay"),
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
    bind_as(Menu, &["y"], A::Copy, "copy a link's target"),
    bind(Menu, &["esc", "q", "ctrl-c", "?"], A::Cancel),
    bind(Prompt, &["enter"], A::Choose),
    bind(Prompt, &["down", "ctrl-n", "tab"], A::Down),
    bind(Prompt, &["up", "ctrl-p", "shift-tab"], A::Up),
    bind(Prompt, &["esc", "ctrl-c"], A::Cancel),
];

/// The scopes that are heard together, the nearest first, as `Model::scopes` has them (a test holds it). What lies over
/// the tabs is heard alone.
const TOGETHER: &[&[Scope]] = &[
    &[List, Activity, Decide, Global],
    &[Card, Activity, Decide, Global],
    &[List, Memory, Global],
    &[Card, Memory, Global],
    &[List, Thread, Global],
    &[Thread, Card, Global],
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
    rows: Vec<Row>,
}

/// One way to say something.
#[derive(Clone, Debug)]
struct Row {
    scope: Scope,
    keys: Vec<Key>,
    action: Action,
    help: &'static str,
    /// Whether the config gives it, and the table does not.
    given: bool,
}

impl Row {
    /// What both begin with: all of the shorter one, where they cannot be told apart.
    fn shared(&self, other: &Row) -> Option<&[Key]> {
        let shared = self.keys.len().min(other.keys.len());
        (self.keys[..shared] == other.keys[..shared]).then_some(&self.keys[..shared])
    }

    /// Whether one of them would be taken for the other. The table itself lets a nearer scope go before a farther one
    /// here and there, and leaves the farther one another key; the config does so only by mistake.
    fn clashes(&self, other: &Row) -> bool {
        let heard = |scopes: &&[Scope]| scopes.contains(&self.scope) && scopes.contains(&other.scope);
        let together = || (self.given || other.given) && TOGETHER.iter().any(heard);
        self.action != other.action
            && self.shared(other).is_some()
            && (self.scope == other.scope || together())
    }

    /// The same in a sentence, with what to do about it.
    fn clash(&self, other: &Row) -> String {
        let (one, two) = (other.action.name(), self.action.name());
        let way_out = match (other.given, self.given) {
            (true, false) => format!("give `{one}` another key, or move `{two}` to another one"),
            (false, true) => format!("give `{two}` another key, or move `{one}` to another one"),
            (true, true) | (false, false) => "give one of them another key".to_owned(),
        };
        let keys = Key::show_row(self.shared(other).unwrap_or_default());
        format!("`{keys}` would mean both `{one}` and `{two}`; {way_out}")
    }
}

/// The keys that the config gives, by the name of their action.
fn given(remapped: &BTreeMap<String, Vec<String>>) -> Result<BTreeMap<&'static str, Vec<Vec<Key>>>, String> {
    let mut given = BTreeMap::new();
    for (name, keys) in remapped {
        let Some(action) = Action::from_name(name) else {
            let near = nearest(name, Action::ALL.iter().map(|action| action.name()));
            let hint =
                near.map_or("`?` shows their names".to_owned(), |near| format!("did you mean `{near}`?"));
            return Err(format!("has no action `{}`; {hint}", name.escape_debug()));
        };
        let keys: Result<Vec<_>, _> = keys.iter().map(|keys| given_row(action, keys)).collect();
        given.insert(action.name(), keys?);
    }
    Ok(given)
}

/// Keys for an action: they are keys, and where it decides they are not those that never do.
fn given_row(action: Action, text: &str) -> Result<Vec<Key>, String> {
    let (name, shown) = (action.name(), text.escape_debug());
    let Some(keys) = Key::parse_row(text) else {
        return Err(format!("{name}: `{shown}` is no key; {}", Key::hint(text)));
    };
    match keys.iter().find_map(|key| key.enter_or_esc()) {
        Some(key) if action.decides() => Err(format!(
            "{name}: `{shown}` would let {key} decide, and {key} never decides; give it another key"
        )),
        Some(_) | None => Ok(keys),
    }
}

/// The keys that the config gives as far as a scope can hear them: where text is typed, letters are text.
fn heard(scope: Scope, given: &[Vec<Key>], usual: &[Vec<Key>]) -> Vec<Vec<Key>> {
    if !matches!(scope, Form | Prompt) {
        return given.to_vec();
    }
    let free = given.iter().filter(|keys| !keys.first().is_some_and(Key::is_typed));
    let free: Vec<Vec<Key>> = free.cloned().collect();
    if free.is_empty() && !given.is_empty() { usual.to_vec() } else { free }
}

impl Keymap {
    /// The usual keys, but for those that the config gives by the name of an action; the error says which cannot be.
    pub fn new(remapped: &BTreeMap<String, Vec<String>>) -> Result<Self, String> {
        let given = given(remapped).map_err(|why| format!("[keys] {why}"))?;
        let mut rows = Vec::new();
        for binding in BINDINGS {
            let Binding { scope, action, .. } = *binding;
            let help = if binding.help.is_empty() { action.help() } else { binding.help };
            let usual: Vec<Vec<Key>> = binding.keys.iter().filter_map(|keys| Key::parse_row(keys)).collect();
            let heard = match given.get(action.name()) {
                Some(given) => heard(scope, given, &usual),
                None => usual.clone(),
            };
            for keys in heard {
                let given = !usual.contains(&keys);
                rows.push(Row { scope, keys, action, help, given });
            }
        }
        let keymap = Self { rows };
        match keymap.clash() {
            Some(clash) => Err(format!("[keys] {clash}")),
            None => Ok(keymap),
        }
    }

    /// Two meanings of one key where both are heard, in a sentence.
    pub fn clash(&self) -> Option<String> {
        self.rows.iter().enumerate().find_map(|(n, row)| {
            let other = self.rows[..n].iter().find(|other| row.clashes(other))?;
            Some(row.clash(other))
        })
    }

    /// What `keys` mean in the first of these scopes that knows them.
    pub fn lookup(&self, scopes: &[Scope], keys: &[Key]) -> Lookup {
        let mut begun = false;
        for scope in scopes {
            for row in self.rows.iter().filter(|row| row.scope == *scope) {
                if row.keys == keys {
                    return Lookup::Found(row.action);
                }
                begun |= row.keys.len() > keys.len() && row.keys.starts_with(keys);
            }
        }
        if begun { Lookup::Begun } else { Lookup::Nothing }
    }

    /// The first key of an action in these scopes, as people write it.
    pub fn key_of(&self, scopes: &[Scope], action: Action) -> Option<String> {
        let row = self.rows.iter().find(|row| row.action == action && scopes.contains(&row.scope))?;
        Some(Key::show_row(&row.keys))
    }

    /// The rows of a scope: keys as people write them, the action, and what it does.
    pub fn rows(&self, scope: Scope) -> Vec<(String, Action, &'static str)> {
        let mut rows: Vec<(String, Action, &'static str)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.scope == scope) {
            let keys = Key::show_row(&row.keys);
            match rows.iter_mut().find(|(_, known, _)| *known == row.action) {
                Some((shown, ..)) => *shown = format!("{shown} {keys}"),
                None => rows.push((keys, row.action, row.help)),
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
        let names: Vec<String> = Key::names().map(|name| format!("`{name}`")).collect();
        page.push_str(&format!(
            "\nSuch a line takes the place of the action's usual keys; an empty list takes them away. A key is a \
             letter or a sign, two such as `gg`, or one of {}; `ctrl-` or `alt-` may stand before it. More keys in \
             a row have spaces between them. Where text is typed, letters stay letters, and the usual keys stay where \
             nothing else is given. A key that means something else in the same place is refused unless \
             that is moved too, and so are Enter and Esc for whatever decides. The inbox then says which it is, and \
             opens once it is put right.\n",
            names.join(", ")
        ));
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
#[path = "keymap_tests.rs"]
mod tests;
