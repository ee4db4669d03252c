//! A Python in its cage: a folder, a child, a time limit.

use super::child::NO_CAGE;
use super::folder::Folder;
use super::interpreter::Interpreter;
use super::pipes::{Patience, TimedOut, read_output, report, spawn_alone, write_input};
use super::reader::Reader;
use super::run::Ended;
use super::{CageError, Limits, Plan, VERB};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// How long Python may take to start, and to report the result of its code.
const MARGIN: Duration = Duration::from_secs(60);
/// How long past its limit the code runs before the child is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How often the folder is measured, and how much it may hold.
const MEASURED: Duration = Duration::from_millis(200);
const MAX_FOLDER: u64 = 1 << 30;
/// The largest file in the folder.
const MAX_FILE: u64 = 256 << 20;
const MAX_REPORT: u64 = 16 << 20;
/// The oldest `bwrap` we use.
const OLDEST_BWRAP: (u32, u32) = (0, 12);

/// A Python in its cage.
#[derive(Clone)]
pub struct Cage {
    interpreter: Interpreter,
    /// Its program is the child's, too.
    reader: Reader,
    bwrap: Option<PathBuf>,
}

/// The driver's answer.
#[derive(Debug, Deserialize)]
struct DriverReport {
    stdout: String,
    value: Option<String>,
    error: Option<String>,
    stopped: bool,
}

impl From<DriverReport> for Ended {
    fn from(report: DriverReport) -> Self {
        let DriverReport { stdout, value, error, stopped } = report;
        if stopped {
            Self::Stopped { stdout, why: error.unwrap_or_default() }
        } else {
            Self::Ran { stdout, value, error }
        }
    }
}

impl Cage {
    /// Builds and tests a cage around this Python; the error says why there is none.
    pub(super) async fn of(interpreter: Interpreter, reader: Reader) -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("this system has no Landlock and no seccomp to cage Python with".to_owned());
        }
        let cage = Self { interpreter, reader, bwrap: bwrap().await };
        cage.check().await?;
        Ok(cage)
    }

    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// Names the walls in words.
    pub fn walls(&self) -> &'static str {
        match self.bwrap {
            Some(_) => "Landlock, seccomp, limits and namespaces by bwrap",
            None => "Landlock, seccomp and limits (namespaces too where bwrap 0.12 or later is installed)",
        }
    }

    /// Checks that code runs in it and cannot do forbidden things.
    async fn check(&self) -> Result<(), String> {
        let folder = Folder::new().map_err(|error| error.to_string())?;
        let limits = Limits { seconds: 20, ..Limits::default() };
        let ended = self.run(include_str!("check.py"), &folder, &limits).await;
        let why = match ended.map_err(|error| error.to_string())? {
            Ended::Ran { value: Some(value), error: None, .. } if value == "2" => return Ok(()),
            Ended::Ran { value, error, .. } => error.or(value),
            Ended::Stopped { why, .. } => Some(why),
        };
        let why = why.unwrap_or_else(|| "1 + 1 is not 2 in it".to_owned());
        Err(format!("{} cannot be caged: {why}", self.interpreter.program.display()))
    }

    /// Runs code in a folder. When this returns, or is dropped, the child is gone.
    pub async fn run(&self, code: &str, folder: &Folder, limits: &Limits) -> Result<Ended, CageError> {
        let ended = self.child(code, folder, limits).await;
        ended.map_err(|error| CageError::Unavailable(error.to_string()))
    }

    async fn child(&self, code: &str, folder: &Folder, limits: &Limits) -> std::io::Result<Ended> {
        let plan = self.plan(folder, limits);
        // It has no children, so killing it leaves nothing behind.
        let mut child = spawn_alone(&mut self.command(&plan))?;
        let Some(stdin) = child.stdin.take() else { return Err(std::io::Error::other("it has no pipes")) };
        let setup = json!({
            "path": self.interpreter.path,
            "code": code,
            "output": limits.output,
            "memory": limits.memory,
        });
        let (plan, setup) = (serde_json::to_vec(&plan)?, serde_json::to_vec(&setup)?);
        let ended = tokio::select! {
            ended = read_report(&mut child, limits) => ended,
            ended = async { write_input(stdin, &plan, &[&setup]).await; std::future::pending().await } => ended,
            why = wait_until_too_large(folder) => Ok(Ended::Stopped { stdout: String::new(), why }),
        };
        // Whatever it was doing, it ends before we look at the folder.
        let _ = child.start_kill();
        let _ = child.wait().await;
        ended
    }

    fn plan(&self, folder: &Folder, limits: &Limits) -> Plan {
        let Interpreter { program, path, libraries, loaders, .. } = &self.interpreter;
        Plan {
            python: program.clone(),
            read: path.iter().chain(libraries).cloned().collect(),
            start: loaders.clone(),
            write: vec![folder.work(), folder.spare()],
            work: folder.work(),
            spare: folder.spare(),
            memory: limits.memory,
            seconds: limits.seconds.saturating_add(60),
            file: MAX_FILE,
        }
    }

    fn command(&self, plan: &Plan) -> Command {
        let program = self.reader.program();
        let real = if program == Path::new("/proc/self/exe") { std::env::current_exe().ok() } else { None };
        let real = real.unwrap_or_else(|| program.to_owned());
        let Some(bwrap) = self.bwrap.as_ref().filter(|_| real.is_file()) else {
            let mut command = Command::new(program);
            command.arg(VERB);
            return command;
        };
        let mut command = Command::new(bwrap);
        command.args([
            "--unshare-all",
            "--die-with-parent",
            "--new-session",
            "--cap-drop",
            "ALL",
            "--hostname",
            "cage",
        ]);
        let read = plan.read.iter().chain(&plan.start).chain([&real, &plan.python]);
        for path in read {
            command.arg("--ro-bind").arg(path).arg(path);
        }
        for path in SYSTEM.iter().map(Path::new).filter(|path| path.exists()) {
            command.arg("--ro-bind-try").arg(path).arg(path);
        }
        for path in &plan.write {
            command.arg("--bind").arg(path).arg(path);
        }
        command.arg("--").arg(&real).arg(VERB);
        command
    }
}

/// Libraries that this program itself needs before it becomes Python.
const SYSTEM: [&str; 3] = ["/lib", "/lib64", "/usr/lib"];

/// Reads the child's answer, as long as each part arrives in time.
async fn read_report(child: &mut Child, limits: &Limits) -> std::io::Result<Ended> {
    let Some(stdout) = child.stdout.take().map(|stdout| stdout.take(MAX_REPORT)) else {
        return Err(std::io::Error::other("it has no pipes"));
    };
    let seconds = limits.seconds;
    let patience = Patience { code: Duration::from_secs(seconds) + GRACE, margin: MARGIN };
    let (output, late) = read_output(stdout, patience).await?;
    if let Some(report) =
        report(&output).and_then(|report| serde_json::from_slice::<DriverReport>(report).ok())
    {
        return Ok(report.into());
    }
    let stopped = |why: String| Ended::Stopped { stdout: String::new(), why };
    match late {
        Some(TimedOut::Code) => return Ok(stopped(format!("It was stopped after {seconds} seconds."))),
        Some(TimedOut::Margin) => {
            return Ok(stopped(format!("Python was not ready within {} seconds.", MARGIN.as_secs())));
        }
        None => {}
    }
    let status = child.wait().await?;
    if status.code() == Some(NO_CAGE) {
        return Err(std::io::Error::other(String::from_utf8_lossy(&output).into_owned()));
    }
    if output.is_empty() {
        return Err(std::io::Error::other(format!("Python did not start ({status})")));
    }
    Ok(stopped(format!("It ended Python itself ({status}).")))
}

/// Waits until the folder holds more than allowed.
async fn wait_until_too_large(folder: &Folder) -> String {
    loop {
        sleep(MEASURED).await;
        match folder.size() {
            Some(bytes) if bytes <= MAX_FOLDER => {}
            Some(_) => return format!("It wrote more than {} MB.", MAX_FOLDER >> 20),
            None => return "It made more files and folders than it may.".to_owned(),
        }
    }
}

/// A `bwrap` that is new enough and works.
async fn bwrap() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let program =
        std::env::split_paths(&folders).map(|folder| folder.join("bwrap")).find(|path| path.is_file())?;
    let output = Command::new(&program).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output();
    let output = timeout(GRACE, output).await.ok()?.ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace().last()?.split('.').map(|n| n.parse::<u32>().unwrap_or(0));
    let version = (numbers.next()?, numbers.next()?);
    if version < OLDEST_BWRAP {
        return None;
    }
    // It is useless if namespaces are forbidden.
    let tried = Command::new(&program)
        .args(["--unshare-all", "--ro-bind", "/", "/", "true"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .status();
    timeout(GRACE, tried).await.ok()?.ok()?.success().then_some(program)
}
