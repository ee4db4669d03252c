//! The files of the program as facts: what each declares, what it imports, and how often it is used; most important
//! first.

use super::program_files;
use crate::tools::tree::{File, FileDependencies, Item, Tree};
use crate::workflows::docs::facts::{ModuleFacts, NameFacts};
use std::collections::BTreeMap;

/// How many files, names per file and names in all are kept.
const MODULES: usize = 400;
const NAMES: usize = 160;
const ALL: usize = 2_400;
const MINOR_NAMES: usize = 12;

/// The modules, and whether nothing was left out.
pub(super) fn modules(tree: &Tree, dependencies: &FileDependencies<'_>) -> (Vec<ModuleFacts>, bool) {
    let program = || program_files(&tree.files).filter(|file| !file.source.is_test);
    let mut name_uses: BTreeMap<(&str, &str), u32> = BTreeMap::new();
    for (target, names) in dependencies.values().flatten() {
        for name in names {
            *name_uses.entry((target, name)).or_default() += 1;
        }
    }
    let mut importers: BTreeMap<&str, u64> = BTreeMap::new();
    for file in program() {
        for target in dependencies.get(file.path.as_str()).into_iter().flatten() {
            *importers.entry(target.0).or_default() += 1;
        }
    }
    let mut modules: Vec<ModuleFacts> = program()
        .filter(|file| file.source.lines > 0)
        .map(|file| ModuleFacts {
            path: file.path.clone(),
            about: file.source.about.clone().unwrap_or_default(),
            lines: file.source.lines,
            imports: dependencies
                .get(file.path.as_str())
                .map(|targets| targets.keys().cloned().collect())
                .unwrap_or_default(),
            used_by: importers.get(file.path.as_str()).copied().unwrap_or_default(),
            names: names(file, &name_uses),
            more_names: 0,
            tests: Vec::new(),
        })
        .collect();
    modules.sort_by_key(|module| (std::cmp::Reverse(weight(module)), module.path.clone()));
    let mut is_complete = modules.len() <= MODULES;
    modules.truncate(MODULES);
    let mut room = ALL;
    for module in &mut modules {
        // If nobody imports a module and nothing in it is public, a few names are enough.
        let is_minor = module.used_by == 0 && !module.names.iter().any(|name| name.public);
        let limit = room.min(if is_minor { MINOR_NAMES } else { NAMES });
        if module.names.len() > limit {
            is_complete = false;
            module.more_names = (module.names.len() - limit) as u64;
            keep_best(&mut module.names, limit);
        }
        room -= module.names.len();
    }
    (modules, is_complete)
}

/// How useful a module is to a newcomer: how much it is used, how much it exports, and how long it is.
fn weight(module: &ModuleFacts) -> u64 {
    let public = module.names.iter().filter(|name| name.public).count() as u64;
    module.used_by * 6 + public.min(40) + module.lines.min(4_000) / 100
}

fn names(file: &File, name_uses: &BTreeMap<(&str, &str), u32>) -> Vec<NameFacts> {
    let fact = |item: &Item| NameFacts {
        kind: item.kind.to_owned(),
        name: item.name.clone(),
        line: item.line,
        signature: item.signature.clone(),
        about: item.about.clone(),
        public: item.public,
        uses: name_uses.get(&(file.path.as_str(), item.name.as_str())).copied().unwrap_or_default(),
    };
    file.source.items.iter().filter(|item| !matches!(item.kind, "impl" | "target")).map(fact).collect()
}

/// Keeps the most telling names, in order.
pub(in crate::workflows::docs) fn keep_best(names: &mut Vec<NameFacts>, max: usize) {
    if names.len() <= max {
        return;
    }
    let mut ranked: Vec<usize> = (0..names.len()).collect();
    ranked.sort_by_key(|index| (rank(&names[*index]), std::cmp::Reverse(names[*index].uses), *index));
    let mut best: Vec<usize> = ranked.into_iter().take(max).collect();
    best.sort_unstable();
    let mut index = 0;
    names.retain(|_| {
        index += 1;
        best.binary_search(&(index - 1)).is_ok()
    });
}

/// Types first, then functions, then methods; public and documented names before others.
fn rank(name: &NameFacts) -> u8 {
    let kind_rank = match name.kind.as_str() {
        "function" => 1,
        "method" | "property" => 3,
        "constant" => 4,
        _ => 0,
    };
    // A method of a private type is often where the work is done.
    let private_penalty = if name.public { 0 } else { 2 };
    kind_rank + private_penalty + u8::from(name.about.is_empty())
}
