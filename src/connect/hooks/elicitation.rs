//! A request for information from an MCP server, passed on by Claude Code or Codex: a form, or a page to visit.

use crate::inbox::check_args;
use serde_json::{Map, Value, json};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Elicitation {
    server: String,
    message: String,
    /// The page to visit instead of a form.
    url: Option<String>,
    schema: Value,
}

impl Elicitation {
    /// Reads an event; `None` if it has no message.
    pub(super) fn read(event: &Value) -> Option<Self> {
        let text = |name: &str| event.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            server: text("mcp_server_name").unwrap_or_else(|| "without a name".to_owned()),
            message: text("message").filter(|message| !message.trim().is_empty())?,
            url: text("url").filter(|_| text("mode").as_deref() == Some("url")),
            schema: event
                .get("requested_schema")
                .filter(|schema| schema.is_object())
                .cloned()
                .unwrap_or(json!({})),
        })
    }

    /// One line for the list.
    pub(super) fn title(&self) -> String {
        self.message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
    }

    /// Who asks, and what.
    pub(super) fn text(&self) -> String {
        let Self { server, message, url, .. } = self;
        match url {
            Some(url) => format!(
                "{message}\n\nThe MCP server {server} wants you to visit this page; accept once you have been there:\n{url}"
            ),
            None => format!("{message}\n\nThe MCP server {server} asks; what you fill in goes to it."),
        }
    }

    /// The default values of the form.
    pub(super) fn fields(&self) -> Map<String, Value> {
        let properties = self.schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties.filter_map(|(name, of)| Some((name.clone(), of.get("default")?.clone()))).collect()
    }

    /// The form's schema while it is being filled in: nothing is required yet.
    pub(super) fn schema(&self) -> Value {
        let mut schema = self.schema.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("required");
            schema.entry("type").or_insert(json!("object"));
        }
        schema
    }

    pub(super) fn allow(&self) -> Value {
        match self.url {
            Some(_) => json!(["accept", "ignore"]),
            None if self.asks_nothing() => json!(["accept", "ignore"]),
            None => json!(["edit", "ignore"]),
        }
    }

    /// Whether its form has no fields, so that the answer is yes or no.
    fn asks_nothing(&self) -> bool {
        let fields = self.schema.get("properties").and_then(Value::as_object);
        fields.is_some_and(Map::is_empty)
    }

    /// Whether the person has to visit a page.
    pub(super) fn is_page(&self) -> bool {
        self.url.is_some()
    }

    /// The content for the server, if it fits the schema.
    pub(super) fn content(&self, args: &Value) -> Result<Value, String> {
        check_args(&self.schema, args).map(|()| args.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_read_filled_in_and_checked() {
        let event = json!({"mcp_server_name": "tickets", "message": "Which project?\nAnd why.", "mode": "form",
        "requested_schema": {"type": "object", "required": ["project"], "properties": {
            "project": {"type": "string", "enum": ["a", "b"]},
            "urgent": {"type": "boolean", "default": false},
        }}});
        let asked = Elicitation::read(&event).unwrap();
        assert_eq!(asked.title(), "Which project?");
        assert!(asked.text().contains("tickets"));
        assert_eq!(Value::Object(asked.fields()), json!({"urgent": false}));
        check_args(&asked.schema(), &json!({"urgent": false})).unwrap();
        assert!(asked.content(&json!({"urgent": false})).is_err());
        assert!(asked.content(&json!({"project": "c"})).is_err());
        assert_eq!(asked.content(&json!({"project": "b"})), Ok(json!({"project": "b"})));
        let page = json!({"message": "Log in", "mode": "url", "url": "https://x.test/login"});
        let page = Elicitation::read(&page).unwrap();
        assert!(page.text().ends_with("https://x.test/login"));
        assert_eq!(page.allow(), json!(["accept", "ignore"]));
        assert_eq!(Elicitation::read(&json!({"message": " "})), None);
    }
}
