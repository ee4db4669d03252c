//! The interpreter: runs cells in one session, has the host answer its calls, and refuses everything else.

use super::hints;
use super::host::Host;
use super::rewrite::Rewriter;
use super::values::{clip, raised};
use super::{Limits, Observation};
use crate::tools::workbook::{Book, WorkbookError};
use monty::{MontyRepl, ReplProgress, ReplStartError};
use monty_types::{
    CompileOptions, ExcType, MontyException, MontyObject, NameLookupResult, PrintWriter, ResourceLimits,
    ResourceTracker,
};
use std::time::Duration;

/// The sheet class and helpers that analysis code expects, written in the interpreter's Python.
const PRELUDE: &str = include_str!("prelude.py");
const OPENPYXL: &str = include_str!("openpyxl.py");
/// How many bytes we show of the last expression's value.
const LONGEST: usize = 8 << 10;
/// A larger value is not rendered just to show its start.
const LARGEST: usize = 1 << 20;

pub(super) struct Python {
    /// `None` only while a cell runs.
    repl: Option<MontyRepl>,
    host: Host,
    rewriter: Rewriter,
    /// The cells as they were written, for error messages.
    cells: Vec<String>,
    output: usize,
    /// How long one cell may run.
    time: Duration,
}

impl Python {
    pub(super) fn new(host: Host, limits: &Limits) -> Result<Self, WorkbookError> {
        let time = Duration::from_secs(limits.seconds);
        let resources = ResourceLimits::default()
            .max_duration(time)
            .max_memory(usize::try_from(limits.memory).unwrap_or(usize::MAX))
            .max_recursion_depth(limits.recursion)
            .max_suspensions(limits.calls);
        let repl = MontyRepl::new("cell", ResourceTracker::new(resources), CompileOptions::default());
        let (rewriter, cells) = (Rewriter::default(), Vec::new());
        let mut python = Self { repl: Some(repl), host, rewriter, cells, output: limits.output, time };
        let mut quiet = String::new();
        match python.feed(&format!("{PRELUDE}\n{OPENPYXL}"), &mut quiet) {
            Ok(_) => Ok(python),
            Err(error) => {
                Err(WorkbookError::Broken(format!("the interpreter is not ready: {}", error.summary())))
            }
        }
    }

    pub(super) fn book(&self) -> &Book {
        self.host.book()
    }

    /// Runs a cell and reports what it did.
    pub(super) fn run(&mut self, code: &str) -> Observation {
        self.host.begin();
        let mut stdout = String::new();
        self.cells.push(code.to_owned());
        let code = self.rewriter.rewrite(code);
        if let Some(repl) = &mut self.repl {
            // From now on: what earlier cells took no longer counts.
            repl.tracker_mut().set_max_duration(self.time);
        }
        let result = self.feed(&code, &mut stdout);
        let mut observation = self.host.end();
        observation.value = match &result {
            Ok(MontyObject::None) | Err(_) => None,
            Ok(value) if value.deep_host_size() > LARGEST => {
                Some(format!("({}, too large to show)", value.type_name()))
            }
            Ok(value) => Some(clip(value.py_repr(), LONGEST)),
        };
        if let Err(error) = result {
            let is_output_full = stdout.len() >= self.output.saturating_sub(LONGEST)
                && error.exc_type() == ExcType::MemoryError;
            let is_late = self.repl.as_ref().is_none_or(|repl| repl.tracker().elapsed() >= self.time);
            observation.stopped =
                is_late || self.host.is_over_limit() || error.exc_type() == ExcType::MemoryError;
            observation.error = Some(if is_output_full {
                format!(
                    "It printed more than {} KB. Print less: a summary, or the first rows.",
                    self.output >> 10
                )
            } else if is_late {
                format!("It was stopped after {} seconds.", self.time.as_secs())
            } else {
                hints::explain(&self.as_written(&error))
            });
        }
        if observation.stopped {
            observation = Observation { error: observation.error, stopped: true, ..Observation::default() };
        }
        observation.stdout = clip(stdout, self.output);
        observation
    }

    /// The error with the lines as written, and without those of the prelude.
    fn as_written(&self, error: &MontyException) -> MontyException {
        let frames = error.traceback().iter().filter_map(|frame| {
            let cell =
                frame.filename.strip_prefix("<python-input-")?.strip_suffix('>')?.parse::<usize>().ok()?;
            let lines: Vec<&str> = self.cells.get(cell.checked_sub(1)?)?.lines().collect();
            let (first, last) = (frame.start.line.max(1) as usize, frame.end.line as usize);
            let lines = lines.get(first - 1..last.min(lines.len()))?;
            let indent = lines.first().map_or(0, |line| line.len() - line.trim_start().len());
            let dedented: Vec<&str> =
                lines.iter().map(|line| line.get(indent..).unwrap_or(line.trim())).collect();
            let dedented = dedented.join("\n");
            let mut frame = frame.clone();
            frame.hide_caret = true;
            frame.preview_line = Some(dedented.into());
            Some(frame)
        });
        MontyException::with_traceback(error.exc_type(), error.message().map(str::to_owned), frames.collect())
    }

    fn feed(&mut self, code: &str, stdout: &mut String) -> Result<MontyObject, Box<MontyException>> {
        let Some(repl) = self.repl.take() else {
            return Err(Box::new(MontyException::runtime_error("the session is over")));
        };
        let most = Some(self.output);
        let mut next = repl.feed_start(code, Vec::new(), PrintWriter::CollectString(stdout, most));
        loop {
            let progress = match next {
                Ok(progress) => progress,
                Err(ended) => {
                    let ReplStartError { repl, error } = *ended;
                    self.repl = Some(repl);
                    return Err(Box::new(error));
                }
            };
            let print = PrintWriter::CollectString(stdout, most);
            next = match progress {
                ReplProgress::Complete { repl, value } => {
                    self.repl = Some(repl);
                    return Ok(value);
                }
                ReplProgress::FunctionCall(call) => match self.host.call(&call.function_name, &call.args) {
                    _ if self.host.is_over_limit() => {
                        call.abort(raised(ExcType::RuntimeError, "too many calls"), print)
                    }
                    Ok(value) => call.resume(value, print),
                    Err(error) => call.resume(error, print),
                },
                ReplProgress::NameLookup(lookup) => {
                    let value = match Host::knows(&lookup.name) {
                        true if lookup.object_id().is_none() => {
                            let name = lookup.name.clone();
                            NameLookupResult::Value(MontyObject::Function { name, docstring: None })
                        }
                        _ => NameLookupResult::Undefined,
                    };
                    lookup.resume(value, print)
                }
                ReplProgress::OsCall(call) => {
                    let text = "there are no files, no environment and no clock here; use sheet(…)";
                    call.resume(raised(ExcType::PermissionError, text), print)
                }
                ReplProgress::ResolveFutures(futures) => {
                    let text = "there is nothing to await here";
                    futures.abort(raised(ExcType::RuntimeError, text), print)
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::workbook;

    #[test]
    fn earlier_cells_take_no_time_from_the_next() {
        let limits = Limits::default();
        let book = workbook::open("orders.csv", b"a,b\n1,2\n").unwrap();
        let mut python = Python::new(Host::new("orders.csv", book, &limits), &limits).unwrap();
        assert_eq!(python.run("n = sum(range(1000))").error, None);
        // As if that had taken all the time there is.
        python.repl.as_mut().unwrap().tracker_mut().set_max_duration(Duration::ZERO);
        assert_eq!(python.run("n").value.as_deref(), Some("499500"));
        assert_eq!(python.repl.unwrap().tracker().max_duration(), Some(python.time));
    }
}
