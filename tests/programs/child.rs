//! The program with workflows made for tests: this test binary, called again with a command line to follow.

use crate::support::delivery::DeliveryLog;
use crate::support::test_inbox::test_workflows;
use std::ffi::OsString;
use std::sync::Arc;

/// Holds the command line as a JSON array; without it the entry below is an ordinary test that does nothing.
pub const ARGS: &str = "SAYSO_TEST_ARGS";

/// What libtest prints before the entry runs.
pub const PREFACE: &str = "\nrunning 1 test\n";

/// The flags that make libtest run the entry and nothing else, on a thread of its own, without touching its output.
pub const FLAGS: [&str; 4] = ["child::entry", "--exact", "--nocapture", "--test-threads=2"];

#[test]
fn entry() {
    let Ok(args) = std::env::var(ARGS) else { return };
    let args: Vec<String> = serde_json::from_str(&args).unwrap();
    let args = std::iter::once("sayso".to_owned()).chain(args).map(OsString::from);
    let workflows = |setup: &sayso::app::Setup| {
        let delivery_log = DeliveryLog::new(setup.config.data.with_extension("street"));
        Ok(test_workflows(&delivery_log, &Arc::default(), []))
    };
    let exit = sayso::cli::main(args, workflows);
    std::process::exit(i32::from(exit.code()));
}
