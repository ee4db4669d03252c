//! Asks one question at a time; each answer is a line.

use crate::cli::failure::Failure;
use crate::cli::output::columns;
use crate::text::{Visible, sanitize_typed, width, wrap};
use std::io::{self, BufRead, IsTerminal, Write};

/// Prints text without terminal escapes, broken between words. Ignores errors, since nothing is lost if nobody sees it.
pub fn say(text: &str) {
    let columns = if io::stdout().is_terminal() { columns() } else { usize::MAX };
    show(&text.split_inclusive('\n').map(|line| broken(line, columns)).collect::<String>());
}

/// Prints text as it is, without terminal escapes.
pub fn show(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(Visible::new(text).as_str().as_bytes());
    let _ = out.flush();
}

/// A line broken between words; what follows begins below the text, not below its number.
fn broken(line: &str, columns: usize) -> String {
    let text = line.trim_end();
    let is_lead = |c: char| c == ' ' || c == '.' || c.is_ascii_digit();
    let (lead, words) = text.split_at(text.len() - text.trim_start_matches(is_lead).len());
    let indent = width(lead);
    let lines: Vec<_> = wrap(words, columns.saturating_sub(indent).max(1)).collect();
    format!("{lead}{}{}", lines.join(&format!("\n{:indent$}", "")), &line[text.len()..])
}

/// Asks questions; it has no state.
pub struct Prompt;

impl Prompt {
    async fn line(&self, question: &str) -> Result<String, Failure> {
        say(question);
        let read = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            io::stdin().lock().read_line(&mut line).map(|read| (read, line))
        });
        match read.await {
            Ok(Ok((0, _))) | Err(_) => {
                Err(Failure::failed("you left; nothing was written, `sayso init` asks again"))
            }
            Ok(Ok((_, line))) => Ok(sanitize_typed(line.trim())),
            Ok(Err(error)) => Err(Failure::failed(format!("the terminal cannot be read: {error}"))),
        }
    }

    /// A line; an empty one means `default`.
    pub async fn text(&self, question: &str, default: Option<&str>) -> Result<String, Failure> {
        let hint = default.map(|default| format!(" [{}]", Visible::line(default))).unwrap_or_default();
        let line = self.line(&format!("{question}{hint}: ")).await?;
        Ok(if line.is_empty() { default.unwrap_or_default().to_owned() } else { line })
    }

    /// A line that is not empty.
    pub(super) async fn required(&self, question: &str, default: Option<&str>) -> Result<String, Failure> {
        loop {
            let line = self.text(question, default).await?;
            if !line.is_empty() {
                return Ok(line);
            }
        }
    }

    /// A bare address.
    pub(super) async fn address(&self, question: &str, default: Option<&str>) -> Result<String, Failure> {
        loop {
            let line = self.required(question, default).await?;
            let odd = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | ',' | ';');
            if line.rsplit_once('@').is_some_and(|(user, domain)| !user.is_empty() && !domain.is_empty())
                && !line.contains(odd)
            {
                return Ok(line);
            }
            say("That is not an address such as ada@example.org.\n");
        }
    }

    /// One of several choices; Enter takes the first.
    pub async fn choose_one(&self, title: &str, choices: &[String]) -> Result<usize, Failure> {
        loop {
            if let [at] = self.choose_some(title, choices).await?.as_slice() {
                return Ok(*at);
            }
            say("Please choose one of them.\n");
        }
    }

    /// Some of several choices, in the order typed; Enter takes the first.
    pub(super) async fn choose_some(&self, title: &str, choices: &[String]) -> Result<Vec<usize>, Failure> {
        say(&format!("{title}\n"));
        for (at, choice) in choices.iter().enumerate() {
            say(&format!("  {}. {}\n", at + 1, Visible::line(choice)));
        }
        loop {
            let line = self.text("Number", Some("1")).await?;
            match numbers(&line, choices.len()) {
                Some(picked) => return Ok(picked),
                None => say(&format!("A number from 1 to {}, please.\n", choices.len())),
            }
        }
    }

    /// Yes or no; Enter means yes.
    pub async fn confirm(&self, question: &str) -> Result<bool, Failure> {
        loop {
            match self.text(&format!("{question} (y/n)"), Some("y")).await?.to_lowercase().as_str() {
                "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => say("y or n, please.\n"),
            }
        }
    }
}

/// The choices out of `count` that a line names, each once; `None` if a word names none.
fn numbers(line: &str, count: usize) -> Option<Vec<usize>> {
    let mut picked = Vec::new();
    for word in line.split([',', ' ']).filter(|word| !word.is_empty()) {
        let at = word.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < count)?;
        if !picked.contains(&at) {
            picked.push(at);
        }
    }
    (!picked.is_empty()).then_some(picked)
}

#[cfg(test)]
mod tests {
    use super::{broken, numbers};

    #[test]
    fn lines_break_between_words() {
        assert_eq!(broken("Which model? ", 80), "Which model? ");
        assert_eq!(broken("  1. connect an agent\n", 16), "  1. connect an\n     agent\n");
        assert_eq!(broken("\n", 5), "\n");
    }

    #[test]
    fn numbers_name_what_is_there() {
        assert_eq!(numbers("1", 3), Some(vec![0]));
        assert_eq!(numbers("3, 1 3", 3), Some(vec![2, 0]));
        for odd in ["", "0", "4", "one", "1-2", "-1", ","] {
            assert_eq!(numbers(odd, 3), None, "{odd}");
        }
    }
}
