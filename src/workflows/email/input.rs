//! What a thread is started with: a mail as a file, as JSON, or one that came.

use crate::graph::InputError;
use crate::mail;
use crate::tools::folder;
use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use serde_json::Value;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

/// A mail handed in is at most this long.
pub(super) const LONGEST: u64 = 50 * 1024 * 1024;

/// How deep the parts of a Gmail message are followed.
const DEEPEST: usize = 20;

/// Completes what a person gave, or refuses it before anything is stored.
pub(super) fn prepare(mut input: Value) -> Result<Value, InputError> {
    if input.get("received").is_some() || input.get("earlier").is_some() {
        let text = "mail that came is started by sayso itself; give `file` or `json`";
        return Err(InputError::Whole(text.to_owned()));
    }
    let given = |key: &str| input.get(key).filter(|value| !value.is_null());
    match (given("file"), given("json")) {
        (Some(file), None) => {
            let typed = file.as_str().unwrap_or_default();
            let path = resolve(typed).map_err(|text| field("file", text))?;
            let raw = read_file(&path).map_err(|text| field("file", text))?;
            mail::parse(&raw).map_err(|e| field("file", format!("{path} is not a mail: {e}")))?;
            input["file"] = Value::from(path);
            Ok(input)
        }
        (None, Some(json)) => {
            let raw = from_json(json).map_err(|text| field("json", text))?;
            mail::parse(&raw).map_err(|e| field("json", format!("it is not a mail: {e}")))?;
            Ok(input)
        }
        (None, None) => {
            Err(InputError::Whole("give a mail: `file` (one .eml) or `json` (a Gmail API message)".to_owned()))
        }
        (Some(_), Some(_)) => {
            Err(InputError::Whole("give one mail: either `file` or `json`, not both".to_owned()))
        }
    }
}

fn resolve(typed: &str) -> Result<String, String> {
    let path = Path::new(typed);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| format!("{typed} is not a file"))?;
    let folder = folder::resolve(folder).map_err(|e| e.to_string())?;
    let path = folder.join(name);
    path.to_str().map(str::to_owned).ok_or_else(|| "the file's name is not UTF-8".to_owned())
}

/// The bytes of a regular file, as far as a mail may go.
pub(super) fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let told = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::NotFound => format!("there is no file {path}"),
        _ => format!("{path} cannot be read: {e}"),
    };
    let about = std::fs::metadata(path).map_err(told)?;
    if !about.is_file() {
        return Err(format!("{path} is not a file"));
    }
    if about.len() > LONGEST {
        return Err(format!("{path} is longer than {} MB", LONGEST / 1024 / 1024));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(told)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(told)?;
    if bytes.len() as u64 > LONGEST {
        return Err(format!("{path} is longer than {} MB", LONGEST / 1024 / 1024));
    }
    Ok(bytes)
}

/// The raw bytes of a mail given as JSON.
pub(super) fn from_json(json: &Value) -> Result<Vec<u8>, String> {
    if let Some(raw) = json.get("raw").and_then(Value::as_str) {
        return decode(raw).ok_or_else(|| "`raw` is not base64".to_owned());
    }
    if let Some(payload) = json.get("payload") {
        return gmail(payload);
    }
    let text = |key: &str| json.get(key).and_then(Value::as_str).unwrap_or_default();
    if text("author").trim().is_empty() || json.get("email_thread").is_none() {
        return Err("it is neither a Gmail API message nor {author, to, subject, email_thread}".to_owned());
    }
    let mut raw = String::new();
    for (name, key) in [("From", "author"), ("To", "to"), ("Cc", "cc"), ("Subject", "subject"), ("Date", "date")]
    {
        header(&mut raw, name, text(key));
    }
    header(&mut raw, "Message-ID", text("id"));
    raw.push_str("MIME-Version: 1.0\r\n");
    body(&mut raw, "text/plain; charset=utf-8", text("email_thread").as_bytes());
    Ok(raw.into_bytes())
}

/// A Gmail API message in its full format: headers and parts, bodies in base64.
fn gmail(payload: &Value) -> Result<Vec<u8>, String> {
    let mut raw = String::new();
    for (name, value) in headers(payload) {
        if !name.to_ascii_lowercase().starts_with("content-") && !name.eq_ignore_ascii_case("mime-version") {
            header(&mut raw, name, value);
        }
    }
    if raw.is_empty() {
        return Err("its `payload` has no headers; ask Gmail for format=full".to_owned());
    }
    raw.push_str("MIME-Version: 1.0\r\n");
    part(&mut raw, payload, 0)?;
    Ok(raw.into_bytes())
}

fn headers(part: &Value) -> impl Iterator<Item = (&str, &str)> {
    let list = part.get("headers").and_then(Value::as_array).into_iter().flatten();
    list.filter_map(|one| Some((one.get("name")?.as_str()?, one.get("value")?.as_str()?)))
}

fn part(raw: &mut String, value: &Value, depth: usize) -> Result<(), String> {
    if depth > DEEPEST {
        return Err("its parts are nested too deep".to_owned());
    }
    let kind = value.get("mimeType").and_then(Value::as_str).unwrap_or("text/plain");
    let typed = headers(value).find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let disposition = headers(value).find(|(name, _)| name.eq_ignore_ascii_case("content-disposition"));
    if let Some(parts) = value.get("parts").and_then(Value::as_array).filter(|parts| !parts.is_empty()) {
        let boundary = format!("sayso-part-{depth}-{}", parts.len());
        let kind = if kind.starts_with("multipart/") { kind } else { "multipart/mixed" };
        header(raw, "Content-Type", &format!("{kind}; boundary=\"{boundary}\""));
        raw.push_str("\r\n");
        for inner in parts {
            let _ = write!(raw, "--{boundary}\r\n");
            part(raw, inner, depth + 1)?;
        }
        let _ = write!(raw, "--{boundary}--\r\n");
        return Ok(());
    }
    if let Some((name, value)) = disposition {
        header(raw, name, value);
    }
    let data = value.pointer("/body/data").and_then(Value::as_str).unwrap_or_default();
    let bytes = decode(data).ok_or_else(|| "the body of a part is not base64".to_owned())?;
    // Gmail gives texts as UTF-8, whatever the part itself says.
    let kind = match typed {
        _ if kind.starts_with("text/") => format!("{kind}; charset=utf-8"),
        Some((_, whole)) => whole.to_owned(),
        None => kind.to_owned(),
    };
    body(raw, &kind, &bytes);
    Ok(())
}

fn body(raw: &mut String, kind: &str, bytes: &[u8]) {
    header(raw, "Content-Type", kind);
    raw.push_str("Content-Transfer-Encoding: base64\r\n\r\n");
    for line in STANDARD.encode(bytes).as_bytes().chunks(76) {
        raw.push_str(&String::from_utf8_lossy(line));
        raw.push_str("\r\n");
    }
    raw.push_str("\r\n");
}

/// One header on one line: whatever would begin another one is a space.
fn header(raw: &mut String, name: &str, value: &str) {
    let name: String = name.chars().filter(|c| c.is_ascii_graphic() && *c != ':').collect();
    let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if !name.is_empty() && !value.trim().is_empty() {
        let _ = write!(raw, "{name}: {}\r\n", value.trim());
    }
}

pub(super) fn field(name: &str, text: impl Into<String>) -> InputError {
    InputError::Field { field: name.to_owned(), text: text.into() }
}

/// Base64 of either alphabet, padded or not.
fn decode(text: &str) -> Option<Vec<u8>> {
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text: String = text
        .chars()
        .filter(|c| !c.is_ascii_whitespace())
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    GeneralPurpose::new(&base64::alphabet::STANDARD, lenient).decode(text).ok()
}
