//! Checks the figures in a model's words: each is in the reply or the question, or the result of a computation that
//! holds, or is marked.

use super::facts::{Computation, Operator};
use serde_json::Value;
use std::ops::Range;

/// What follows a figure that nothing bears out.
pub(super) const MARK: &str = " [?]";

/// A figure in a text.
struct Figure {
    at: Range<usize>,
    value: f64,
    decimals: usize,
}

/// The figures that may be named.
pub(super) struct Known(Vec<f64>);

impl Known {
    /// Nothing but one: a unit is named in no reply.
    pub fn new() -> Self {
        Self(vec![1.0])
    }

    /// All figures in a text.
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend(figures(text).map(|figure| figure.value));
        self
    }

    /// All figures in data, and how long its lists are.
    pub fn data(mut self, data: &Value) -> Self {
        match data {
            Value::Null | Value::Bool(_) => self,
            Value::Number(number) => {
                self.0.extend(number.as_f64().map(f64::abs));
                self
            }
            Value::String(text) => self.text(text),
            Value::Array(items) => {
                self.0.push(items.len() as f64);
                items.iter().fold(self, Self::data)
            }
            Value::Object(fields) => fields.values().fold(self, Self::data),
        }
    }

    /// Whether a figure is known, as it is or rounded. A short whole number is not taken for a rounded one.
    fn holds(&self, value: f64, decimals: usize) -> bool {
        let may_be_rounded = decimals > 0 || value >= 100.0;
        self.0.iter().any(|known| *known == value || may_be_rounded && rounds_to(*known, value, decimals))
    }

    /// The computation in words, if it holds and all its figures are known. Its result is known from then on.
    fn compute(&mut self, computation: &Computation) -> Option<String> {
        let Computation { by, of, result } = computation;
        let is_known = |figure: &f64| {
            // A hundred makes a share a percentage.
            *figure == 100.0 || self.holds(figure.abs(), decimals(*figure))
        };
        let (sign, exact) = match by {
            Operator::Plus => ("+", of.iter().copied().reduce(|a, b| a + b)?),
            Operator::Minus => ("−", of.iter().copied().reduce(|a, b| a - b)?),
            Operator::Times => ("×", of.iter().copied().reduce(|a, b| a * b)?),
            Operator::Over => ("÷", of.iter().copied().reduce(|a, b| a / b)?),
        };
        if of.len() < 2 || !of.iter().all(is_known) || !rounds_to(exact, *result, decimals(*result)) {
            return None;
        }
        self.0.extend([exact.abs(), of.len() as f64]);
        let terms: Vec<String> = of.iter().map(f64::to_string).collect();
        Some(format!("{} = {result}", terms.join(&format!(" {sign} "))))
    }
}

/// The text with every unknown figure marked, and the computations that hold.
pub(super) fn checked(text: &str, computations: &[Computation], mut known: Known) -> (String, Vec<String>) {
    let shown: Vec<String> = computations.iter().filter_map(|one| known.compute(one)).collect();
    let mut marked = text.to_owned();
    for figure in figures(text)
        .filter(|figure| !known.holds(figure.value, figure.decimals))
        .collect::<Vec<_>>()
        .iter()
        .rev()
    {
        marked.insert_str(figure.at.end, MARK);
    }
    (marked, shown)
}

fn rounds_to(exact: f64, rounded: f64, decimals: usize) -> bool {
    let half = 0.5 / 10f64.powi(decimals as i32);
    (exact - rounded).abs() <= half * 1.000_001
}

fn decimals(figure: f64) -> usize {
    figure.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len())
}

/// The figures in a text, without their signs: `1,234.5`. Digits after a letter belong to a name.
fn figures(text: &str) -> impl Iterator<Item = Figure> {
    let bytes = text.as_bytes();
    let digits =
        move |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            at += 1;
            if !bytes[start].is_ascii_digit()
                || text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_')
            {
                continue;
            }
            at = start + digits(start);
            while bytes.get(at) == Some(&b',') && digits(at + 1) == 3 {
                at += 4;
            }
            let decimals = if bytes.get(at) == Some(&b'.') { digits(at + 1) } else { 0 };
            at += if decimals > 0 { decimals + 1 } else { 0 };
            if let Ok(value) = text[start..at].replace(',', "").parse() {
                return Some(Figure { at: start..at, value, decimals });
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn computation(of: &[f64], by: Operator, result: f64) -> Computation {
        Computation { by, of: of.to_vec(), result }
    }

    #[test]
    fn a_figure_is_borne_out_or_marked() {
        let reply = json!({
            "date": "2026-07-03", "rate": 1.0834,
            "data": [{"plays": 1234, "id": "T7"}, {"plays": 987_654}, {"plays": "-7"}],
        });
        for (text, expected) in [
            (
                "1 EUR is 1.0834 USD, or 1.08, as of 2026-07-03.",
                "1 EUR is 1.0834 USD, or 1.08, as of 2026-07-03.",
            ),
            ("The 3 tracks have 1,234, 987654 and 7 plays.", "The 3 tracks have 1,234, 987654 and 7 plays."),
            ("Some 990,000 plays, 1.09 USD.", "Some 990,000 [?] plays, 1.09 [?] USD."),
            ("T12 has 4 of them; 250 are asked for.", "T12 has 4 [?] of them; 250 are asked for."),
            ("Élan 5×é5", "Élan 5 [?]×é5"),
            ("", ""),
        ] {
            let known = Known::new().data(&reply).text("How much are 250 EUR?");
            assert_eq!(checked(text, &[], known).0, expected);
        }
    }

    #[test]
    fn a_computation_counts_if_it_holds_and_its_figures_are_known() {
        let known = || Known::new().data(&json!({"rate": 1.0834, "plays": [100, 300]})).text("250 EUR");
        let text = "That makes 270.85.";
        let good = computation(&[250.0, 1.0834], Operator::Times, 270.85);
        assert_eq!(
            checked(text, &[good], known()),
            (text.to_owned(), vec!["250 × 1.0834 = 270.85".to_owned()])
        );
        for bad in [
            computation(&[250.0, 1.0834], Operator::Times, 270.86),
            computation(&[251.0, 1.0834], Operator::Times, 271.93),
            computation(&[270.85], Operator::Plus, 270.85),
            computation(&[250.0, 0.0], Operator::Over, 270.85),
            computation(&[], Operator::Plus, 270.85),
        ] {
            let (marked, shown) = checked(text, &[bad], known());
            assert_eq!((marked.as_str(), shown.len()), ("That makes 270.85 [?].", 0));
        }
        let mean = [
            computation(&[100.0, 300.0], Operator::Plus, 400.0),
            computation(&[400.0, 2.0], Operator::Over, 200.0),
        ];
        assert_eq!(checked("200 on average.", &mean, known()).0, "200 on average.");
    }
}
