//! Turns parameters into a request: checked against the operation's schema, each put where it belongs.

use super::{Catalogue, Operation, ParameterLocation};
use crate::text::schema::{Misfit, Schema};
use crate::tools::http::{Call, Method};
use reqwest::Url;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A complete request, except for the key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiRequest {
    /// GET, POST …
    pub method: String,
    /// The full URL.
    pub url: String,
    pub headers: Vec<(String, String)>,
    /// The JSON body.
    pub body: Option<Value>,
}

impl Operation {
    /// What is wrong with `parameters`: the parameter's name (empty for the whole) and the reason.
    pub fn wrong(&self, parameters: &Map<String, Value>, complete: bool) -> Vec<(String, String)> {
        let schema = self.schema(complete);
        let schema = match Schema::new(&schema) {
            Ok(schema) => schema,
            Err(why) => return vec![(String::new(), format!("its own schema is broken: {why}"))],
        };
        let complaint = |misfit: Misfit| {
            let name = misfit.at.trim_start_matches('/').split('/').next().unwrap_or_default().to_owned();
            (name, misfit.text.chars().take(300).collect())
        };
        schema.misfits(&Value::Object(parameters.clone())).into_iter().map(complaint).collect()
    }

    /// Builds the request to the server at `base`. The error says what is wrong with the parameters.
    pub fn fill(
        &self,
        catalogue: &Catalogue,
        base: &str,
        parameters: &Map<String, Value>,
    ) -> Result<ApiRequest, String> {
        if let Some((name, why)) = self.wrong(parameters, true).into_iter().next() {
            return Err(if name.is_empty() { why } else { format!("`{name}`: {why}") });
        }
        let mut url = Url::parse(base).map_err(|error| format!("{base} is no address: {error}"))?;
        self.path(&mut url, parameters)?;
        let mut headers = Vec::new();
        let mut body = Map::new();
        let mut full_body = None;
        {
            let mut query = url.query_pairs_mut();
            query.clear();
            for parameter in self.parameters() {
                let Some(value) = parameters.get(&parameter.name).filter(|value| !value.is_null()) else {
                    continue;
                };
                match parameter.place {
                    ParameterLocation::Path => {}
                    ParameterLocation::Query if !parameter.separator.is_empty() => {
                        query.append_pair(&parameter.name, &texts(value).join(&parameter.separator));
                    }
                    ParameterLocation::Query => {
                        for one in texts(value) {
                            query.append_pair(&parameter.name, &one);
                        }
                    }
                    ParameterLocation::Header => {
                        headers.push((parameter.name.clone(), texts(value).join(",")))
                    }
                    ParameterLocation::Body => {
                        body.insert(parameter.name.clone(), value.clone());
                    }
                    ParameterLocation::WholeBody => full_body = Some(value.clone()),
                }
            }
            for (name, value) in &catalogue.always {
                query.append_pair(name, value);
            }
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        let body = full_body.or_else(|| (!body.is_empty()).then_some(Value::Object(body)));
        let method = self.method.to_ascii_uppercase();
        Ok(ApiRequest { method, url: url.to_string(), headers, body })
    }

    fn path(&self, url: &mut Url, parameters: &Map<String, Value>) -> Result<(), String> {
        let mut filled = Vec::new();
        for part in self.api_url.split('/').filter(|part| !part.is_empty()) {
            let mut text = part.to_owned();
            for parameter in self.parameters().filter(|one| one.place == ParameterLocation::Path) {
                let hole = format!("{{{}}}", parameter.name);
                if text.contains(&hole) {
                    let value = parameters.get(&parameter.name).map(texts).unwrap_or_default().join(",");
                    // An empty value or dots would lead to another operation.
                    if value.is_empty() || value.trim_matches('.').is_empty() {
                        return Err(format!("`{}` cannot be {value:?}", parameter.name));
                    }
                    text = text.replace(&hole, &value);
                }
            }
            filled.push(text);
        }
        let mut segments =
            url.path_segments_mut().map_err(|()| "the server's address has no path".to_owned())?;
        segments.pop_if_empty().extend(filled);
        Ok(())
    }
}

impl ApiRequest {
    /// The request to send; the sender adds the key, if there is one.
    pub fn call(&self) -> Result<Call, String> {
        let method =
            Method::from_word(&self.method).ok_or_else(|| format!("`{}` is no method", self.method))?;
        let mut headers = vec![("accept".to_owned(), "application/json".to_owned())];
        headers.extend(self.headers.clone());
        let body = match &self.body {
            Some(body) => {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
                Some(body.to_string().into_bytes())
            }
            None => None,
        };
        Ok(Call { method, url: self.url.clone(), headers, body })
    }
}

/// A value as it appears in a URL; a list gives several.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::String(text) => vec![text.clone()],
        Value::Null => Vec::new(),
        other => vec![other.to_string()],
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameter;
    use super::*;
    use serde_json::json;

    fn operation() -> Operation {
        let one = |name: &str, kind: &str, place: ParameterLocation| Parameter {
            name: name.into(),
            kind: kind.into(),
            place,
            ..Parameter::default()
        };
        Operation {
            method: "POST".into(),
            api_url: "/v1/things/{id}/parts".into(),
            required_parameters: vec![one("id", "string", ParameterLocation::Path)],
            optional_parameters: vec![
                one("tag", "array", ParameterLocation::Query),
                Parameter { maximum: Some(5.0), ..one("count", "integer", ParameterLocation::Query) },
                one("X-Trace", "string", ParameterLocation::Header),
                one("name", "string", ParameterLocation::Body),
            ],
            ..Operation::default()
        }
    }

    fn fill(parameters: Value) -> Result<ApiRequest, String> {
        let Value::Object(parameters) = parameters else { panic!() };
        operation().fill(&Catalogue::default(), "https://api.example/base/", &parameters)
    }

    #[test]
    fn everything_goes_where_it_belongs() {
        let parameters =
            json!({"id": "a/b ?#", "tag": ["x", "y&z"], "count": 3, "X-Trace": "t", "name": "n"});
        let filled = fill(parameters).unwrap();
        assert_eq!(
            filled.url,
            "https://api.example/base/v1/things/a%2Fb%20%3F%23/parts?tag=x&tag=y%26z&count=3"
        );
        assert_eq!(filled.headers, [("X-Trace".to_owned(), "t".to_owned())]);
        assert_eq!(filled.body, Some(json!({"name": "n"})));
        assert_eq!(fill(json!({"id": "a"})).unwrap().url, "https://api.example/base/v1/things/a/parts");
    }

    #[test]
    fn nothing_that_does_not_fit_is_sent() {
        for (bad, expected) in [
            (json!({}), "id"),
            (json!({"id": ""}), "id"),
            (json!({"id": ".."}), "cannot be"),
            (json!({"id": "."}), "cannot be"),
            (json!({"id": 7}), "id"),
            (json!({"id": "a", "count": 6}), "count"),
            (json!({"id": "a", "count": "3"}), "count"),
            (json!({"id": "a", "other": 1}), "other"),
        ] {
            let why = fill(bad.clone()).unwrap_err();
            assert!(why.contains(expected), "{bad}: {why}");
        }
    }
}
