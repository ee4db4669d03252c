//! Adds a table to a TOML file and removes it again. Comments and order of everything else stay.

use toml_edit::{DocumentMut, Item, Table};

/// The file with this table.
pub(super) fn with(text: &str, path: &[String; 2], ours: &str) -> Result<String, String> {
    let mut document = parse(text)?;
    let mut table = parse(ours)?.as_table().clone();
    let [above, name] = path;
    let parent = document.entry(above).or_insert_with(|| {
        let mut parent = Table::new();
        parent.set_implicit(true);
        Item::Table(parent)
    });
    let Some(parent) = parent.as_table_like_mut() else {
        return Err(format!("`{above}` is not a table; fix it first"));
    };
    let same =
        parent.get(name).is_some_and(|existing| existing.to_string().trim() == table.to_string().trim());
    if same {
        return Ok(text.to_owned());
    }
    if !text.trim().is_empty() {
        table.decor_mut().set_prefix("\n");
    }
    table.set_position(None);
    parent.insert(name, Item::Table(table));
    Ok(document.to_string())
}

/// The file without this table.
pub(super) fn without(text: &str, path: &[String; 2]) -> Result<String, String> {
    let mut document = parse(text)?;
    let [above, name] = path;
    let Some(parent) = document.get_mut(above).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if parent.remove(name).is_none() {
        return Ok(text.to_owned());
    }
    if parent.is_empty() {
        document.remove(above);
    }
    Ok(document.to_string())
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        format!("it cannot be read as TOML: {}; fix it first", error.message())
    })
}
