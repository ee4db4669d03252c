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
    let Some((amount, _)) = inner else { return false };
    let (amount, whole) = amount.strip_suffix('%').map_or((amount, 1.0), |part| (part, 100.0));
    amount.trim().parse::<f32>().is_ok_and(|amount| amount / whole <= 0.05)
}
