//! The twenty instructions in the embedded Python: right, or refused with a sentence that says what to do instead.

use crate::support::instructions::{Embedded, INSTRUCTIONS};
use sayso::tools::sandbox::{Job, Sandbox, Work};
use sayso::tools::workbook::{self, CellPos};

#[tokio::test]
async fn ordinary_code_is_right_in_the_embedded_python_or_told_what_to_do() {
    let (mut right, mut explained) = (0, 0);
    for case in INSTRUCTIONS {
        let bytes = std::fs::read(format!("tests/fixtures/workbooks/{}", case.book)).unwrap();
        let cells = vec![case.code.to_owned()];
        let name = case.book.to_owned();
        let job = Job { name, work: Work::Write, cells, ..Job::default() };
        let sandbox = Sandbox::of(env!("CARGO_BIN_EXE_sayso").into());
        let (report, written) = sandbox.run(&job, &bytes).await.unwrap();
        let observation = report.observation.unwrap();
        match case.embedded {
            Embedded::Same => {
                assert_eq!(observation.error, None, "{}", case.instruction);
                assert_eq!(observation.stdout.trim_end(), case.printed, "{}", case.instruction);
                let book = workbook::open(case.book, &written).unwrap();
                for (sheet, cell, shown) in case.cells {
                    let sheet = &book.sheets[book.find(sheet).unwrap()];
                    assert_eq!(
                        sheet.shown(CellPos::read(cell).unwrap()),
                        *shown,
                        "{} {cell}",
                        case.instruction
                    );
                }
                right += 1;
            }
            Embedded::Says(sentence) => {
                let error = observation.error.unwrap_or_default();
                assert!(error.contains(sentence), "{}: {error}", case.instruction);
                assert!(!report.changed, "{}", case.instruction);
                explained += 1;
            }
        }
    }
    assert_eq!((right, explained), (16, 4));
}
