//! Cassettes: what was asked and answered, one JSON object per line, for bug reports and tests.
//!
//! Everything is redacted before it is written, and only the file's owner can read it (0600). It contains the mail and
//! files that were in the prompts: a cassette is personal, though it holds no key. A replay finds the answer by the
//! redacted request. If the request differs (a date in the prompt), it takes the next unused answer of the same task.

use crate::text::hex;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{BoxFuture, Model, ModelError, OnText, ReadyModel, Redactor, Reply, Request};

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    task: String,
    request: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

/// A model whose calls are recorded.
pub struct Recorder {
    inner: Arc<dyn Model>,
    file: Mutex<File>,
    redactor: Redactor,
}

impl Recorder {
    /// Appends the calls of `inner` to the file at `path`, without `secrets` and anything that looks like one.
    pub fn wrap(inner: Arc<dyn Model>, path: &Path, secrets: Vec<SecretString>) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        // The mode above applies only to a new file.
        file.set_permissions(Permissions::from_mode(0o600))?;
        Ok(Self { inner, file: Mutex::new(file), redactor: Redactor::new(secrets) })
    }

    fn write(&self, request: &Request, outcome: &Result<Reply, ModelError>) -> io::Result<()> {
        let redacted = self.redactor.value(serde_json::to_value(request)?);
        let (reply, error) = match outcome {
            Ok(reply) => (Some(self.redactor.value(serde_json::to_value(reply)?)), None),
            Err(error) => (None, Some(self.redactor.value(serde_json::to_value(error)?))),
        };
        let task = self.redactor.text(&request.task);
        let line = Line { key: digest(&redacted), task, request: redacted, reply, error };
        let mut text = serde_json::to_string(&line)?;
        text.push('\n');
        // One write, so that lines from two processes do not mix.
        self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes())
    }
}

impl Model for Recorder {
    fn label(&self) -> &str {
        self.inner.label()
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: OnText<'a>,
    ) -> BoxFuture<'a, Result<Reply, ModelError>> {
        Box::pin(async move {
            let outcome = self.inner.complete(request, on_text).await;
            if let Err(error) = self.write(request, &outcome) {
                // A recording that fails must not stop the work.
                tracing::warn!(%error, "a model call could not be recorded");
            }
            outcome
        })
    }
}

struct Entry {
    key: String,
    task: String,
    outcome: Result<Reply, ModelError>,
}

/// A model that answers from a cassette.
pub struct Replayer {
    entries: Mutex<Vec<Option<Entry>>>,
}

impl Replayer {
    /// Reads the cassette at `path`; an error names the line.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut entries = Vec::new();
        for (number, line) in (1..).zip(BufReader::new(File::open(path)?).lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let entry = read(&line).map_err(|why| {
                io::Error::new(io::ErrorKind::InvalidData, format!("line {number} of the recording: {why}"))
            })?;
            entries.push(Some(entry));
        }
        Ok(Self { entries: Mutex::new(entries) })
    }

    fn take(&self, request: &Request) -> Option<Result<Reply, ModelError>> {
        let redactor = Redactor::default();
        let key = serde_json::to_value(request).ok().map(|value| digest(&redactor.value(value)))?;
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |test: &dyn Fn(&Entry) -> bool| entries.iter().position(|e| e.as_ref().is_some_and(test));
        let at = find(&|entry| entry.key == key).or_else(|| find(&|entry| entry.task == request.task))?;
        entries.get_mut(at)?.take().map(|entry| entry.outcome)
    }
}

impl ReadyModel for Replayer {
    fn label(&self) -> &str {
        "replay"
    }

    fn answer(&self, request: &Request) -> Result<Reply, ModelError> {
        self.take(request).unwrap_or_else(|| {
            Err(ModelError::NotRecorded {
                task: request.task.clone(),
                why: "every recorded answer for it has been given".into(),
            })
        })
    }
}

fn read(line: &str) -> Result<Entry, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let outcome = match (line.reply, line.error) {
        (Some(reply), None) => Ok(serde_path_to_error::deserialize(&reply).map_err(|e| e.to_string())?),
        (None, Some(error)) => Err(serde_path_to_error::deserialize(&error).map_err(|e| e.to_string())?),
        _ => return Err("it has neither a reply nor an error, or both".into()),
    };
    Ok(Entry { key: line.key, task: line.task, outcome })
}

/// A digest that does not depend on the order of keys.
fn digest(value: &Value) -> String {
    fn write(value: &Value, out: &mut String) {
        match value {
            Value::Object(fields) => {
                let mut sorted: Vec<_> = fields.iter().collect();
                sorted.sort_by_key(|(key, _)| *key);
                out.push('{');
                for (key, value) in sorted {
                    out.push_str(&Value::String(key.clone()).to_string());
                    out.push(':');
                    write(value, out);
                    out.push(',');
                }
                out.push('}');
            }
            Value::Array(items) => {
                out.push('[');
                for item in items {
                    write(item, out);
                    out.push(',');
                }
                out.push(']');
            }
            other => out.push_str(&other.to_string()),
        }
    }
    let mut text = String::new();
    write(value, &mut text);
    hex(&Sha256::digest(text.as_bytes())[..16])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agent::llm::{Scripted, Usage, quiet};

    fn request(day: &str) -> Request {
        Request::new("email.triage", json!({"subject": "Hi"}))
            .system(format!("Today is {day}. The key is sk-CANARYabcdefghijkl."))
            .user("password: CANARY-2 and KNOWN CANARY")
    }

    fn scripted() -> Arc<dyn Model> {
        let usage = Usage { input: 3, output: 4, cached: 0 };
        Arc::new(Scripted::new([
            Ok(Reply { usage, ..Scripted::text("first sk-CANARYabcdefghijkl") }),
            Err(ModelError::Cut { model: "m".into(), why: "silence".into() }),
            Ok(Scripted::calls([("send", json!({"to": "bob", "api_key": "CANARY"}))])),
        ]))
    }

    #[tokio::test]
    async fn a_recording_is_private_redacted_and_can_be_replayed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        std::fs::write(&path, "").unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let secrets = vec![SecretString::from("KNOWN CANARY")];
        let recorder = Recorder::wrap(scripted(), &path, secrets).unwrap();
        for _ in 0..3 {
            let _ = recorder.complete(&request("Monday"), &quiet).await;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("CANARY"), "{text}");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);

        let replayer = Replayer::open(&path).unwrap();
        // The second request has another date, and is found by its task.
        let first = replayer.complete(&request("Monday"), &quiet).await.unwrap();
        assert!(first.text.starts_with("first") && first.usage.output == 4);
        let second = replayer.complete(&request("Tuesday"), &quiet).await.unwrap_err();
        assert_eq!(second.code(), "cut");
        assert_eq!(replayer.complete(&request("Monday"), &quiet).await.unwrap().calls[0].args["to"], "bob");
        let fourth = replayer.complete(&request("Monday"), &quiet).await.unwrap_err();
        assert_eq!(fourth.code(), "not_recorded");
    }

    #[test]
    fn a_broken_cassette_names_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tape.jsonl");
        std::fs::write(&path, "\n{\"key\": 1}\n").unwrap();
        let why = Replayer::open(&path).err().unwrap().to_string();
        assert!(why.contains("line 2"), "{why}");
    }
}
