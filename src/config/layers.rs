//! Layers the sources: defaults, then the file, then the environment, then flags.

use std::path::Path;

use super::entries::{Address, Entries};
use super::error::{Error, quoted};
use super::inputs::Inputs;
use super::keys::Section;
use super::models::{BUILTIN, ME, MODELS, ModelSection, Provider, WORKFLOW};
use super::origin::Origin;
use super::read;
use super::reader::Choice as _;
use super::sections::SECTIONS;

/// The model that a flag or a variable picked.
pub(super) struct Picked {
    pub(super) name: String,
    pub(super) origin: Origin,
}

/// Layers all sources; `written` is the file and its text.
pub(super) fn lay(
    inputs: &Inputs,
    written: Option<(&Path, &str)>,
) -> Result<(Entries, Option<Picked>), Error> {
    let mut entries = Entries::default();
    if let Some((path, text)) = written {
        read::file(&mut entries, path, text)?;
    }
    read::env(&mut entries, &inputs.env)?;
    add_builtin(&mut entries)?;
    let picked = pick_model(&mut entries, inputs)?;
    fill_defaults(&mut entries, inputs);
    Ok((entries, picked))
}

/// Adds `builtin` and `me` as models like any other, so that they can be named wherever a model is named.
fn add_builtin(entries: &mut Entries) -> Result<(), Error> {
    for (name, what) in [(BUILTIN, "the built-in rules"), (ME, "you in the model's place")] {
        let at = entries.origin(MODELS, name, "");
        if at != Origin::Default {
            let why = format!("names {what}; choose another name");
            return Err(Error::BadValue { key: format!("models.{name}"), at, why });
        }
        entries.begin(MODELS, name, Origin::Default);
        entries.put(Address::new(MODELS, name, "provider"), name.into(), Origin::Default);
    }
    // `[model]` is known by the name of its section, so no other model may use that name.
    let at = entries.origin(MODELS, "model", "");
    if at != Origin::Default {
        let why = "would be taken for [model]; choose another name".to_owned();
        return Err(Error::BadValue { key: "models.model".to_owned(), at, why });
    }
    Ok(())
}

/// Replaces `[model]` and every workflow's own choice with the model from `--model` or `SAYSO_MODEL`: a user who says
/// `--model builtin` means that nothing goes over the network.
fn pick_model(entries: &mut Entries, inputs: &Inputs) -> Result<Option<Picked>, Error> {
    let (name, origin) = match (&inputs.flags.model, inputs.env.get("SAYSO_MODEL")) {
        (Some(name), _) => (name.clone(), Origin::Flag("--model")),
        (None, Some(name)) => (name.to_string_lossy().into_owned(), Origin::Env("SAYSO_MODEL".to_owned())),
        (None, None) => return Ok(None),
    };
    let models: Vec<String> = entries.names(MODELS).into_iter().collect();
    if !models.contains(&name) {
        return Err(Error::UnknownModel { name: quoted(&name), at: origin, known: models });
    }
    entries.replace((ModelSection::SECTION, ""), (MODELS, &name));
    entries.overwrite(WORKFLOW, "model", &name.as_str().into(), &origin);
    Ok(Some(Picked { name, origin }))
}

/// Fills in the default of every key that is not set, so that all settings are in one place.
fn fill_defaults(entries: &mut Entries, inputs: &Inputs) {
    for section in SECTIONS {
        for name in entries.names(section) {
            let mut fill = |key: &str, value: Option<toml::Value>| {
                if let (None, Some(value)) = (entries.get(section, &name, key), value) {
                    entries.put(Address::new(section, &name, key), value, Origin::Default);
                }
            };
            for (path, key) in section.full_keys() {
                fill(&path, key.default());
            }
            match section.name {
                "user" => fill("time_zone", inputs.host.time_zone.iana_name().map(Into::into)),
                "model" | "models" => fill_provider(entries, section, &name),
                _ => {}
            }
        }
    }
}

/// Fills in the provider's server, and the variable its key is usually in. A default never sends a key to another
/// server: with a `base_url`, the key has to be named.
fn fill_provider(entries: &mut Entries, section: &Section, name: &str) {
    let Some(provider) = entries.text(section, name, "provider").and_then(Provider::from_word) else {
        return;
    };
    let is_written = |key: &str| entries.get(section, name, key).is_some();
    if is_written("base_url") {
        return;
    }
    let has_key = ["api_key_env", "api_key_command", "api_key_file"].into_iter().any(is_written);
    if let Some(url) = provider.base_url() {
        entries.put(Address::new(section, name, "base_url"), url.into(), Origin::Default);
    }
    if let (Some(variable), false) = (provider.api_key_env(), has_key) {
        entries.put(Address::new(section, name, "api_key_env"), variable.into(), Origin::Default);
    }
}
