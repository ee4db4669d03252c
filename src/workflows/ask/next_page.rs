//! Finds out whether a server has more of a list than it gave, and how to ask for it: by offset, page number, cursor or
//! link. A link is never followed; its parameters are used to call the same operation again.

use super::format::{self, Part};
use super::parts::Next;
use super::values;
use crate::tools::catalogue::{Operation, Parameter, ParameterLocation};
use reqwest::Url;
use serde_json::{Map, Value};

/// Names of parameters that say where a page begins, letters and digits only.
const OFFSETS: &[&str] = &["offset", "skip", "start", "startindex", "sroffset", "from"];
const PAGES: &[&str] = &["page", "pagenumber", "pageno", "pagenum"];
const CURSORS: &[&str] =
    &["cursor", "pagetoken", "nexttoken", "after", "startingafter", "startcursor", "continuationtoken"];

/// Names of parameters that say how long a page is.
const SIZES: &[&str] = &["limit", "perpage", "pagesize", "count", "maxresults", "size", "top", "srlimit"];

/// Fields of an answer that may lead to the next page, at the top or one level down.
const NEXT_CURSORS: &[&str] =
    &["nextcursor", "nextpagetoken", "nexttoken", "cursor", "endcursor", "after", "continuationtoken"];
const NEXT_LINKS: &[&str] = &["next", "nextpage", "nexturl", "nextlink", "odatanextlink"];
const WRAPPER_KEYS: &[&str] = &["links", "paging", "pagination", "meta", "metadata", "pageinfo", "cursors"];

/// The link of a `Link` header whose relation is `next` (RFC 8288).
pub(super) fn next_link(header: &str) -> Option<String> {
    let mut rest = header;
    while let Some((link, after)) = rest.split_once('<').and_then(|(_, rest)| rest.split_once('>')) {
        // Up to the next link, which begins after a comma; commas within quotes do not count.
        let mut quoted = false;
        let end = after.find(|c: char| {
            quoted ^= c == '"';
            c == ',' && !quoted
        });
        let (parameters, further) = after.split_at(end.unwrap_or(after.len()));
        let is_next = |parameter: &str| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let mut relations = value.trim().trim_matches('"').split_whitespace();
            name.trim().eq_ignore_ascii_case("rel") && relations.any(|one| one.eq_ignore_ascii_case("next"))
        };
        if parameters.split(';').any(is_next) {
            return Some(link.trim().to_owned());
        }
        rest = further;
    }
    None
}

/// How to get the next page of an answer; `header_link` is the next page its header links to.
pub(super) fn next(part: &Part<'_>, answer: &Value, header_link: Option<&str>) -> Next {
    let operation = part.operation;
    let sent_parameters = part.parameters.cloned().unwrap_or_default();
    let entries = format::entries(part.catalogue, answer).map_or(0, <[Value]>::len);
    let next_at = |name: &str, value: Value| {
        let mut parameters = sent_parameters.clone();
        parameters.insert(name.to_owned(), value);
        Next::At { parameters }
    };
    if let Some(link) = header_link.or_else(|| text_under(answer, NEXT_LINKS))
        && let Some(parameters) = link_parameters(operation, &sent_parameters, link)
    {
        return Next::At { parameters };
    }
    if has_more(answer) == Some(false) {
        return Next::End;
    }
    if let Some(parameter) = parameter_named(operation, CURSORS) {
        return match text_under(answer, NEXT_CURSORS)
            .filter(|cursor| sent_parameters.get(&parameter.name) != Some(&Value::from(*cursor)))
        {
            Some(cursor) => next_at(&parameter.name, Value::from(cursor)),
            None => Next::End,
        };
    }
    let number = |parameter: &Parameter| {
        let value = sent_parameters.get(&parameter.name).and_then(Value::as_u64);
        value.or_else(|| parameter.default.as_u64())
    };
    let size = parameter_named(operation, SIZES).and_then(number);
    if entries == 0 || size.is_some_and(|size| (entries as u64) < size) {
        return Next::End;
    }
    if let Some(parameter) = parameter_named(operation, OFFSETS) {
        let start = number(parameter).unwrap_or_default();
        return next_at(&parameter.name, Value::from(start + entries as u64));
    }
    if let Some(parameter) = parameter_named(operation, PAGES) {
        let first_page =
            parameter.minimum.filter(|minimum| *minimum >= 0.0).map_or(1, |minimum| minimum as u64);
        return next_at(&parameter.name, Value::from(number(parameter).unwrap_or(first_page) + 1));
    }
    Next::Unknown
}

fn folded(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

fn parameter_named<'o>(operation: &'o Operation, names: &[&str]) -> Option<&'o Parameter> {
    operation.parameters().find(|parameter| names.contains(&folded(&parameter.name).as_str()))
}

/// The text an answer has under one of these names.
fn text_under<'v>(answer: &'v Value, names: &[&str]) -> Option<&'v str> {
    let in_object = |fields: &'v Map<String, Value>| {
        let mut matches = fields.iter().filter(|(name, _)| names.contains(&folded(name).as_str()));
        matches
            .find_map(|(_, value)| value.as_str().or_else(|| value.get("href")?.as_str()))
            .filter(|text| !text.is_empty())
    };
    let fields = answer.as_object()?;
    in_object(fields).or_else(|| {
        let wrappers = fields.iter().filter(|(name, _)| WRAPPER_KEYS.contains(&folded(name).as_str()));
        wrappers.filter_map(|(_, value)| value.as_object()).find_map(in_object)
    })
}

/// Whether an answer says that there is more.
fn has_more(answer: &Value) -> Option<bool> {
    let in_object = |fields: &Map<String, Value>| {
        let is_flag = |name: &str| ["hasmore", "hasnext", "hasnextpage"].contains(&folded(name).as_str());
        fields.iter().find(|(name, _)| is_flag(name)).and_then(|(_, value)| value.as_bool())
    };
    let fields = answer.as_object()?;
    in_object(fields).or_else(|| fields.values().filter_map(Value::as_object).find_map(in_object))
}

/// The parameters a link asks for, if it is the same operation with other parameters.
fn link_parameters(
    operation: &Operation,
    sent_parameters: &Map<String, Value>,
    link: &str,
) -> Option<Map<String, Value>> {
    let base = Url::parse("http://server.invalid/").ok()?;
    let url = base.join(link).ok()?;
    let mut parameters = sent_parameters.clone();
    for (name, value) in url.query_pairs() {
        let query_parameter = operation.parameter(&name).filter(|one| one.place == ParameterLocation::Query);
        // A parameter the operation does not know says nothing about the page, or is sent with every request.
        let Some(parameter) = query_parameter else { continue };
        parameters.insert(parameter.name.clone(), values::read(parameter, &value).ok()?);
    }
    (parameters != *sent_parameters).then_some(parameters)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::catalogue::Catalogue;
    use serde_json::json;

    fn after(parameters: &[(&str, &str)], sent: Value, answer: Value) -> Option<Value> {
        after_link(parameters, sent, answer, None)
    }

    fn after_link(
        parameters: &[(&str, &str)],
        sent: Value,
        answer: Value,
        header_link: Option<&str>,
    ) -> Option<Value> {
        let parameter = |(name, kind): &(&str, &str)| Parameter {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            ..Parameter::default()
        };
        let operation = Operation {
            optional_parameters: parameters.iter().map(parameter).collect(),
            ..Operation::default()
        };
        let catalogue = Catalogue { data: "/data".to_owned(), ..Catalogue::default() };
        let part = Part {
            catalogue: &catalogue,
            operation: &operation,
            parameters: sent.as_object(),
            about: None,
            response: &answer,
            before: 0,
            heading: None,
        };
        match next(&part, &answer, header_link) {
            Next::At { parameters } => Some(Value::Object(parameters)),
            Next::End => Some(json!("end")),
            Next::Unknown => None,
        }
    }

    #[test]
    fn pages_go_on_by_offset_number_cursor_and_link() {
        let two = json!({"data": [{"id": 1}, {"id": 2}]});
        let offset = [("limit", "integer"), ("offset", "integer")];
        assert_eq!(after(&offset, json!({"limit": 2}), two.clone()), Some(json!({"limit": 2, "offset": 2})));
        assert_eq!(
            after(&offset, json!({"limit": 2, "offset": 4}), two.clone()),
            Some(json!({"limit": 2, "offset": 6}))
        );
        assert_eq!(after(&offset, json!({"limit": 3}), two.clone()), Some(json!("end")));
        assert_eq!(after(&offset, json!({}), json!({"data": []})), Some(json!("end")));
        let page = [("per_page", "integer"), ("page", "integer")];
        assert_eq!(
            after(&page, json!({"per_page": 2}), two.clone()),
            Some(json!({"per_page": 2, "page": 2}))
        );
        assert_eq!(
            after(&page, json!({"per_page": 2, "page": 2}), two.clone()),
            Some(json!({"per_page": 2, "page": 3}))
        );
        let cursor = [("cursor", "string")];
        let more = json!({"data": [{"id": 1}], "meta": {"next_cursor": "abc"}});
        assert_eq!(after(&cursor, json!({}), more.clone()), Some(json!({"cursor": "abc"})));
        assert_eq!(after(&cursor, json!({"cursor": "abc"}), more), Some(json!("end")), "it leads nowhere");
        assert_eq!(after(&cursor, json!({}), two.clone()), Some(json!("end")));
        let link = json!({"data": [{"id": 1}], "links": {"next": {"href": "/v1/things?page=7&key=x"}}});
        assert_eq!(after(&page, json!({}), link), Some(json!({"page": 7})));
        assert_eq!(after(&[], json!({}), two.clone()), None, "nobody can say");
        assert_eq!(after(&[("limit", "integer")], json!({"limit": 2}), two), None);
    }

    #[test]
    fn the_link_header_leads_on() {
        let header =
            r#"<https://x.org/a?page=1>; rel="prev first"; title="a, b", </a?page=3&per_page=2>; rel="next""#;
        assert_eq!(next_link(header).as_deref(), Some("/a?page=3&per_page=2"));
        assert_eq!(
            next_link("<https://x.org/a?page=9>; REL=next").as_deref(),
            Some("https://x.org/a?page=9")
        );
        for none in ["", "<https://x.org/a", "<https://x.org/a>; rel=last", "next", "<a>; title=\"rel=next\""]
        {
            assert_eq!(next_link(none), None, "{none}");
        }
        let answer = json!({"data": [{"id": 1}, {"id": 2}]});
        let parameters = [("page", "integer"), ("per_page", "integer")];
        let sent = json!({"page": 2, "per_page": 2});
        let next_page = after_link(&parameters, sent, answer.clone(), next_link(header).as_deref());
        assert_eq!(next_page, Some(json!({"page": 3, "per_page": 2})));
        let elsewhere =
            after_link(&[("since", "integer")], json!({}), answer, Some("https://other.org/b?since=364"));
        assert_eq!(elsewhere, Some(json!({"since": 364})), "asked of the same operation and server");
    }
}
