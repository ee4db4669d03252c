//! Amounts as people read them.

/// `812 bytes`, `18 KB`, `2.4 MB`.
pub fn bytes(number: u64) -> String {
    match number {
        1 => "1 byte".to_owned(),
        ..1000 => format!("{number} bytes"),
        1000..1_000_000 => format!("{} KB", number / 1000),
        _ => format!("{}.{} MB", number / 1_000_000, number / 100_000 % 10),
    }
}
