//! U1–U3: the inbox with 100,000 threads and 10,000 open interrupts, compared with one that is nearly empty.
//!
//! Prints a table, or with `--json` one object. Every figure has its reference in the same run. `--small` takes a
//! hundredth of the size, to try the program itself out.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod measure;
mod seed;

use measure::{first_frame, keys, resident};
use std::path::Path;
use std::time::Duration;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // A process of its own: memory is measured by what is resident in it.
    if let [flag, folder] = args.as_slice()
        && flag == "--resident"
    {
        println!("{}", resident(Path::new(folder)));
        return;
    }
    let json = args.iter().any(|arg| arg == "--json");
    let (threads, open) =
        if args.iter().any(|arg| arg == "--small") { (1_000, 100) } else { (100_000, 10_000) };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let began = std::time::Instant::now();
    seed::fill(&at("empty"), 0, 0);
    seed::fill(&at("ten"), 10, 10);
    seed::fill(&at("full"), threads, open);
    let seeded = began.elapsed();

    let (empty, full) = (first_frame(&at("empty")), first_frame(&at("full")));
    let (ten_keys, full_keys) = (keys(&at("ten")), keys(&at("full")));
    let (ten_memory, full_memory) = (measured_apart(&at("ten")), measured_apart(&at("full")));

    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
    let rows = [
        ("U1", "first frame, ms", ms(full), ms(empty), "≤ 1.5 ×"),
        ("U2", "key → frame p99, ms", ms(full_keys.frame), ms(ten_keys.frame), "≤ 1.5 × and < 8 ms"),
        ("U2b", "key → its card p99, ms", ms(full_keys.card), ms(ten_keys.card), "–"),
        ("U3", "resident, MiB", mib(full_memory), mib(ten_memory), "+ ≤ 10 MiB"),
    ];
    if json {
        let rows: Vec<_> = rows
            .iter()
            .map(|(id, what, value, reference, goal)| {
                serde_json::json!({"id": id, "what": what, "value": value, "reference": reference, "goal": goal})
            })
            .collect();
        println!("{}", serde_json::json!({"threads": threads, "open": open, "rows": rows}));
        return;
    }
    println!("{threads} threads, {open} open interrupts (laid out in {:.1} s)", seeded.as_secs_f64());
    println!(
        "{:<4} {:<24} {:>10} {:>10} {:>8} {:>9}  goal",
        "id", "what", "full", "reference", "ratio", "more"
    );
    for (id, what, value, reference, goal) in rows {
        let (ratio, more) = (value / reference, value - reference);
        println!("{id:<4} {what:<24} {value:>10.2} {reference:>10.2} {ratio:>8.2} {more:>+9.2}  {goal}");
    }
}

fn measured_apart(folder: &Path) -> u64 {
    let exe = std::env::current_exe().unwrap();
    let output = std::process::Command::new(exe).arg("--resident").arg(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number of bytes")
}
