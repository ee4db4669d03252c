//! `[sheet]`: how work on workbooks goes, and what the code in it may use up.

use super::raw;

/// How work on workbooks goes. The table of keys holds the bounds of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// How many steps there are before the person is asked.
    pub max_steps: u32,
    /// Whether models are offered look-ups of headings and values.
    pub with_informer: bool,
    /// How long code may run.
    pub seconds: u64,
    /// How much memory it may have, in bytes, the workbook included.
    pub memory: u64,
    /// How many bytes one piece of code may print.
    pub output: usize,
    /// How many rows a sheet may have.
    pub rows: usize,
}

impl raw::Sheet {
    pub(super) fn meant(&self) -> Sheet {
        Sheet {
            max_steps: self.max_steps,
            with_informer: self.with_informer == raw::Switch::On,
            seconds: self.seconds,
            memory: self.memory_mb << 20,
            output: self.output_kb << 10,
            rows: self.max_rows,
        }
    }
}
