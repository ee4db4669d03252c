//! Adds a table to a TOML file and removes it again. Comments and order of everything else stay.

use toml_edit::{DocumentMut, Item, Table};

/// The file with this table. What somebody added to it stays.
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
    if let Some(there) = parent.get_mut(name).and_then(Item::as_table_like_mut) {
        let mut is_same = true;
        for (key, ours) in table.iter() {
            if there.get(key).map(bare) != Some(bare(ours)) {
                there.insert(key, ours.clone());
                is_same = false;
            }
        }
        return Ok(if is_same { text.to_owned() } else { document.to_string() });
    }
    if !text.trim().is_empty() {
        table.decor_mut().set_prefix("\n");
    }
    table.set_position(None);
    parent.insert(name, Item::Table(table));
    Ok(document.to_string())
}

/// Whether the file has this table.
pub(super) fn has(text: &str, [above, name]: &[String; 2]) -> bool {
    let document = parse(text).ok();
    let parent = document.as_ref().and_then(|document| document.get(above)?.as_table_like());
    parent.is_some_and(|parent| parent.contains_key(name))
}

/// The file without this table, and without an empty table around it, unless that was there `before`.
pub(super) fn without(text: &str, path: &[String; 2], before: Option<&str>) -> Result<String, String> {
    let mut document = parse(text)?;
    let [above, name] = path;
    let Some(parent) = document.get_mut(above).and_then(Item::as_table_like_mut) else {
        return Ok(text.to_owned());
    };
    if parent.remove(name).is_none() {
        return Ok(text.to_owned());
    }
    let was_there = before.is_some_and(|before| parse(before).is_ok_and(|before| before.contains_key(above)));
    if parent.is_empty() && !was_there {
        document.remove(above);
    }
    let after = document.to_string();
    // The last line may have ended with what is gone.
    Ok(if after.is_empty() || after.ends_with('\n') { after } else { after + "\n" })
}

/// A value without spaces and comments around it.
fn bare(item: &Item) -> String {
    let mut value = item.clone();
    if let Some(value) = value.as_value_mut() {
        value.decor_mut().clear();
    }
    value.to_string()
}

fn parse(text: &str) -> Result<DocumentMut, String> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        format!("it cannot be read as TOML: {}; fix it first", error.message())
    })
}
