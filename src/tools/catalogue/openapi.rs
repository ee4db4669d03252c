//! Turns an OpenAPI document (3.0 or 3.1) into a catalogue. Reports everything it has to leave out.

use super::schema::Schemas;
use super::{Auth, Catalogue, Operation, Parameter, ParameterLocation};
use crate::text::Visible;
use crate::text::schema::Schema;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The methods we import.
const METHODS: &[&str] = &["get", "head", "post", "put", "patch", "delete"];

/// The longest description we keep, in characters.
const LONGEST: usize = 400;

/// Header fields that OpenAPI does not allow as parameters.
const NOT_PARAMETERS: &[&str] = &["accept", "content-type", "authorization"];

/// The largest schema of an operation in bytes; nobody could fill in more.
const LARGEST_OPERATION: usize = 64 * 1024;

/// The catalogue of a document, and a sentence for each thing that was left out.
pub(super) fn read(document: &Value, name: Option<&str>) -> Result<(Catalogue, Vec<String>), String> {
    let document = &Visible::json(document);
    let version = document.get("openapi").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("3.0") && !version.starts_with("3.1") {
        let problem = match (version, document.get("swagger")) {
            ("", Some(_)) => "it is a Swagger 2 document; convert it to OpenAPI 3 first".to_owned(),
            ("", None) => "it has no `openapi` version; only OpenAPI 3.0 and 3.1 are read".to_owned(),
            (other, _) => format!("it is OpenAPI {other}; only 3.0 and 3.1 are read"),
        };
        return Err(problem);
    }
    let title = text(document, "/info/title");
    let mut reader = Reader { schemas: Schemas::new(document), left_out: Vec::new(), ids: BTreeSet::new() };
    let mut catalogue = Catalogue {
        name: name.map_or_else(|| slug(&title), str::to_owned),
        about: cut(&text(document, "/info/description")),
        title,
        ..Catalogue::default()
    };
    catalogue.hosts = reader.servers();
    catalogue.auth = reader.auth();
    catalogue.operations = reader.operations(&catalogue.name)?;
    for operation in &mut catalogue.operations {
        if operation.category_name.is_empty() {
            operation.category_name.clone_from(&catalogue.title);
        }
    }
    Ok((catalogue, reader.left_out))
}

struct Reader<'d> {
    schemas: Schemas<'d>,
    left_out: Vec<String>,
    ids: BTreeSet<String>,
}

impl Reader<'_> {
    fn servers(&mut self) -> Vec<String> {
        let servers = list(self.schemas.document, "/servers");
        let mut hosts = Vec::new();
        for server in servers {
            let mut url = text(server, "/url");
            let variables = server.get("variables").and_then(Value::as_object).into_iter().flatten();
            for (name, variable) in variables {
                url = url.replace(&format!("{{{name}}}"), &text(variable, "/default"));
            }
            let is_absolute = url.starts_with("https://") || url.starts_with("http://");
            if is_absolute && !url.contains(['{', '?', '#']) {
                hosts.push(url.trim_end_matches('/').to_owned());
            } else {
                self.left_out.push(format!("the server `{url}`: it is no whole address"));
            }
        }
        if hosts.is_empty() {
            self.left_out.push("its servers: name one in the config, with hosts in [apis.NAME]".to_owned());
        }
        hosts
    }

    /// The first scheme we understand, preferring those the document asks for.
    fn auth(&mut self) -> Option<Auth> {
        let schemes = self.schemas.document.pointer("/components/securitySchemes")?.as_object()?;
        let mut auth = None;
        let required = list(self.schemas.document, "/security").iter().filter_map(Value::as_object);
        let required: Vec<&String> = required.flat_map(Map::keys).collect();
        let mut ordered: Vec<(&String, &Value)> = schemes.iter().collect();
        ordered.sort_by_key(|(name, _)| required.iter().position(|one| one == name).unwrap_or(usize::MAX));
        for (name, scheme) in ordered {
            let scheme = self.schemas.follow(scheme);
            let field = text(scheme, "/name");
            let method = match (text(scheme, "/type").as_str(), text(scheme, "/in").as_str()) {
                ("apiKey", "header") => Some(Auth::Header { name: field }),
                ("apiKey", "query") => Some(Auth::Query { name: field }),
                ("http", _) if text(scheme, "/scheme").eq_ignore_ascii_case("bearer") => Some(Auth::Bearer),
                ("oauth2" | "openIdConnect", _) => Some(Auth::Bearer),
                _ => None,
            };
            match method {
                Some(method) if auth.is_none() => auth = Some(method),
                Some(_) => {}
                None => self.left_out.push(format!("the way `{name}` to show a key")),
            }
        }
        auth
    }

    fn operations(&mut self, home: &str) -> Result<Vec<Operation>, String> {
        let document = self.schemas.document;
        let paths = document.get("paths").and_then(Value::as_object);
        let Some(paths) = paths else { return Err("it has no `paths`".to_owned()) };
        let mut operations = Vec::new();
        for (path, item) in paths {
            let item = self.schemas.follow(item);
            for method in METHODS {
                let Some(operation) = item.get(*method) else { continue };
                match self.operation(path, method, item, operation) {
                    Ok(operation) => operations.push(Operation { catalogue: home.to_owned(), ..operation }),
                    Err(why) => self.left_out.push(format!("{} {path}: {why}", method.to_uppercase())),
                }
            }
        }
        if operations.is_empty() {
            return Err("nothing in it can be asked".to_owned());
        }
        Ok(operations)
    }

    fn operation(
        &mut self,
        path: &str,
        method: &str,
        item: &Value,
        operation: &Value,
    ) -> Result<Operation, String> {
        if item.get("servers").is_some() || operation.get("servers").is_some() {
            return Err("it has servers of its own".to_owned());
        }
        let mut parameters = self.parameters(item, operation)?;
        if let Some(body) = operation.get("requestBody") {
            self.body(self.schemas.follow(body), &mut parameters)?;
        }
        let summary = text(operation, "/summary");
        let id = text(operation, "/operationId");
        let mut id = slug(if id.is_empty() { path } else { &id });
        if text(operation, "/operationId").is_empty() {
            id = format!("{method}_{id}");
        }
        while !self.ids.insert(id.clone()) {
            id.push('_');
        }
        let tool_name = if summary.is_empty() { spaced(&id) } else { cut(&summary) };
        let more = text(operation, "/description");
        let described = if more.is_empty() { summary } else { format!("{summary} {more}") };
        let (required, optional): (Vec<_>, Vec<_>) =
            parameters.into_iter().partition(|(is_required, _)| *is_required);
        let only = |parameters: Vec<(bool, Parameter)>| parameters.into_iter().map(|(_, one)| one).collect();
        let read = Operation {
            api_name: tool_name.clone(),
            tool_name,
            id,
            category_name: text(operation, "/tags/0"),
            api_description: cut(described.trim()),
            required_parameters: only(required),
            optional_parameters: only(optional),
            method: method.to_uppercase(),
            api_url: path.to_owned(),
            ..Operation::default()
        };
        if read.schema(true).to_string().len() > LARGEST_OPERATION {
            return Err("its parameters are too large".to_owned());
        }
        // An invalid operation is left out without affecting the others.
        read.check()?;
        Ok(read)
    }

    /// The parameters, those of the path first; the operation's own override them.
    fn parameters(&mut self, item: &Value, operation: &Value) -> Result<Vec<(bool, Parameter)>, String> {
        let mut parameters: Vec<(bool, Parameter)> = Vec::new();
        for written in list(item, "/parameters").iter().chain(list(operation, "/parameters")) {
            let written = self.schemas.follow(written);
            let (name, place) = (text(written, "/name"), text(written, "/in"));
            if place == "header" && NOT_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) {
                continue;
            }
            let required = place == "path" || written.get("required") == Some(&json!(true));
            let schema = written.get("schema").map(|schema| self.schemas.expanded(schema)).transpose()?;
            let place = match place.as_str() {
                "query" => Some(ParameterLocation::Query),
                "path" => Some(ParameterLocation::Path),
                "header" => Some(ParameterLocation::Header),
                _ => None,
            };
            let object = schema.as_ref().is_some_and(|schema| kind(schema) == "object");
            let (Some(place), Some(schema), false) = (place, schema, object) else {
                if required {
                    return Err(format!("its parameter `{name}` cannot be told in plain words"));
                }
                continue;
            };
            let mut parameter = parameter(&name, &text(written, "/description"), place, schema);
            parameter.separator = separator(written);
            parameters.retain(|(_, other)| other.name != name || other.place != place);
            parameters.push((required, parameter));
        }
        Ok(parameters)
    }

    /// The body: each field of a JSON object becomes a parameter; any other JSON becomes one parameter.
    fn body(&mut self, body: &Value, parameters: &mut Vec<(bool, Parameter)>) -> Result<(), String> {
        let is_required = body.get("required") == Some(&json!(true));
        let contents = body.get("content").and_then(Value::as_object);
        let json = contents.and_then(|contents| {
            contents.iter().find(|(kind, _)| {
                let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
                kind == "application/json" || kind.ends_with("+json") || kind == "*/*"
            })
        });
        let Some((_, media)) = json else {
            return if is_required { Err("what goes along with it is not JSON".to_owned()) } else { Ok(()) };
        };
        let schema = media.get("schema").map(|schema| self.schemas.expanded(schema)).transpose()?;
        let schema = schema.unwrap_or_else(|| json!({}));
        let is_used = |name: &String| parameters.iter().any(|(_, other)| other.name == *name);
        let plain = ["oneOf", "anyOf", "allOf", "not", "patternProperties"]
            .iter()
            .all(|word| schema.get(word).is_none());
        let fields = schema.get("properties").and_then(Value::as_object).filter(|_| plain);
        let fields = fields.filter(|fields| !fields.is_empty() && !fields.keys().any(is_used));
        let Some(fields) = fields else {
            let mut name = "body".to_owned();
            while is_used(&name) {
                name.push('_');
            }
            parameters.push((
                is_required,
                parameter(&name, &text(body, "/description"), ParameterLocation::WholeBody, schema),
            ));
            return Ok(());
        };
        let required = list(&schema, "/required");
        for (name, field) in fields.iter().filter(|(_, field)| field.get("readOnly") != Some(&json!(true))) {
            let required = is_required && required.iter().any(|one| one == name);
            parameters.push((
                required,
                parameter(name, &text(field, "/description"), ParameterLocation::Body, field.clone()),
            ));
        }
        Ok(())
    }
}

fn parameter(name: &str, description: &str, place: ParameterLocation, schema: Value) -> Parameter {
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    };
    let kind = kind(&Value::Object(schema.clone()));
    let described = if description.is_empty() {
        text(&Value::Object(schema.clone()), "/description")
    } else {
        description.to_owned()
    };
    let values = match schema.remove("enum") {
        Some(Value::Array(values)) => values,
        _ => Vec::new(),
    };
    // The default is the server's; we keep it only if it is a plain value, so that the card can show it.
    let default = schema.remove("default").filter(|value| !value.is_object() && !value.is_array());
    schema.remove("description");
    let default = default.filter(|default| values.is_empty() || values.contains(default)).unwrap_or_default();
    let checked = Parameter {
        name: name.to_owned(),
        description: cut(&described),
        kind,
        place,
        default,
        values,
        schema: Some(Value::Object(schema)),
        ..Parameter::default()
    };
    let is_default_valid = Schema::new(&checked.schema()).is_ok_and(|schema| schema.fits(&checked.default));
    if is_default_valid { checked } else { Parameter { default: Value::Null, ..checked } }
}

/// What joins the items of a list in a query; empty if the parameter is repeated, which is usual.
fn separator(written: &Value) -> String {
    let style = text(written, "/style");
    let explode = written.get("explode").and_then(Value::as_bool);
    let separator = match style.as_str() {
        "spaceDelimited" if explode != Some(true) => " ",
        "pipeDelimited" if explode != Some(true) => "|",
        "" | "form" if explode == Some(false) => ",",
        _ => "",
    };
    separator.to_owned()
}

/// The type of a schema; empty if it has none or several.
fn kind(schema: &Value) -> String {
    match schema.get("type") {
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            let mut types = several.iter().filter_map(Value::as_str).filter(|one| *one != "null");
            match (types.next(), types.next()) {
                (Some(one), None) => one.to_owned(),
                _ => String::new(),
            }
        }
        _ if schema.get("properties").is_some() => "object".to_owned(),
        _ => String::new(),
    }
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn cut(text: &str) -> String {
    let line = Visible::line(text);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() > LONGEST { line.chars().take(LONGEST).chain(['…']).collect() } else { line }
}

fn slug(text: &str) -> String {
    let parts = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    let slug: String = parts.collect::<Vec<_>>().join("_").chars().take(40).collect();
    slug.to_lowercase()
}

fn spaced(id: &str) -> String {
    id.replace('_', " ")
}
