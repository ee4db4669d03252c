//! CSS values as numbers.

/// A length in pixels, if it can be computed without knowing the page.
pub(super) fn pixels(value: &str) -> Option<f32> {
    let digits = value.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+')).unwrap_or(value.len());
    let number: f32 = value[..digits].parse().ok()?;
    match value[digits..].trim() {
        "px" => Some(number),
        "" => Some(number),
        "pt" => Some(number * 4.0 / 3.0),
        "em" | "rem" => Some(number * 16.0),
        "in" => Some(number * 96.0),
        "cm" => Some(number * 38.0),
        "mm" => Some(number * 3.8),
        _ if number == 0.0 => Some(0.0),
        "%" | "vw" | "vh" if number <= -50.0 => Some(number * 10.0),
        _ => None,
    }
}

/// Whether a filter makes the element invisible.
pub(super) fn faded(value: &str) -> bool {
    let inner = value.split_once("opacity(").and_then(|(_, rest)| rest.split_once(')'));
    inner.is_some_and(|(opacity, _)| is_faint(opacity))
}

/// Whether an opacity is too low to see anything.
pub(super) fn is_faint(opacity: &str) -> bool {
    amount(opacity, 1.0).is_some_and(|amount| amount <= 0.05)
}

/// A number, or a percentage of `whole`.
pub(super) fn amount(value: &str, whole: f32) -> Option<f32> {
    match value.trim().strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f32>().ok().map(|percent| percent * whole / 100.0),
        None => value.trim().parse().ok(),
    }
}
