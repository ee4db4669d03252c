//! The parent's side: a folder, a child, a time limit; then the sandbox compares what the code left behind.

use super::child::NO_CAGE;
use super::folder::Folder;
use super::interpreter::{self, Interpreter};
use super::{Plan, VERB};
use crate::tools::sandbox::pipes::{
    SandboxTimeouts, after_marks, read_output, spawn_alone, split_first, write_input,
};
use crate::tools::sandbox::{Job, LeftFile, Limits, Report, Sandbox, SandboxError, Work};
use serde::Deserialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

/// How long Python may take to start, and to report the result of its cells.
const MARGIN: Duration = Duration::from_secs(60);
/// How long past its limit the code runs before the child is killed.
const GRACE: Duration = Duration::from_secs(2);
/// How often the folder is measured, and how much it may hold.
const MEASURED: Duration = Duration::from_millis(200);
const MAX_FOLDER: u64 = 1 << 30;
/// The largest file in the folder, and the largest workbook taken from it.
const MAX_FILE: u64 = 256 << 20;
/// The most other files that are kept of a run, and their bytes together.
const MAX_FILES: usize = 20;
const MAX_KEPT: u64 = 64 << 20;
const MAX_REPORT: u64 = 16 << 20;
/// The oldest `bwrap` we use.
const OLDEST_BWRAP: (u32, u32) = (0, 12);

/// A Python in its cage.
#[derive(Clone)]
pub struct Cage {
    interpreter: Interpreter,
    sandbox: Sandbox,
    bwrap: Option<PathBuf>,
}

/// The driver's answer.
#[derive(Debug, Deserialize)]
struct DriverReport {
    digests: Vec<String>,
    stdout: String,
    value: Option<String>,
    error: Option<String>,
    stopped: bool,
    files: Vec<String>,
}

/// How a child ended.
enum Ended {
    Reported(Box<DriverReport>),
    Stopped(String),
}

impl Cage {
    /// Builds and tests a cage around this Python; the error says why there is none.
    pub async fn around(program: &Path, sandbox: Sandbox) -> Result<Self, String> {
        Self::of(interpreter::ask(program).await?, sandbox).await
    }

    pub(super) async fn of(interpreter: Interpreter, sandbox: Sandbox) -> Result<Self, String> {
        if !cfg!(target_os = "linux") {
            return Err("this system has no Landlock and no seccomp to cage Python with".to_owned());
        }
        let cage = Self { interpreter, sandbox, bwrap: bwrap().await };
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
        let job = Job {
            name: "check.csv".to_owned(),
            work: Work::Run,
            cells: vec![include_str!("check.py").to_owned()],
            limits: Limits { seconds: 20, ..Limits::default() },
            ..Job::default()
        };
        let (report, _) = self.run(&job, b"a\n1\n").await.map_err(|error| error.to_string())?;
        let observation = report.observation.unwrap_or_default();
        match observation.value.as_deref() {
            Some("2") => Ok(()),
            _ => {
                let why = observation
                    .error
                    .or(observation.value)
                    .unwrap_or_else(|| "1 + 1 is not 2 in it".to_owned());
                Err(format!("{} cannot be caged: {why}", self.interpreter.program.display()))
            }
        }
    }

    /// Runs code on a workbook. A cell that breaks the child is an observation, not an error.
    pub async fn run(&self, job: &Job, workbook: &[u8]) -> Result<(Report, Vec<u8>), SandboxError> {
        if job.cells.is_empty() {
            return self.sandbox.run(job, workbook).await;
        }
        let name = book_name(&job.name);
        // Other formats are converted to .xlsx first, since openpyxl reads and writes only that.
        let book = if job.name.to_lowercase().ends_with(".xlsx") {
            workbook.to_vec()
        } else {
            let conversion = Job { work: Work::Write, cells: Vec::new(), question: None, ..job.clone() };
            self.sandbox.run(&conversion, workbook).await?.1
        };
        let unavailable = |error: std::io::Error| SandboxError::Unavailable(error.to_string());
        let folder = Folder::new().map_err(unavailable)?;
        let (file, original) = (folder.work().join(&name), folder.spare().join("before.xlsx"));
        std::fs::write(&file, &book).map_err(unavailable)?;
        if name != job.name {
            std::fs::write(folder.work().join(&job.name), workbook).map_err(unavailable)?;
        }
        let driver_report = match self.child(job, &folder, &name, &original).await.map_err(unavailable)? {
            Ended::Reported(driver_report) => *driver_report,
            Ended::Stopped(text) => return Ok((Report::stopped(text), Vec::new())),
        };
        if driver_report.stopped {
            let mut report = Report::stopped(driver_report.error.unwrap_or_default());
            if let Some(observation) = &mut report.observation {
                observation.stdout = driver_report.stdout;
            }
            return Ok((report, Vec::new()));
        }
        let lost = |why: String| format!("{name} is no longer there as it should be: {why}");
        let (before, after) = match (folder.read(&original, MAX_FILE), folder.read(&file, MAX_FILE)) {
            (Ok(before), Ok(after)) => (before, after),
            (Err(why), _) | (_, Err(why)) => return Ok((Report::stopped(lost(why)), Vec::new())),
        };
        let lengths = (book.len() as u64, before.len() as u64);
        let compared =
            Job { name: name.clone(), work: Work::Compare, cells: Vec::new(), lengths, ..job.clone() };
        let all = [book.as_slice(), &before, &after].concat();
        let mut report = match self.sandbox.run(&compared, &all).await {
            Ok((report, _)) => report,
            Err(SandboxError::Workbook(why)) => return Ok((Report::stopped(why), Vec::new())),
            Err(error) => return Err(error),
        };
        let mut observation = report.observation.take().unwrap_or_default();
        observation.stdout = driver_report.stdout;
        (observation.value, observation.error) = (driver_report.value, driver_report.error);
        observation.digest = driver_report.digests.last().cloned();
        report.observation = Some(observation);
        report.digests = driver_report.digests;
        report.changed = after != book;
        (report.files, report.dropped) =
            left_files(&folder, &driver_report.files, &(job.name.clone(), workbook));
        Ok((report, if job.work == Work::Write { after } else { Vec::new() }))
    }

    async fn child(&self, job: &Job, folder: &Folder, name: &str, original: &Path) -> std::io::Result<Ended> {
        let plan = self.plan(folder, job);
        // It has no children, so killing it leaves nothing behind.
        let mut child = spawn_alone(&mut self.command(&plan))?;
        let Some(stdin) = child.stdin.take() else { return Err(std::io::Error::other("it has no pipes")) };
        let setup = json!({
            "path": self.interpreter.path,
            "now": midnight(&job.day),
            "cells": job.cells,
            "file": name,
            "keep": original,
            "output": job.limits.output,
            "memory": job.limits.memory,
        });
        let (plan, setup) = (serde_json::to_vec(&plan)?, serde_json::to_vec(&setup)?);
        let ended = tokio::select! {
            ended = read_report(&mut child, job) => ended,
            ended = async { write_input(stdin, &plan, &setup).await; std::future::pending().await } => ended,
            text = wait_until_too_large(folder) => Ok(Ended::Stopped(text)),
        };
        // Whatever it was doing, it ends before we look at the folder.
        let _ = child.start_kill();
        let _ = child.wait().await;
        ended
    }

    fn plan(&self, folder: &Folder, job: &Job) -> Plan {
        let Interpreter { program, path, libraries, loaders, .. } = &self.interpreter;
        Plan {
            python: program.clone(),
            read: path.iter().chain(libraries).cloned().collect(),
            start: loaders.clone(),
            write: vec![folder.work(), folder.spare()],
            work: folder.work(),
            spare: folder.spare(),
            memory: job.limits.memory,
            seconds: job.seconds().saturating_add(60),
            file: MAX_FILE,
        }
    }

    fn command(&self, plan: &Plan) -> Command {
        let program = self.sandbox.program();
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
async fn read_report(child: &mut Child, job: &Job) -> std::io::Result<Ended> {
    let Some(stdout) = child.stdout.take().map(|stdout| stdout.take(MAX_REPORT)) else {
        return Err(std::io::Error::other("it has no pipes"));
    };
    let (cells, seconds) = (job.cells.len(), job.limits.seconds);
    let patience = SandboxTimeouts { cells, code: Duration::from_secs(seconds) + GRACE, margin: MARGIN };
    let Ok(output) = read_output(stdout, patience).await? else {
        return Ok(Ended::Stopped(format!("It was stopped after {seconds} seconds.")));
    };
    let status = child.wait().await?;
    if status.code() == Some(NO_CAGE) {
        return Err(std::io::Error::other(String::from_utf8_lossy(&output).into_owned()));
    }
    if let Some(report) = unpack(&output, cells) {
        return Ok(Ended::Reported(Box::new(report)));
    }
    if output.is_empty() {
        return Err(std::io::Error::other(format!("Python did not start ({status})")));
    }
    Ok(Ended::Stopped(format!("It ended Python itself ({status}).")))
}

fn unpack(output: &[u8], cells: usize) -> Option<DriverReport> {
    let (report, _) = split_first(after_marks(output, cells)?)?;
    serde_json::from_slice(report).ok()
}

/// Waits until the folder holds more than allowed.
async fn wait_until_too_large(folder: &Folder) -> String {
    loop {
        sleep(MEASURED).await;
        match folder.size() {
            Some(bytes) if bytes <= MAX_FOLDER => {}
            Some(_) => return format!("It wrote more than {} MB.", MAX_FOLDER >> 20),
            None => return "It wrote more files than it may.".to_owned(),
        }
    }
}

/// The files that the code left beside the workbook, and those that are not kept, with the reason.
fn left_files(folder: &Folder, names: &[String], given: &(String, &[u8])) -> (Vec<LeftFile>, Vec<String>) {
    let (mut files, mut dropped, mut room) = (Vec::new(), Vec::new(), MAX_KEPT);
    for (at, name) in names.iter().enumerate() {
        if files.len() == MAX_FILES {
            dropped.push(format!("{} from {name} on: only {MAX_FILES} are kept", names.len() - at));
            break;
        }
        match folder.read(&folder.work().join(name), room) {
            // The file that the workbook was converted from.
            Ok(bytes) if *name == given.0 && bytes == given.1 => {}
            Ok(bytes) => {
                room -= bytes.len() as u64;
                files.push(LeftFile { name: name.clone(), bytes });
            }
            Err(why) => dropped.push(format!("{name}: {why}")),
        }
    }
    (files, dropped)
}

/// The workbook's name as the code sees it.
pub fn book_name(name: &str) -> String {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if name.to_lowercase().ends_with(".xlsx") { name.to_owned() } else { format!("{stem}.xlsx") }
}

/// The moment at which the clock stands still: the start of the day.
fn midnight(day: &str) -> i64 {
    let day = day.parse::<jiff::civil::Date>().ok();
    let moment = day.and_then(|day| day.to_zoned(jiff::tz::TimeZone::UTC).ok());
    moment.map_or(0, |moment| moment.timestamp().as_second())
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
