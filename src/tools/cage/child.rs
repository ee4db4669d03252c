//! The child: reads its plan, raises the walls, becomes Python.

use super::Plan;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;

/// Exit code for a wall that could not be raised; the reason is on stdout.
pub(super) const NO_CAGE: i32 = 77;
/// Runs the code.
const DRIVER: &str = include_str!("driver.py");
/// The longest plan we accept.
const MAX_PLAN: u64 = 1 << 20;

/// Everything the child does before it becomes Python.
pub fn main() -> ExitCode {
    let why = match begin() {
        Ok(never) => match never {},
        Err(why) => why,
    };
    let _ = std::io::stdout().write_all(why.as_bytes());
    ExitCode::from(u8::try_from(NO_CAGE).unwrap_or(1))
}

fn begin() -> Result<std::convert::Infallible, String> {
    let plan = read_plan()?;
    walled(&plan)?;
    become_python(&plan)
}

/// Reads only the plan: the rest of the pipe belongs to Python.
fn read_plan() -> Result<Plan, String> {
    let text = |error: std::io::Error| error.to_string();
    let pipe = std::io::stdin().as_fd().try_clone_to_owned().map_err(text)?;
    let mut pipe = File::from(pipe);
    let mut length = [0; 8];
    pipe.read_exact(&mut length).map_err(text)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_PLAN {
        return Err("the plan is too long".to_owned());
    }
    let mut plan = vec![0; usize::try_from(length).unwrap_or_default()];
    pipe.read_exact(&mut plan).map_err(text)?;
    serde_json::from_slice(&plan).map_err(|error| error.to_string())
}

#[cfg(target_os = "linux")]
fn walled(plan: &Plan) -> Result<(), String> {
    super::walls::confine(plan)
}

#[cfg(not(target_os = "linux"))]
fn walled(_: &Plan) -> Result<(), String> {
    Err("this system has no Landlock and no seccomp".to_owned())
}

fn become_python(plan: &Plan) -> Result<std::convert::Infallible, String> {
    use std::os::unix::process::CommandExt;
    let error = std::process::Command::new(&plan.python)
        // No user site folder, no site packages, no byte code written.
        .args(["-s", "-S", "-B", "-c", DRIVER])
        .env_clear()
        .env("PYTHONUTF8", "1")
        .env("HOME", &plan.spare)
        .env("TMPDIR", &plan.spare)
        .env("MPLCONFIGDIR", &plan.spare)
        .env("MPLBACKEND", "Agg")
        .env("OPENBLAS_NUM_THREADS", "1")
        .env("OMP_NUM_THREADS", "1")
        .exec();
    Err(format!("{} cannot be started: {error}", plan.python.display()))
}
