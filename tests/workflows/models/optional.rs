//! Optional values: a model may give null for an optional value, and nobody downstream sees that null.

use sayso::agent::llm::{Choice, OutputSchema, Provider, Request, ToolSpec, quiet, structured};
use sayso::text::schema::Schema;
use serde_json::{Value, json};

use crate::support::asking::{propose, request};
use crate::support::model_server::Server;
use crate::support::wire::{self, PROVIDERS};

/// Optional values of every sort: plain, an enum, behind a reference, in an object, in a list of objects, in a union.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "genre": {"type": "string", "enum": ["Rock", "Pop"]},
            "limit": {"type": "integer", "minimum": 1},
            "tags": {"type": "array", "items": {"type": "string"}},
            "near": {"$ref": "#/$defs/place"},
            "note": {"type": ["string", "null"]},
            "range": {
                "type": "object",
                "properties": {"from": {"type": "string"}, "to": {"type": "string"}},
                "required": ["from"],
                "additionalProperties": false,
            },
            "places": {"type": "array", "items": {"$ref": "#/$defs/place"}},
            "sort": {"anyOf": [
                {"type": "object", "properties": {"by": {"const": "name"}, "locale": {"type": "string"}},
                 "required": ["by"], "additionalProperties": false},
                {"type": "object", "properties": {"by": {"const": "place"}, "locale": {"type": ["string", "null"]}},
                 "required": ["by", "locale"], "additionalProperties": false},
            ]},
        },
        "required": ["query", "range", "places", "sort"],
        "additionalProperties": false,
        "$defs": {"place": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "kind": {"enum": ["home", "work"]}},
            "required": ["city"],
            "additionalProperties": false,
        }},
    })
}

/// What a model says that must name every property.
fn reply_with_nulls() -> Value {
    json!({
        "query": "tea", "genre": null, "limit": null, "tags": null, "near": null, "note": null,
        "range": {"from": "May", "to": null},
        "places": [{"city": "Bonn", "kind": null}, {"city": "Kiel", "kind": "work"}],
        "sort": {"by": "name", "locale": null},
    })
}

/// The same without what it left open. Whether there is a note is for the model to say, and so is null.
fn meant() -> Value {
    json!({
        "query": "tea", "note": null, "range": {"from": "May"},
        "places": [{"city": "Bonn"}, {"city": "Kiel", "kind": "work"}],
        "sort": {"by": "name"},
    })
}

fn output() -> OutputSchema {
    OutputSchema { name: "search".into(), schema: schema() }
}

/// A request that wants the tool called.
fn asked() -> Request {
    let tool = ToolSpec { name: "search".into(), description: "Search.".into(), schema: schema() };
    request().tool(tool).choice(Choice::Required)
}

fn data(provider: Provider, value: &Value) -> crate::support::model_server::Play {
    match provider {
        Provider::Anthropic => wire::calls(provider, &[("search", value.clone())]),
        _ => wire::text(provider, &[&value.to_string()]),
    }
}

#[tokio::test]
async fn nulls_for_optional_values_are_dropped_from_data_and_from_calls() {
    for provider in PROVIDERS {
        let server = Server::play([data(provider, &reply_with_nulls())]).await;
        let got = structured::<Value>(&*server.model(provider), &request(), output()).await.unwrap();
        assert_eq!((got.value, got.answers), (meant(), 1), "{provider:?}");

        let server = Server::play([wire::calls(provider, &[("search", reply_with_nulls())])]).await;
        let reply = propose(&*server.model(provider), &asked(), &quiet).await.unwrap();
        assert_eq!((&reply.calls[0].args, server.count()), (&meant(), 1), "{provider:?}");
    }
}

#[tokio::test]
async fn a_null_that_means_something_stays() {
    let mut arguments = reply_with_nulls();
    arguments["sort"] = json!({"by": "place", "locale": null});
    for provider in PROVIDERS {
        let server = Server::play([wire::calls(provider, &[("search", arguments.clone())])]).await;
        let reply = propose(&*server.model(provider), &asked(), &quiet).await.unwrap();
        assert_eq!(reply.calls[0].args["sort"], json!({"by": "place", "locale": null}), "{provider:?}");
    }
}

#[tokio::test]
async fn a_required_value_that_is_null_is_refused() {
    for at in ["query", "range", "places"] {
        let mut reply = reply_with_nulls();
        reply[at] = Value::Null;
        for provider in PROVIDERS {
            let server = Server::play([data(provider, &reply)]).await;
            let error =
                structured::<Value>(&*server.model(provider), &request(), output()).await.unwrap_err();
            assert_eq!((error.code(), server.count()), ("unreadable", 2), "{provider:?}");
            assert!(error.to_string().contains(&format!("\"{at}\" is a required property")), "{error}");
        }
    }
    let mut reply = reply_with_nulls();
    reply["places"][0]["city"] = Value::Null;
    let server = Server::play([data(Provider::Openai, &reply)]).await;
    let error =
        structured::<Value>(&*server.model(Provider::Openai), &request(), output()).await.unwrap_err();
    assert!(error.to_string().contains("at /places/0: \"city\" is a required property"), "{error}");
}

#[tokio::test]
async fn strict_mode_lets_a_model_leave_open_what_is_optional_and_nothing_else() {
    let server = Server::play([data(Provider::Openai, &reply_with_nulls())]).await;
    structured::<Value>(&*server.model(Provider::Openai), &request(), output()).await.unwrap();
    let sent = &server.seen()[0].body["response_format"]["json_schema"];
    assert_eq!(sent["strict"], true);
    let strict = Schema::new(&sent["schema"]).unwrap();
    assert!(strict.fits(&reply_with_nulls()), "{sent:#}");
    // Strict mode wants every name in `required`.
    assert!(!strict.fits(&meant()));
    for pointer in ["/query", "/range", "/range/from", "/places", "/places/0/city", "/sort", "/sort/by"] {
        let mut bad = reply_with_nulls();
        *bad.pointer_mut(pointer).unwrap() = Value::Null;
        assert!(!strict.fits(&bad), "{pointer}");
    }
    let genre = &sent["schema"]["properties"]["genre"];
    assert_eq!(genre, &json!({"type": ["string", "null"], "enum": ["Rock", "Pop", null]}));
}
