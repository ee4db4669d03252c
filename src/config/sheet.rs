//! `[sheet]`: how workbooks are worked on, and how much the code may use.

use super::values::{Whole, section, switch};

section! {
    /// How `sheet` works on a workbook, and how much its code may use.
    #[derive(Eq)]
    pub struct Sheet {
        /// Steps before the user is asked whether to go on.
        #[serde(with = "Whole::<1, 100>")]
        pub max_steps: u32 = 10,
        /// Whether models are offered look-ups.
        #[serde(deserialize_with = "switch")]
        pub with_informer: bool = false,
        /// The Python that code runs in: `auto`, `embedded` or a path.
        pub python: String = "auto".to_owned(),
        /// How long one piece of code may run.
        #[serde(with = "Whole::<1, 600>")]
        pub seconds: u64 = 30,
        /// How much memory code may have, the workbook included.
        #[serde(with = "Whole::<256, 16_384>")]
        pub memory_mb: u64 = 1024,
        /// How much code may print.
        #[serde(with = "Whole::<1, 1024>")]
        pub output_kb: usize = 64,
        /// How many rows a sheet may have.
        #[serde(with = "Whole::<1, 1_048_576>")]
        pub max_rows: usize = 1_048_576,
    }
}
