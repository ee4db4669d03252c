//! Pieces of code for work on workbooks, each with what it does told in Rust. So the same cases run on a script, which
//! answers as the cage does and needs no Python, and on the machine's own Python in its cage where there is one.

use futures_util::future::BoxFuture;
use sayso::tools::cage::{CageError, Ended, Folder, Limits, Needs, Python, PythonFinder, Reader, save_alone};
use std::path::Path;
use std::sync::Arc;

/// A piece of code that Python runs with its own library alone.
pub struct Piece {
    pub code: &'static str,
    /// What it does in its folder.
    does: fn(&Path) -> Did,
}

enum Did {
    Prints(String),
    Value(&'static str),
    Fails(&'static str),
    NeedsTooMuchMemory,
}
use Did::{Fails, NeedsTooMuchMemory, Prints, Value};

macro_rules! pieces {
    ($($name:ident: $code:expr, $does:expr;)+) => {
        $(pub const $name: Piece = Piece { code: $code, does: $does };)+
        const ALL: &[Piece] = &[$($name),+];
    };
}

fn prints(text: &str) -> Did {
    Prints(format!("{text}\n"))
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn write(folder: &Path, name: &str, text: &str) -> Did {
    std::fs::write(folder.join(name), text).unwrap();
    Prints(String::new())
}

/// Puts a heading after the last one.
fn headed(folder: &Path, heading: &str) -> Did {
    let text = read(folder, "sales.csv");
    let (first, rest) = text.split_once('\n').unwrap();
    write(folder, "sales.csv", &format!("{first},{heading}\n{rest}"))
}

/// The rows of the sales with this in them.
fn rows(folder: &Path, wanted: &str) -> Vec<String> {
    read(folder, "sales.csv").lines().filter(|line| line.contains(wanted)).map(str::to_owned).collect()
}

pieces! {
    SUM: "import csv\ntotals = {}\nfor row in csv.DictReader(open('sales.csv')):\n    \
        totals[row['Region']] = totals.get(row['Region'], 0) + int(row['Amount'])\n\
        for region, total in totals.items():\n    print(region, total)",
        |_| prints("North 180\nSouth 175\nEast 900");
    FILTER: "lines = open('sales.csv').read().splitlines()\nkept = [line for line in lines if line.startswith('North')]\n\
        open('north.csv', 'w').write('\\n'.join(lines[:1] + kept) + '\\n')\nNone",
        |folder| {
            let kept = rows(folder, "North").join("\n");
            write(folder, "north.csv", &format!("Region,Product,Amount,Day\n{kept}\n"))
        };
    PRICES: "open('prices.csv', 'w').write('Product,Price\\nHub,5\\nRim,7\\n')\nNone",
        |folder| write(folder, "prices.csv", "Product,Price\nHub,5\nRim,7\n");
    JOIN: "import csv\nprice = {r['Product']: int(r['Price']) for r in csv.DictReader(open('prices.csv'))}\n\
        rows = list(csv.reader(open('sales.csv')))\nrows[0].append('Worth')\n\
        for row in rows[1:]:\n    row.append(int(row[2]) * price[row[1]])\n\
        csv.writer(open('sales.csv', 'w', newline=''), lineterminator='\\n').writerows(rows)",
        |folder| {
            assert_eq!(read(folder, "prices.csv"), "Product,Price\nHub,5\nRim,7\n");
            let worth = ["Worth", "600", "560", "420", "4500", "475"];
            let text = read(folder, "sales.csv");
            let lines = text.lines().zip(worth).map(|(line, worth)| format!("{line},{worth}\n"));
            write(folder, "sales.csv", &lines.collect::<String>())
        };
    CLEAN_DATES: "rows = open('dates.csv').read().replace('3.4.2026', '2026-04-03').replace('12 Mar 2026', '2026-03-12')\n\
        open('dates.csv', 'w').write(rows.replace('2026/05/06', '2026-05-06'))\nNone",
        |folder| {
            let text = read(folder, "dates.csv").replace("3.4.2026", "2026-04-03");
            let text = text.replace("12 Mar 2026", "2026-03-12").replace("2026/05/06", "2026-05-06");
            write(folder, "dates.csv", &text)
        };
    FIRST_HEADING: "text = open('dates.csv').read()\nopen('dates.csv', 'w').write(text.replace('When', 'Day', 1))\nNone",
        |folder| { let text = read(folder, "dates.csv").replace("When", "Day"); write(folder, "dates.csv", &text) };
    NO_MODULE: "import pandas_of_tomorrow as pd\npd.read_excel('sales.xlsx')",
        |_| Fails("Traceback (most recent call last):\n  line 1, in <module>\n    import pandas_of_tomorrow as pd\n\
            ModuleNotFoundError: No module named 'pandas_of_tomorrow'\n\
            Hint: only what is installed here can be imported; the prompt says what that is.");
    COUNT: "print(len(open('sales.csv').readlines()) - 1)", |_| prints("5");
    SET_X: "x = 2", |_| Prints(String::new());
    PRINT_X: "print(x)", |_| Fails("Traceback (most recent call last):\n  line 1, in <module>\n    print(x)\n\
        NameError: name 'x' is not defined");
    PRINT_42: "print(40 + 2)", |_| prints("42");
    PRINT_180: "print(180)", |_| prints("180");
    PRINT_200: "print(120 + 80)", |_| prints("200");
    PRINT_HI: "print('hi')", |_| prints("hi");
    TWO: "1 + 1", |_| Value("2");
    FOUR: "2 + 2", |_| Value("4");
    TOO_MUCH: "print('x' * 5000)", |_| prints(&"x".repeat(5_000));
    CHECKED: "first, rest = open('sales.csv').read().split('\\n', 1)\n\
        open('sales.csv', 'w').write(first + ',Checked\\n' + rest)\nNone",
        |folder| headed(folder, "Checked");
    SHARE: "first, rest = open('sales.csv').read().split('\\n', 1)\n\
        open('sales.csv', 'w').write(first + ',Share\\n' + rest)\nNone",
        |folder| headed(folder, "Share");
    HEAD: "print(open('sales.csv').readline().strip())",
        |folder| prints(read(folder, "sales.csv").lines().next().unwrap());
    HEAD_AND_MORE: "print(open('sales.csv').readline().strip())\nopen('sales.csv', 'a').write('East,7\\n')\nNone",
        |folder| {
            let text = read(folder, "sales.csv");
            write(folder, "sales.csv", &format!("{text}East,7\n"));
            prints(text.lines().next().unwrap())
        };
    KEEP: "open('kept.txt', 'w').write('1 2 3')\nfirst, rest = open('sales.csv').read().split('\\n', 1)\n\
        open('sales.csv', 'w').write(first + ',Kept\\n' + rest)\nNone",
        |folder| { write(folder, "kept.txt", "1 2 3"); headed(folder, "Kept") };
    KEPT: "print(sum(map(int, open('kept.txt').read().split())), open('sales.csv').readline().strip())",
        |folder| {
            assert_eq!(read(folder, "kept.txt"), "1 2 3");
            prints(&format!("6 {}", read(folder, "sales.csv").lines().next().unwrap()))
        };
    BOMB: "open('sales.csv', 'w').write('gone\\n')\nopen('gone.txt', 'w').write('x')\nx = []\n\
        while True:\n    x.append('a' * 1000000)",
        |folder| {
            write(folder, "sales.csv", "gone\n");
            write(folder, "gone.txt", "x");
            NeedsTooMuchMemory
        };
    LEFT: "import os\nprint(open('sales.csv').readline().strip(), sorted(os.listdir('.')))",
        |folder| {
            let head = read(folder, "sales.csv").lines().next().unwrap().to_owned();
            let names: Vec<String> = super::file_names(folder).iter().map(|name| format!("'{name}'")).collect();
            prints(&format!("{head} [{}]", names.join(", ")))
        };
}

/// A Python that knows all pieces and nothing else.
pub struct ScriptedPython;

impl Python for ScriptedPython {
    fn text(&self, _: Needs) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(async { Ok("Python 3.14.0 with openpyxl 3.1.5 and pandas 3.0.0".to_owned()) })
    }

    fn run<'a>(
        &'a self,
        _: Needs,
        code: &'a str,
        folder: &'a Folder,
        limits: &'a Limits,
    ) -> BoxFuture<'a, Result<Ended, CageError>> {
        if code == save_alone("budget.xlsx") {
            without_charts(&folder.work().join("budget.xlsx"));
            return Box::pin(async { Ok(Ended::Ran { stdout: String::new(), value: None, error: None }) });
        }
        let piece = ALL.iter().find(|piece| piece.code == code);
        let piece = piece.unwrap_or_else(|| panic!("the script does not know this code:\n{code}"));
        let ran = |stdout: &str, value: Option<&str>, error: Option<&str>| {
            let owned = |text: Option<&str>| text.map(str::to_owned);
            Ended::Ran { stdout: stdout.to_owned(), value: owned(value), error: owned(error) }
        };
        let stopped = |stdout: &str, why| Ended::Stopped { stdout: stdout.to_owned(), why };
        let ended = match (piece.does)(&folder.work()) {
            Prints(text) if text.len() > limits.output => {
                let why = "It printed more than 1 KB. Print less: a summary, or the first rows.";
                stopped(&text[..limits.output], why.to_owned())
            }
            Prints(text) => ran(&text, None, None),
            Value(value) => ran("", Some(value), None),
            Fails(error) => ran("", None, Some(error)),
            NeedsTooMuchMemory => {
                let memory = limits.memory >> 20;
                stopped("", format!("It needed more memory than the {memory} MB it may have."))
            }
        };
        Box::pin(async { Ok(ended) })
    }
}

/// As a program saves a workbook that knows no charts.
fn without_charts(path: &Path) {
    let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut out = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for at in 0..archive.len() {
        let part = archive.by_index_raw(at).unwrap();
        if !part.name().unwrap().contains("xl/charts/") {
            out.raw_copy_file(part).unwrap();
        }
    }
    std::fs::write(path, out.finish().unwrap().into_inner()).unwrap();
}

pub fn reader() -> Reader {
    Reader::of(env!("CARGO_BIN_EXE_sayso").into())
}

/// The script, and the machine's own Python in its cage; where that cannot be had, it is said so.
pub async fn pythons() -> Vec<Arc<dyn Python>> {
    let mut all: Vec<Arc<dyn Python>> = vec![Arc::new(ScriptedPython)];
    match machine().await {
        Ok(python) => all.push(Arc::new(python)),
        Err(why) => println!("skipped on a real Python: {why}"),
    }
    all
}

/// The first Python in the `PATH`, in its cage; or why there is none.
pub async fn machine() -> Result<PythonFinder, String> {
    static FOUND: tokio::sync::OnceCell<Result<PythonFinder, String>> = tokio::sync::OnceCell::const_new();
    let find = || async {
        let finder = PythonFinder::new("auto", reader());
        finder.get(Needs::Nothing).await.map(|_| finder)
    };
    FOUND.get_or_init(find).await.clone()
}
