//! `[sheet]`: how workbooks are worked on, and how much the code may use.

use super::keys::default;
use super::reader::section;

section! {
    /// How `sheet` works on a workbook, and how much its code may use.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Sheet in one("sheet") {
        /// Steps before you are asked whether to go on, and whether models are offered look-ups (on | off); you can
        /// choose differently when you start a thread.
        pub max_steps: u32 = default("10").range(1, 100),
        pub with_informer: bool = default("off"),
        /// The Python that code runs in: `auto` (the machine's own if it has openpyxl and can be caged, otherwise the
        /// embedded one), `embedded` (the one that is part of sayso), or the path of a Python.
        pub python: String = default("auto"),
        /// How long one piece of code may run, how much memory it may have (the workbook included), how much it may
        /// print, and how many rows a sheet may have.
        pub seconds: u64 = default("30").range(1, 600),
        pub memory_mb: u64 = default("1024").range(256, 16_384),
        pub output_kb: usize = default("64").range(1, 1024),
        pub max_rows: usize = default("1048576").range(1, 1_048_576),
    }
}
