//! Sets up the program on a data folder of its own.

use sayso::app::Setup;
use sayso::config::{Config, Env, Flags, Host, Inputs};
use sayso::engine::store::{Clock, Store};
use sayso::inbox::door::Inbox;
use std::path::PathBuf;

/// Opens a data folder with this config and this clock.
pub fn open(data: PathBuf, text: &str, clock: Clock) -> (Inbox, Setup) {
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("config.toml"), text).unwrap();
    let store = Store::open_with(&data, clock).unwrap();
    let flags = Flags { data: Some(data), ..Flags::default() };
    let env = Env::default();
    let config = Config::load(&Inputs { flags, env: env.clone(), host: Host::system() }).unwrap();
    let setup = Setup::over(config, env, store);
    let engine = setup.engine(setup.workflows().unwrap());
    (Inbox::new(engine), setup)
}

/// One of 20,000 words and a blank, without digits: most of a mail is not numbers.
pub fn word(n: usize) -> String {
    let letter = |n: usize| char::from(b"aeioubcdfghklmnprst"[n % 19]);
    [letter(n), letter(n / 19), letter(n / 361), letter(n / 6_859), letter(n * 7), ' '].into_iter().collect()
}
