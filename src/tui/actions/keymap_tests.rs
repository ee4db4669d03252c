//! Tests of the table of keys and of what the config may change in it.

use super::*;
use crate::tui::actions::Action as A;
use crate::tui::actions::Scope::Menu;
use crate::tui::model::{Focus, Model, Tab};
use crate::tui::options::Options;
use jiff::Timestamp;
use std::fs;
use std::path::Path;
use std::time::Instant;

fn keymap(name: &str, keys: &[&str]) -> Result<Keymap, String> {
    keymap_of(&[(name, keys)])
}

fn keymap_of(lines: &[(&str, &[&str])]) -> Result<Keymap, String> {
    let owned = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>();
    Keymap::new(&lines.iter().map(|(name, keys)| ((*name).to_owned(), owned(keys))).collect(), &[])
}

#[test]
fn no_key_has_two_meanings_in_a_scope() {
    let usual = Keymap::new(&BTreeMap::new(), &[]).unwrap();
    assert_eq!(usual.clash(), None);
    for scopes in ACTIVE_TOGETHER {
        for scope in *scopes {
            for (keys, action, _) in usual.rows(*scope) {
                let nearer_scopes = scopes.iter().take_while(|other| *other != scope);
                for other in nearer_scopes {
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
fn what_the_screen_listens_to_at_once_is_known() {
    let (now, wall) = (Instant::now(), Timestamp::now());
    let mut model = Model::new(Options::default(), Vec::new(), (80, 24), now, wall).unwrap();
    for tab in [Tab::Inbox, Tab::Threads, Tab::Memory, Tab::Activity] {
        for focus in [Focus::List, Focus::Card] {
            (model.tab, model.focus) = (tab, focus);
            let scopes = model.scopes();
            let is_listed =
                ACTIVE_TOGETHER.iter().any(|listed| scopes.iter().all(|scope| listed.contains(scope)));
            assert!(is_listed, "{scopes:?} are heard together");
        }
    }
}

#[test]
fn letters_stay_letters_where_text_is_typed() {
    let ctrl_s = Key { ctrl: true, ..Key::plain('s') };
    let mapped = keymap_of(&[("submit", &["s"]), ("down", &["x", "down"])]).unwrap();
    assert_eq!(mapped.lookup(&[Form], &[Key::plain('s')]), Lookup::Nothing);
    assert_eq!(
        mapped.lookup(&[Form], &[ctrl_s]),
        Lookup::Found(A::Submit),
        "there is still a way to send it"
    );
    assert_eq!(mapped.lookup(&[Prompt], &[Key::plain('x')]), Lookup::Nothing);
    assert_eq!(mapped.lookup(&[List], &[Key::plain('x')]), Lookup::Found(A::Down));
    assert_eq!(keymap("submit", &[]).unwrap().key_of(&[Form], A::Submit), None);
}

#[test]
fn keys_are_remapped_by_name() {
    let mapped = keymap("accept", &["x"]).unwrap();
    assert_eq!(mapped.lookup(&[Decide], &[Key::plain('x')]), Lookup::Found(A::Accept));
    assert_eq!(mapped.lookup(&[Decide], &[Key::plain('a')]), Lookup::Nothing);
    assert_eq!(keymap("accept", &[]).unwrap().key_of(&[Decide], A::Accept), None);
    keymap("accept", &["a", "ctrl-y"]).unwrap();
    assert!(keymap("acept", &["x"]).unwrap_err().contains("did you mean `accept`?"));
    assert!(keymap("accept", &["e"]).unwrap_err().contains("would mean both"));
    assert!(keymap("accept", &["er"]).unwrap_err().contains("would mean both"));
}

#[test]
fn what_is_no_key_is_refused() {
    for key in ["nosuchkey", "hyper-x", "F5", "", "x y nosuchkey"] {
        let refused = keymap("accept", &[key]).unwrap_err();
        assert!(
            refused.starts_with(&format!("[keys] accept: `{key}` is not a key; write one character")),
            "{refused}"
        );
        assert!(refused.contains("pagedown"), "{refused}");
    }
    let refused = keymap("accept", &["x", "spcae"]).unwrap_err();
    assert_eq!(refused, "[keys] accept: `spcae` is not a key; did you mean \"space\"?");
    keymap("accept", &["x y z"]).unwrap();
}

#[test]
fn a_key_that_means_something_else_at_the_same_time_is_refused() {
    assert_eq!(
        keymap("accept", &["q"]).unwrap_err(),
        "[keys] `q` would mean both `back` and `accept`; give `accept` another key, or move `back` to another one"
    );
    assert_eq!(
        keymap("help", &["a"]).unwrap_err(),
        "[keys] `a` would mean both `help` and `accept`; give `help` another key, or move `accept` to another one"
    );
    // Keys of the list, the card and everywhere: alone, as a prefix, and with a prefix.
    for key in ["j", "b", "ctrl-c", "gi", "g", "qx"] {
        assert!(keymap("accept", &[key]).unwrap_err().contains("would mean both"), "{key}");
    }
    let both = keymap_of(&[("accept", &["x"]), ("ignore", &["x"])]).unwrap_err();
    assert_eq!(both, "[keys] `x` would mean both `accept` and `ignore`; give one of them another key");
    assert!(keymap("open", &["o"]).unwrap_err().contains("both `open` and `unfold`"));
}

#[test]
fn a_key_is_free_where_nobody_else_listens() {
    // Threads, Memory and questions use these, and no item is selected there.
    for key in ["o", "ctrl-s"] {
        keymap("accept", &[key]).unwrap();
    }
    // The config may repeat the table's own keys, though a nearer scope hides some of them.
    keymap("open", &["enter", "l", "right"]).unwrap();
    keymap("next_view", &["l", "right", "}"]).unwrap();
    let moved = keymap_of(&[("accept", &["q"]), ("back", &["backspace"])]).unwrap();
    assert_eq!(moved.lookup(&[List, Decide, Global], &[Key::plain('q')]), Lookup::Found(A::Accept));
    let removed = keymap_of(&[("accept", &["q"]), ("back", &[])]).unwrap();
    assert_eq!(removed.lookup(&[Menu], &[Key::plain('q')]), Lookup::Found(A::Cancel));
}

#[test]
fn neither_enter_nor_esc_decides() {
    for binding in BINDINGS.iter().filter(|binding| binding.action.decides()) {
        let mut keys = binding.keys.iter().flat_map(|keys| Key::parse_row(keys).unwrap());
        assert_eq!(keys.find_map(Key::enter_or_esc), None, "{binding:?}");
    }
    assert_eq!(
        keymap("accept", &["a", "enter"]).unwrap_err(),
        "[keys] accept: `enter` would let Enter decide, and Enter never decides; give it another key"
    );
    for action in Action::ALL.iter().filter(|action| action.decides()) {
        for key in ["enter", "esc", "alt-enter", "ctrl-j", "ctrl-m", "ctrl-[", "g enter"] {
            let refused = keymap(action.name(), &[key]).unwrap_err();
            assert!(refused.contains(" never decides; "), "{refused}");
        }
    }
    // Also when no other action uses the key.
    let freed = keymap_of(&[("accept", &["enter"]), ("open", &["l"]), ("unfold", &["o"])]);
    assert!(freed.unwrap_err().contains("Enter never decides"));
    keymap_of(&[("undo", &["enter"]), ("open", &["l"]), ("unfold", &["o"]), ("quotes", &["T"])]).unwrap();
}

#[test]
fn long_keys_are_waited_for() {
    let usual = Keymap::new(&BTreeMap::new(), &[]).unwrap();
    let g = Key::plain('g');
    assert_eq!(usual.lookup(&[List, Global], &[g]), Lookup::Prefix);
    assert_eq!(usual.lookup(&[List, Global], &[g, g]), Lookup::Found(A::Top));
    assert_eq!(usual.lookup(&[List, Global], &[g, Key::plain('!')]), Lookup::Nothing);
}

#[test]
fn the_page_of_keys_is_fresh() {
    let page = Keymap::new(&BTreeMap::new(), &[]).unwrap().markdown();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/keys.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/docs")).unwrap();
        std::fs::write(path, &page).unwrap();
    }
    let saved = std::fs::read_to_string(path).unwrap_or_default();
    assert!(saved == page, "docs/keys.md is stale: run the tests once with UPDATE_DOCS=1");
}

#[test]
fn own_commands_have_keys_of_their_own() {
    let command = |key: &str, name: &str| OwnCommand {
        key: key.to_owned(),
        name: name.to_owned(),
        run: "true".to_owned(),
    };
    let mapped =
        Keymap::new(&BTreeMap::new(), &[command("gj", "ticket"), command("ctrl-b", "blog")]).unwrap();
    let (g, j) = (Key::plain('g'), Key::plain('j'));
    assert_eq!(mapped.lookup(&[List, Decide, Global], &[g, j]), Lookup::OwnCommand(0));
    assert_eq!(mapped.lookup(&[List, Decide, Global], &[g]), Lookup::Prefix);
    assert_eq!(mapped.lookup(&[Form], &[g, j]), Lookup::Nothing, "not where text is typed");
    assert_eq!(
        mapped.own_commands().collect::<Vec<_>>(),
        [("gj".to_owned(), "ticket"), ("Ctrl-b".to_owned(), "blog")]
    );
    for (commands, message) in [
        (
            vec![command("a", "x")],
            "[[command]] `a` would mean both `x` and `accept`; give the command another key",
        ),
        (vec![command("g", "x")], "[[command]] `g` would mean both `x` and `next_tab`"),
        (vec![command("gj", "x"), command("gj", "y")], "[[command]] `gj` would mean both `y` and `x`"),
        (vec![command("enter", "x")], "[[command]] `enter` contains Enter, which"),
        (vec![command("spcae", "x")], "[[command]] `spcae` is not a key; did you mean"),
    ] {
        let refused = Keymap::new(&BTreeMap::new(), &commands).unwrap_err();
        assert!(refused.starts_with(message), "{refused}");
    }
}

#[test]
fn sentences_name_keys_by_their_actions() {
    let mapped = keymap_of(&[("undo", &["ctrl-y"]), ("accept", &[])]).unwrap();
    let spell = |sentence| mapped.spell(&[Scope::Card, Scope::Global], sentence);
    assert_eq!(spell("<undo> takes it back"), "Ctrl-y takes it back");
    assert_eq!(spell("<card_down>, <submit>"), "j, Ctrl-s", "here, or else where it has a key");
    assert_eq!(spell("<accept> does that"), ":accept does that");
    assert_eq!(spell("1 < 2 <bob@b.example>"), "1 < 2 <bob@b.example>");
}

#[test]
fn every_action_in_a_sentence_exists() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![source.join("tui"), source.join("app/demo")];
    let mut named = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            // A type has its name before the bracket.
            for part in text.split([' ', '"', '(']).filter_map(|word| word.strip_prefix('<')) {
                let Some((name, _)) = part.split_once('>') else { continue };
                if !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_') {
                    assert!(Action::from_name(name).is_some(), "{}: <{name}>", path.display());
                    named += 1;
                }
            }
        }
    }
    assert!(named > 50, "{named}");
}
