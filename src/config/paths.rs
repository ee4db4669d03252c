//! Where the data folder and the config file are.
//!
//! Decides by names and one question, "does this file exist?", which the caller answers. Creates nothing.

use std::path::{Path, PathBuf};

use super::error::Error;
use super::inputs::Inputs;

/// The file's name, in the data folder and in the platform's config folder.
pub(super) const FILE_NAME: &str = "config.toml";

/// Where the data folder and the config file are.
pub(super) struct Paths {
    pub(super) data: PathBuf,
    /// The flag or the variable that named the data folder.
    pub(super) data_named: Option<&'static str>,
    /// The config file to read, if there is a place for one at all.
    pub(super) config: Option<PathBuf>,
    /// The flag or the variable that named the config file.
    pub(super) config_named: Option<&'static str>,
}

impl Paths {
    /// Decides where both are; the first of these wins.
    ///
    /// Data: `--data`, `SAYSO_DATA`, the platform's folder. Config: `--config`, `SAYSO_CONFIG`, a `config.toml` in the
    /// data folder, the platform's folder.
    pub(super) fn locate(inputs: &Inputs, exists: impl Fn(&Path) -> bool) -> Result<Self, Error> {
        let host = &inputs.host;
        let named = |typed: &Option<PathBuf>, flag, variable| match (typed, inputs.env.get(variable)) {
            (Some(path), _) => Some((host.expand(path), flag)),
            (None, Some(value)) => Some((host.expand(Path::new(value)), variable)),
            (None, None) => None,
        };
        let (data, data_named) = match named(&inputs.flags.data, "--data", "SAYSO_DATA") {
            Some((path, by)) => (path, Some(by)),
            None => (host.data_dir.clone().ok_or(Error::NoHome)?, None),
        };
        let (config, config_named) = match named(&inputs.flags.config, "--config", "SAYSO_CONFIG") {
            Some((path, by)) => (Some(path), Some(by)),
            None => {
                let beside = data.join(FILE_NAME);
                let usual = host.config_dir.as_ref().map(|dir| dir.join(FILE_NAME));
                (if exists(&beside) { Some(beside) } else { usual }, None)
            }
        };
        Ok(Self { data, data_named, config, config_named })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::tests::inputs;

    #[test]
    fn what_is_named_more_closely_wins() {
        let usual = "/home/ada/.config/sayso/config.toml";
        // --data, SAYSO_DATA, --config, SAYSO_CONFIG, is there a file in the data folder → data, config
        type Row = (
            [Option<&'static str>; 4],
            bool,
            (&'static str, Option<&'static str>),
            (&'static str, Option<&'static str>),
        );
        let rows: [Row; 7] = [
            ([None; 4], false, ("/home/ada/.local/share/sayso", None), (usual, None)),
            (
                [None; 4],
                true,
                ("/home/ada/.local/share/sayso", None),
                ("/home/ada/.local/share/sayso/config.toml", None),
            ),
            ([Some("/d"), Some("/e"), None, None], true, ("/d", Some("--data")), ("/d/config.toml", None)),
            ([Some("/d"), None, None, None], false, ("/d", Some("--data")), (usual, None)),
            ([None, Some("~/e"), None, None], false, ("/home/ada/e", Some("SAYSO_DATA")), (usual, None)),
            (
                [Some("d"), None, None, Some("/c.toml")],
                true,
                ("/here/d", Some("--data")),
                ("/c.toml", Some("SAYSO_CONFIG")),
            ),
            (
                [Some("d"), None, Some("c.toml"), Some("/c.toml")],
                true,
                ("/here/d", Some("--data")),
                ("/here/c.toml", Some("--config")),
            ),
        ];
        for ([data_flag, data_env, config_flag, config_env], beside, data, config) in rows {
            let mut inputs = inputs();
            inputs.flags.data = data_flag.map(PathBuf::from);
            inputs.flags.config = config_flag.map(PathBuf::from);
            let variables = [("SAYSO_DATA", data_env), ("SAYSO_CONFIG", config_env)];
            inputs.env = variables.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();

            let paths = Paths::locate(&inputs, |_| beside).unwrap();
            assert_eq!((paths.data.to_str().unwrap(), paths.data_named), data);
            assert_eq!((paths.config.unwrap().to_str().unwrap(), paths.config_named), config);
        }
    }

    #[test]
    fn without_a_home_a_folder_must_be_named() {
        let mut inputs = inputs();
        inputs.host.data_dir = None;
        inputs.host.config_dir = None;
        assert!(matches!(Paths::locate(&inputs, |_| false), Err(Error::NoHome)));
        inputs.flags.data = Some("/d".into());
        assert_eq!(Paths::locate(&inputs, |_| false).unwrap().config, None);
    }
}
