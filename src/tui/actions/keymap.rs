//! Which key means what: the default keys from the table of actions, and those the config puts in their place.
//!
//! Promises: within a scope a key means one thing (a test checks it), and a key that begins a longer sequence means
//! nothing by itself. Keys from the config keep both rules, take no key from an action active at the same time, and
//! never let Enter or Esc decide; otherwise they are refused with one sentence.

use super::{Action, BINDINGS, Binding, Scope};
use crate::config::OwnCommand;
use crate::text::nearest;
use crate::tui::key::Key;
use std::collections::BTreeMap;

use Scope::{Card, Decide, Form, Global, List, Memory, Prompt, Thread};

/// The scopes that are active together, nearest first, matching `Model::scopes` (a test checks it). Layers over the
/// tabs are active alone.
const ACTIVE_TOGETHER: &[&[Scope]] = &[
    &[List, Decide, Global],
    &[Card, Decide, Global],
    &[List, Memory, Global],
    &[Card, Memory, Global],
    &[List, Thread, Global],
    &[Thread, Card, Global],
];

/// The scopes that are active together with the user's own commands.
const OWN_COMMAND_SCOPES: &[Scope] = &[Global, List, Card, Decide];

/// What a key means after the keys before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lookup {
    Found(Action),
    /// It runs the user's own command with this number.
    OwnCommand(usize),
    /// It begins a longer sequence.
    Prefix,
    Nothing,
}

/// The table of actions with the config's keys merged in.
#[derive(Clone, Debug)]
pub struct Keymap {
    rows: Vec<Row>,
    /// The user's own commands, each with its keys; they are active when an item is selected.
    own_commands: Vec<(Vec<Key>, String)>,
}

/// One key sequence for one action in one scope.
#[derive(Clone, Debug)]
struct Row {
    scope: Scope,
    keys: Vec<Key>,
    action: Action,
    help: &'static str,
    /// Whether it comes from the config instead of the table.
    is_from_config: bool,
}

/// The keys both begin with, if one of them is a prefix of the other.
fn common_prefix<'a>(one: &'a [Key], other: &[Key]) -> Option<&'a [Key]> {
    let length = one.len().min(other.len());
    (one[..length] == other[..length]).then_some(&one[..length])
}

impl Row {
    /// Whether one could be mistaken for the other. The table itself sometimes lets a nearer scope shadow a farther one
    /// and gives the farther one another key; in the config that is always a mistake.
    fn clashes(&self, other: &Row) -> bool {
        let contains_both = |scopes: &&[Scope]| scopes.contains(&self.scope) && scopes.contains(&other.scope);
        let active_together =
            || (self.is_from_config || other.is_from_config) && ACTIVE_TOGETHER.iter().any(contains_both);
        self.action != other.action
            && common_prefix(&self.keys, &other.keys).is_some()
            && (self.scope == other.scope || active_together())
    }

    /// Describes the clash in a sentence that says how to resolve it.
    fn describe_clash(&self, other: &Row) -> String {
        let (one, two) = (other.action.name(), self.action.name());
        let way_out = match (other.is_from_config, self.is_from_config) {
            (true, false) => format!("give `{one}` another key, or move `{two}` to another one"),
            (false, true) => format!("give `{two}` another key, or move `{one}` to another one"),
            (true, true) | (false, false) => "give one of them another key".to_owned(),
        };
        let keys = Key::show_row(common_prefix(&self.keys, &other.keys).unwrap_or_default());
        format!("`{keys}` would mean both `{one}` and `{two}`; {way_out}")
    }
}

/// The config's keys, by the name of their action.
fn parse_config(
    remapped: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<&'static str, Vec<Vec<Key>>>, String> {
    let mut configured = BTreeMap::new();
    for (name, keys) in remapped {
        let Some(action) = Action::from_name(name) else {
            let near = nearest(name, Action::ALL.iter().map(|action| action.name()));
            let hint =
                near.map_or("`?` shows their names".to_owned(), |near| format!("did you mean `{near}`?"));
            return Err(format!("has no action `{}`; {hint}", name.escape_debug()));
        };
        let keys: Result<Vec<_>, _> = keys.iter().map(|keys| parse_keys(action, keys)).collect();
        configured.insert(action.name(), keys?);
    }
    Ok(configured)
}

/// Parses the keys for an action; if the action decides, keys that never decide are refused.
fn parse_keys(action: Action, text: &str) -> Result<Vec<Key>, String> {
    let (name, shown) = (action.name(), text.escape_debug());
    let Some(keys) = Key::parse_row(text) else {
        return Err(format!("{name}: `{shown}` is not a key; {}", Key::hint(text)));
    };
    match keys.iter().find_map(|key| key.enter_or_esc()) {
        Some(key) if action.decides() => Err(format!(
            "{name}: `{shown}` would let {key} decide, and {key} never decides; give it another key"
        )),
        Some(_) | None => Ok(keys),
    }
}

/// The config's keys that a scope can use: where text is typed, letters are text.
fn usable_keys(scope: Scope, configured: &[Vec<Key>], usual: &[Vec<Key>]) -> Vec<Vec<Key>> {
    if !matches!(scope, Form | Prompt) {
        return configured.to_vec();
    }
    let usable = configured.iter().filter(|keys| keys.first().is_none_or(|key| key.letter().is_none()));
    let usable: Vec<Vec<Key>> = usable.cloned().collect();
    if usable.is_empty() && !configured.is_empty() { usual.to_vec() } else { usable }
}

impl Keymap {
    /// The default keys, except those the config replaces by action name, plus the keys of the user's own commands. The
    /// error says which keys are not possible.
    pub fn new(remapped: &BTreeMap<String, Vec<String>>, commands: &[OwnCommand]) -> Result<Self, String> {
        let configured = parse_config(remapped).map_err(|why| format!("[keys] {why}"))?;
        let mut rows = Vec::new();
        for binding in BINDINGS {
            let Binding { scope, action, .. } = *binding;
            let help = binding.label.unwrap_or(action.help());
            let usual: Vec<Vec<Key>> = binding.keys.iter().filter_map(|keys| Key::parse_row(keys)).collect();
            let bound = match configured.get(action.name()) {
                Some(configured) => usable_keys(scope, configured, &usual),
                None => usual.clone(),
            };
            for keys in bound {
                let is_from_config = !usual.contains(&keys);
                rows.push(Row { scope, keys, action, help, is_from_config });
            }
        }
        let mut keymap = Self { rows, own_commands: Vec::new() };
        if let Some(description) = keymap.clash() {
            return Err(format!("[keys] {description}"));
        }
        for command in commands {
            let keys = keymap.own_keys(command).map_err(|why| format!("[[command]] {why}"))?;
            keymap.own_commands.push((keys, command.name.clone()));
        }
        Ok(keymap)
    }

    /// The keys of one of the user's own commands, if they mean nothing else where it is active.
    fn own_keys(&self, command: &OwnCommand) -> Result<Vec<Key>, String> {
        let shown = command.key.escape_debug();
        let keys = Key::parse_row(&command.key)
            .ok_or_else(|| format!("`{shown}` is not a key; {}", Key::hint(&command.key)))?;
        if let Some(key) = keys.iter().find_map(|key| key.enter_or_esc()) {
            return Err(format!("`{shown}` contains {key}, which can't run a command; give it another key"));
        }
        let bound = self.rows.iter().filter(|row| OWN_COMMAND_SCOPES.contains(&row.scope));
        let bound = bound.map(|row| (&row.keys, row.action.name()));
        let other_commands = self.own_commands.iter().map(|(keys, name)| (keys, name.as_str()));
        match bound.chain(other_commands).find(|(other, _)| common_prefix(&keys, other).is_some()) {
            Some((_, other)) => {
                let name = command.name.escape_debug();
                Err(format!("`{shown}` would mean both `{name}` and `{other}`; give the command another key"))
            }
            None => Ok(keys),
        }
    }

    /// The user's own commands: their keys as people write them, and their names.
    pub fn own_commands(&self) -> impl Iterator<Item = (String, &str)> {
        self.own_commands.iter().map(|(keys, name)| (Key::show_row(keys), name.as_str()))
    }

    /// Describes a key with two meanings that are active together.
    pub fn clash(&self) -> Option<String> {
        self.rows.iter().enumerate().find_map(|(n, row)| {
            let other = self.rows[..n].iter().find(|other| row.clashes(other))?;
            Some(row.describe_clash(other))
        })
    }

    /// What `keys` mean in the first of these scopes that knows them.
    pub fn lookup(&self, scopes: &[Scope], keys: &[Key]) -> Lookup {
        let mut is_prefix = false;
        for scope in scopes {
            for row in self.rows.iter().filter(|row| row.scope == *scope) {
                if row.keys == keys {
                    return Lookup::Found(row.action);
                }
                is_prefix |= row.keys.len() > keys.len() && row.keys.starts_with(keys);
            }
        }
        if scopes.contains(&Decide) {
            for (number, (command_keys, _)) in self.own_commands.iter().enumerate() {
                if command_keys == keys {
                    return Lookup::OwnCommand(number);
                }
                is_prefix |= command_keys.len() > keys.len() && command_keys.starts_with(keys);
            }
        }
        if is_prefix { Lookup::Prefix } else { Lookup::Nothing }
    }

    /// The first key of an action in these scopes, as people write it.
    pub fn key_of(&self, scopes: &[Scope], action: Action) -> Option<String> {
        let row = self.rows.iter().find(|row| row.action == action && scopes.contains(&row.scope))?;
        Some(Key::show_row(&row.keys))
    }

    /// A sentence in which every `<action>` has become the key that it has in these scopes, or else elsewhere. An action
    /// without a key is called as in the palette.
    pub fn spell(&self, scopes: &[Scope], sentence: &str) -> String {
        let mut spelled = String::new();
        let mut rest = sentence;
        while let Some((before, after)) = rest.split_once('<') {
            spelled.push_str(before);
            let name = after.split_once('>');
            let action = name.and_then(|(name, after)| Some((Action::from_name(name)?, after)));
            let Some((action, after)) = action else {
                spelled.push('<');
                rest = after;
                continue;
            };
            let key = self.key_of(scopes, action).or_else(|| self.key_of(&Scope::ALL, action));
            spelled.push_str(&key.unwrap_or_else(|| format!(":{}", action.name())));
            rest = after;
        }
        spelled + rest
    }

    /// What an action does in the first of these scopes that has it.
    pub fn help_of(&self, scopes: &[Scope], action: Action) -> &'static str {
        let row_in = |scope: &Scope| self.rows.iter().find(|row| row.scope == *scope && row.action == action);
        scopes.iter().find_map(row_in).map_or(action.help(), |row| row.help)
    }

    /// The rows of a scope: keys as people write them, the action, and its help.
    pub fn rows(&self, scope: Scope) -> Vec<(String, Action, &'static str)> {
        let mut rows: Vec<(String, Action, &'static str)> = Vec::new();
        for row in self.rows.iter().filter(|row| row.scope == scope) {
            let keys = Key::show_row(&row.keys);
            match rows.iter_mut().find(|(_, action, _)| *action == row.action) {
                Some((shown, ..)) => *shown = format!("{shown} {keys}"),
                None => rows.push((keys, row.action, row.help)),
            }
        }
        rows
    }

    /// The table as `docs/keys.md` shows it.
    pub fn markdown(&self) -> String {
        let mut page = String::from(
            "# Keys\n\nLower case is the everyday action, upper case the stronger or rarer one. Enter, Esc, mouse and paste never \
             decide. Any key can be changed in the config, by the name in the third column:\n\n```toml\n[keys]\n\
             accept = [\"a\", \"ctrl-y\"]\n```\n",
        );
        let names: Vec<String> = Key::names().map(|name| format!("`{name}`")).collect();
        page.push_str(&format!(
            "\nSuch a line replaces the action's usual keys; an empty list removes them. A key is one character, \
             two such as `gg`, or one of {}; `ctrl-` or `alt-` may come first. Separate longer sequences with \
             spaces. Where you type text, letters stay letters, and the usual keys stay unless you change them. A \
             key that already means something else in the same place is refused unless you move that too, and so \
             are Enter and Esc for anything that decides. The inbox then names the problem, and opens once it is \
             fixed.\n",
            names.join(", ")
        ));
        page.push_str(
            "\n`/` takes a [query](commands.md#queries). The inbox is filtered while you type, and counts what matches \
             among mail put away, sent or done. In Threads `\\` is a menu, the best match of `/` comes first, and `n` \
             and `N` step through them.\n",
        );
        page.push_str(
            "\nYour own commands can have keys too. Such a command gets the card as JSON on its input, as `sayso \
             show --json` prints it, and its output is shown; `?` and `:` list it. It runs in a shell, only when \
             you press its key, and approves nothing by itself; `sayso` in it uses the same data folder. It is \
             killed if it runs longer than a minute.\n\n```toml\n[[command]]\nkey = \"gj\"\nname = \"find the ticket\"\n\
             run = \"jq -r .title | tickets find\"\n```\n",
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
#[path = "keymap_tests.rs"]
mod tests;
