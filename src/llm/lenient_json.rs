//! Reads JSON as models write it: in a fence, among words, after thoughts, with trailing commas, comments, single
//! quotes or raw line breaks. Never completes anything: an answer that ends too early stays unreadable.

use serde_json::Value;

use super::Habit;

/// How many opening braces are tried.
const MAX_STARTS: usize = 16;

/// Parses one value, strictly if possible. Otherwise the habit says so.
pub(super) fn value(text: &str) -> Option<(Value, Option<Habit>)> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some((value, None));
    }
    let value = serde_json::from_str(&repair_json(text)).ok()?;
    Some((value, Some(Habit::LooseJson)))
}

/// The values in `text` that may be the answer, likeliest first: the whole text, then every object in it. A brace in
/// the words before the answer must not hide it.
pub(super) fn values_in(text: &str) -> Vec<(Value, Vec<Habit>)> {
    let (bare, thought) = without_thoughts(text);
    let bare = bare.trim();
    let with = |more: Option<Habit>, besides: &[Habit]| {
        let thoughts = thought.then_some(Habit::Thoughts);
        thoughts.into_iter().chain(more).chain(besides.iter().copied()).collect::<Vec<Habit>>()
    };
    if let Some((parsed, how)) = value(bare) {
        // JSON inside a string is unpacked once.
        let unpacked = parsed.as_str().and_then(value);
        return match unpacked {
            Some((inner, how)) => vec![(inner, with(how, &[Habit::PackedArguments]))],
            None => vec![(parsed, with(how, &[]))],
        };
    }
    let mut values = Vec::new();
    let mut after = 0;
    for (at, _) in bare.match_indices('{').take(MAX_STARTS) {
        // Objects inside one that was read are part of it.
        if at < after {
            continue;
        }
        let rest = &bare[at..];
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        if let Some(Ok(object)) = stream.next() {
            after = at + stream.byte_offset();
            values.push((object, with(None, &[Habit::Fence])));
        } else if let Some(Ok(object)) =
            serde_json::Deserializer::from_str(&repair_json(rest)).into_iter::<Value>().next()
        {
            values.push((object, with(Some(Habit::LooseJson), &[Habit::Fence])));
        }
    }
    values
}

/// The text after the thoughts that some local servers leave in the answer, and whether there were any. The opening tag
/// may be missing: some chat templates write it themselves.
pub(super) fn without_thoughts(text: &str) -> (&str, bool) {
    for tag in ["think", "thinking", "thought", "reasoning"] {
        let (opening, closing) = (format!("<{tag}>"), format!("</{tag}>"));
        let begins = text.trim_start().starts_with(&opening);
        if let Some((_, answer)) = text.rsplit_once(&closing) {
            // A closing tag in the middle of the text is a quotation, unless something opened it.
            let quoted = !begins && text.matches(&closing).count() > 1;
            if !quoted {
                return (answer.trim_start(), true);
            }
        } else if begins {
            return ("", true);
        }
    }
    (text, false)
}

/// The contents of a single fence around the whole text, if it is a fence for prose.
pub(super) fn without_fence(text: &str) -> Option<&str> {
    let inner = text.trim().strip_prefix("```")?.strip_suffix("```")?;
    let (language, inner) = inner.split_once('\n')?;
    let prose = ["markdown", "md", "text", "txt"].contains(&language.trim());
    (prose && !inner.contains("```")).then(|| inner.trim())
}

/// Rewrites the text as strict JSON, in one pass from left to right.
fn repair_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut comma = false;
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => skip_line(&mut chars),
            '#' => skip_line(&mut chars),
            '/' if chars.peek() == Some(&'*') => {
                let mut before = ' ';
                chars.next();
                for c in chars.by_ref() {
                    if before == '*' && c == '/' {
                        break;
                    }
                    before = c;
                }
            }
            ',' => comma = true,
            c if c.is_whitespace() => out.push(' '),
            c => {
                if comma && c != '}' && c != ']' {
                    out.push(',');
                }
                comma = false;
                match c {
                    '"' | '\'' => string(&mut chars, c, &mut out),
                    c if c.is_ascii_alphabetic() => word(&mut chars, c, &mut out),
                    c => out.push(c),
                }
            }
        }
    }
    out
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_line(chars: &mut Chars<'_>) {
    for c in chars.by_ref() {
        if c == '\n' {
            break;
        }
    }
}

/// Copies a string up to its closing quote; one that is never closed stays open.
fn string(chars: &mut Chars<'_>, quote: char, out: &mut String) {
    out.push('"');
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => {
                out.push('"');
                return;
            }
            '\\' => match chars.next() {
                Some('\'') => out.push('\''),
                Some(escaped) => {
                    out.push('\\');
                    out.push(escaped);
                }
                None => return,
            },
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
}

/// Turns Python's three constants into JSON's.
fn word(chars: &mut Chars<'_>, first: char, out: &mut String) {
    let mut word = String::from(first);
    while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '_') {
        word.push(c);
    }
    out.push_str(match word.as_str() {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        other => other,
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_found_in_words_fences_and_after_thoughts() {
        for (text, habits) in [
            ("{\"a\": 1}", vec![]),
            ("Here you are:\n```json\n{\"a\": 1}\n```\nAnything else?", vec![Habit::Fence]),
            ("<think>{\"a\": 2}? no</think>\n{\"a\": 1}", vec![Habit::Thoughts]),
            ("hm, {\"a\": 2}? no\n</think>\n{\"a\": 1}", vec![Habit::Thoughts]),
            ("\"{\\\"a\\\": 1}\"", vec![Habit::PackedArguments]),
            ("{\"a\": 1,}", vec![Habit::LooseJson]),
            ("{\n  // the first\n  'a': 1, /* no more */\n}", vec![Habit::LooseJson]),
            ("Well: {'a': 1, # one\n}.", vec![Habit::LooseJson, Habit::Fence]),
        ] {
            let (value, how) = values_in(text).into_iter().next().unwrap();
            assert_eq!((value, how), (json!({"a": 1}), habits), "{text}");
        }
        let all = values_in("In the form {like this}: {\"a\": {\"b\": 1}} as asked [1], not {\"c\": 2}");
        let all: Vec<Value> = all.into_iter().map(|(value, _)| value).collect();
        assert_eq!(all, [json!({"a": {"b": 1}}), json!({"c": 2})]);
        assert!(values_in("no data, sorry [1]").is_empty());
    }

    #[test]
    fn what_is_cut_stays_cut() {
        for cut in
            ["{\"a\": ", "{\"a\": \"x", "{\"a\": [1, 2", "{'a': 'x'", "{\"a\": 1,", "<think>so {\"a\": 1}"]
        {
            assert!(values_in(cut).is_empty(), "{cut}");
            assert!(value(cut).is_none(), "{cut}");
        }
    }

    #[test]
    fn raw_line_breaks_quotes_and_words_of_python_are_mended() {
        let (got, _) =
            value("{\"text\": \"one\ntwo\t'three'\", 'it\\'s': 'say \"so\"', \"ok\": True, \"no\": None}")
                .unwrap();
        assert_eq!(got, json!({"text": "one\ntwo\t'three'", "it's": "say \"so\"", "ok": true, "no": null}));
        // What looks like a comment or a comma inside a string is left alone.
        let (got, _) = value("{\"url\": \"http://x/#a, }\",}").unwrap();
        assert_eq!(got, json!({"url": "http://x/#a, }"}));
    }

    #[test]
    fn only_a_fence_of_prose_around_everything_is_taken_off() {
        assert_eq!(without_fence("```markdown\n# T\n\ntext\n```"), Some("# T\n\ntext"));
        for kept in ["```python\nx\n```", "a\n```markdown\nx\n```", "```md\na\n```\nb\n```md\nc\n```"] {
            assert_eq!(without_fence(kept), None, "{kept}");
        }
    }
}
