//! OpenAPI documents of some size: what is read of them, what a parameter may be, and requests made by them.

use super::*;
use crate::support::merged;
use sayso::config::Env;
use sayso::tools::catalogue::{Auth, Catalogue, CatalogueStore, Operation};
use serde_json::Map;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn read(document: &str) -> (Catalogue, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let shelf = CatalogueStore::new(folder.path().to_owned(), BTreeMap::new(), Env::default());
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/openapi");
    shelf.add(&fixtures.join(document), None).unwrap()
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn names(operation: &Operation) -> (Vec<&str>, Vec<&str>) {
    let required = operation.required_parameters.iter().map(|one| one.name.as_str());
    let optional = operation.optional_parameters.iter().map(|one| one.name.as_str());
    (required.collect(), optional.collect())
}

#[test]
fn a_document_of_seventy_operations_is_read_and_what_is_left_out_is_said() {
    let (depot, left_out) = read("depot.json");
    assert_eq!((depot.name.as_str(), depot.operations.len()), ("depot", 64), "{left_out:#?}");
    assert_eq!(depot.hosts, ["https://eu.api.depot.example/v2", "https://backup.depot.example/v2"]);
    // The first that the document itself wants, not the first by name.
    assert_eq!(depot.auth, Some(Auth::Header { name: "X-Depot-Key".to_owned() }));
    let text = left_out.join("\n");
    let parts = [
        "the server `/v2`",
        "the way `basic`",
        "the way `session`",
        "GET /accounts/{account}/exports: it has servers of its own",
        "POST /accounts/{account}/labels: what goes along with it is not JSON",
        "POST /oauth/token: what goes along with it is not JSON",
        "GET /accounts/{account}/twice/{id}: two parameters are named `id`",
        "GET /accounts/{account}/undeclared/{thing}: its path needs `thing`",
        "GET /accounts/{account}/nowhere: `#/components/schemas/Missing` leads outside the document or nowhere",
    ];
    assert_contains(&text, parts);
    assert_eq!(left_out.len(), 9, "{text}");

    // Parameters by reference, those of the path, fields of objects that are all meant at once.
    let create = depot.operation("orders_create").unwrap();
    let (required, optional) = names(create);
    assert_eq!(required, ["account", "customer_id", "items"]);
    assert_eq!(optional, ["Idempotency-Key", "description", "gift", "metadata", "ship_to"]);
    assert_eq!(create.parameter("gift").unwrap().default, false);
    assert_eq!(names(depot.operation("customers_create").unwrap()).0, ["account", "email"]);
    // What refers to itself is cut there, what the server alone sets is not asked for.
    let (required, optional) = names(depot.operation("categories_replace").unwrap());
    assert_eq!((required, optional), (vec!["account", "category_id", "name"], vec!["children", "parent"]));
    // What may be one of several goes along as a whole.
    assert_eq!(names(depot.operation("discounts_create").unwrap()).0, ["account", "body"]);
    // Fields of the header that are not for a document to set, and what cannot be told in words.
    assert_eq!(names(depot.operation("search_everything").unwrap()), (vec!["account", "q"], vec!["types"]));
    assert_eq!(depot.operation("get_status").unwrap().tool_name, "Service status");

    let (workshop, left_out) = read("workshop.yaml");
    assert!(left_out.is_empty(), "{left_out:?}");
    assert_eq!((workshop.operations.len(), workshop.auth), (10, Some(Auth::Bearer)));
    assert_eq!(workshop.hosts, ["https://workshop.example:8443/api"]);
    let ids: Vec<&str> = workshop.operations.iter().map(|one| one.id.as_str()).collect();
    assert!(ids.contains(&"listjobs") && ids.contains(&"listjobs_"), "one id twice: {ids:?}");
    let add = workshop.operations.iter().find(|one| one.id == "addjob").unwrap();
    assert_eq!(names(add), (vec!["title"], vec!["due", "note", "parts"]));
    let get = workshop.operations.iter().find(|one| one.id == "getjob").unwrap();
    assert_eq!(names(get).0, ["job"]);
}

#[test]
fn parameters_are_checked_by_the_documents_own_words() {
    let (depot, _) = read("depot.json");
    let address = json!({"street": "Kade 1", "city": "Delft", "country": "NL"});
    let price = json!({"currency": "EUR", "cents": 5});
    let complaints = |id: &str, parameters: &Value| {
        let parameters = merged(json!({"account": "a"}), parameters.clone());
        depot.operation(id).unwrap().wrong(&map(parameters), true)
    };
    for (id, parameters, wrong) in [
        ("orders_list", json!({"status": "lost"}), "status"),
        ("orders_list", json!({"page_size": 101}), "page_size"),
        ("orders_list", json!({"page_size": "20"}), "page_size"),
        ("customers_list", json!({"q": "x"}), "q"),
        ("categories_get", json!({"category_id": 0}), "category_id"),
        ("parcels_create", json!({"weight_grams": 0, "to": address}), "weight_grams"),
        ("parcels_create", json!({"weight_grams": 5, "to": {"city": "Delft"}}), "to"),
        ("parcels_create", json!({"weight_grams": 5, "to": address, "carrier": "ups"}), "carrier"),
        ("orders_create", json!({"customer_id": "c", "items": []}), "items"),
        (
            "orders_create",
            json!({"customer_id": "c", "items": [{"product_id": "p", "quantity": 0}]}),
            "items",
        ),
        ("payments_create", json!({"amount": price, "method": {"type": "card"}}), "method"),
        ("parcels_events", json!({"parcel_id": "p", "kinds": ["dance"]}), "kinds"),
        ("orders_get", json!({"order_id": "12", "colour": "red"}), ""),
        ("orders_get", json!({}), ""),
    ] {
        let complaints = complaints(id, &parameters);
        assert!(complaints.iter().any(|(name, _)| name == wrong), "{id} {parameters}: {complaints:?}");
    }
    let card = json!({"type": "card", "token": "t"});
    for (id, parameters) in [
        ("orders_list", json!({"status": "open", "page_size": 100})),
        ("parcels_create", json!({"weight_grams": 5, "to": address, "carrier": null})),
        ("payments_create", json!({"amount": price, "method": card, "memo": null})),
        ("discounts_create", json!({"body": {"percent": 10}})),
        ("categories_replace", json!({"category_id": 7, "name": "Hubs", "parent": {"name": "Wheels"}})),
    ] {
        assert_eq!(complaints(id, &parameters), [], "{id} {parameters}");
    }
    let events = depot.operation("parcels_events").unwrap();
    let parameters =
        json!({"account": "a b", "parcel_id": "p/1", "kinds": ["scan", "delay"], "depots": ["x", "y"]});
    let filled = events.fill(&depot, "https://h.example/v2", &map(parameters)).unwrap();
    let url = "https://h.example/v2/accounts/a%20b/parcels/p%2F1/events?kinds=scan%2Cdelay&depots=x%7Cy";
    assert_eq!(filled.url, url);
    let search = depot.operation("search_everything").unwrap();
    let parameters = json!({"account": "a", "q": "hub", "types": ["order", "parcel"]});
    let filled = search.fill(&depot, "https://h.example", &map(parameters)).unwrap();
    assert_eq!(filled.url, "https://h.example/accounts/a/search?q=hub&types=order&types=parcel");
}

/// An inbox with the depot's API, and a model that chooses `api` and says these parameters.
async fn depot(api: &'static str, parameters: Value) -> AskInbox {
    let model = FakeModel::by(move |_| Ok(Scripted::json(&json!({"api": api, "parameters": parameters}))));
    let more = |port: u16| {
        format!(
            "[apis.depot]\nhosts = [\"http://127.0.0.1:{port}/v2\"]\nprivate = [\"127.0.0.1:{port}\"]\n\
             api_key_env = \"DEPOT_KEY\"\n"
        )
    };
    let inbox = AskInbox::with(model, more).await;
    inbox.add_api("depot.json");
    inbox
}

#[tokio::test]
async fn a_question_is_answered_by_one_of_many_operations() {
    let parameters = json!({"account": "acme", "status": "open"});
    let inbox = depot("depot/orders_list", parameters).await;
    let orders: Vec<Value> =
        (0..130).map(|n| json!({"id": format!("o{n}"), "description": format!("Hub {n}")})).collect();
    inbox.server.tell(
        "/v2/accounts/acme/orders",
        [Reply::Json(200, json!({"data": orders, "has_more": false, "next_cursor": null}))],
    );
    let thread = inbox.ask("Which orders are open?").await;
    let answer = inbox.answer_of(&thread).await;
    assert!(
        answer.starts_with("List orders (account acme, page_size 20, status open):\n\n1. \"o0\""),
        "{answer}"
    );
    assert!(answer.contains("100 of 130 are shown"), "a list beside other fields is paged too: {answer}");
    assert_eq!(inbox.server.lines(), ["GET /v2/accounts/acme/orders?page_size=20&status=open"]);
    assert!(inbox.server.last_body().contains("canary-depot"));
    inbox.proceed(&thread, "more").await;
    let answer = inbox.answer_of(&thread).await;
    assert!(answer.contains("130. \"o129\"") && !answer.contains("say “more”"), "{answer}");
    assert_eq!(inbox.server.lines().len(), 1);
}

#[tokio::test]
async fn a_request_with_an_object_in_it_is_shown_and_made() {
    let items = json!([{"product_id": "hub-7", "quantity": 2}]);
    let parameters = json!({"account": "acme", "customer_id": "c9", "items": items});
    let inbox = depot("depot/orders_create", parameters).await;
    inbox
        .server
        .tell("/v2/accounts/acme/orders", [Reply::Json(200, json!({"id": "o1", "customer_id": "c9"}))]);
    let thread = inbox.ask("Order two of hub-7 for c9").await;
    let card = inbox.open_item(&thread).await;
    let key = "header X-Depot-Key: your key (env DEPOT_KEY)";
    assert_contains(
        &card.text,
        ["POST http://127.0.0.1", "/v2/accounts/acme/orders", "\"quantity\": 2", key],
    );
    assert!(inbox.server.lines().is_empty());
    assert_eq!(inbox.answer(&thread, Decision::Accept).await.status, Status::Done);
    assert_eq!(inbox.server.lines(), ["POST /v2/accounts/acme/orders"]);
    let body = r#"{"customer_id":"c9","gift":false,"items":[{"product_id":"hub-7","quantity":2}]}"#;
    assert!(inbox.server.last_body().ends_with(body), "{}", inbox.server.last_body());
}

/// Documents that mean harm: each is refused or read within a moment, and none takes anything down.
#[test]
fn hostile_documents_are_refused_or_cut() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = CatalogueStore::new(folder.path().join("apis"), BTreeMap::new(), Env::default());
    let add = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        shelf.add(Path::new(&file), Some(&name.replace('.', "_"))).map_err(|error| error.to_string())
    };
    let document = |schema: &str, more: &str| {
        format!(
            r##"{{"openapi": "3.0.0", "info": {{"title": "T"}}, "servers": [{{"url": "https://t.example"}}],
            "paths": {{"/a": {{"get": {{"parameters": [{{"name": "x", "in": "query", "schema": {schema}}}]}}}}}},
            "components": {{"schemas": {{{more}}}}}}}"##
        )
    };
    // References in a circle, to themselves and through each other.
    let circle = r##""A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}"##;
    let (read, _) = add("circle.json", &document(r##"{"$ref": "#/components/schemas/A"}"##, circle)).unwrap();
    assert_eq!(read.operations.len(), 1);
    let own = r##""A": {"type": "object", "properties": {"l": {"$ref": "#/components/schemas/A"}, "r": {"$ref": "#/components/schemas/A"}}}"##;
    add("own.json", &document(r##"{"type": "array", "items": {"$ref": "#/components/schemas/A"}}"##, own))
        .unwrap();
    let path = r##"{"openapi": "3.1.0", "info": {"title": "T"}, "paths": {"/a": {"$ref": "#/paths/~1b"}, "/b": {"$ref": "#/paths/~1a"}}}"##;
    assert!(add("path.json", path).unwrap_err().contains("nothing in it can be asked"));
    // A doubling at every level: 2^30 parts, were they written out.
    let mut doubling = String::from(r#""S0": {"type": "string"}"#);
    for n in 1..=30 {
        let to = n - 1;
        doubling += &format!(
            r##", "S{n}": {{"type": "object", "properties": {{"a": {{"$ref": "#/components/schemas/S{to}"}}, "b": {{"$ref": "#/components/schemas/S{to}"}}}}}}"##
        );
    }
    let doubled =
        document(r##"{"type": "array", "items": {"$ref": "#/components/schemas/S30"}}"##, &doubling);
    let refused = add("doubling.json", &doubled).map(|(read, left)| (read.operations.len(), left));
    assert!(refused.is_err() || refused.is_ok_and(|(count, left)| count == 1 || !left.is_empty()));
    // Deeper than any parser's stack.
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    assert!(
        add("deep.json", &document(&deep(r#"{"not":"#, "}"), "")).unwrap_err().contains("it is not JSON")
    );
    let yaml = format!("openapi: 3.1.0\ninfo: {{title: T}}\npaths: {}", deep("[", "]"));
    assert!(add("deep.yaml", &yaml).unwrap_err().contains("neither JSON nor YAML"));
    let block: String = (0..5_000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert!(add("stairs.yaml", &block).is_err());
    // More than is ever read, and one alias a hundred thousand times.
    let long = format!("{{\"openapi\": \"3.0.0\", \"x\": \"{}\"}}", "y".repeat(17 << 20));
    assert!(add("long.json", &long).unwrap_err().contains("longer than 16 MiB"));
    let aliases = format!("a: &a {{b: c}}\nl: [{}]\n", "*a, ".repeat(200_000));
    assert!(add("aliases.yaml", &aliases).is_err());
    let own = "openapi: 3.1.0\npaths: &p {/a: *p}\n";
    assert!(add("own.yaml", own).is_err());
    // Words that would reach the terminal, a name that would leave the folder, a path that climbs.
    let odd = document("{\"type\": \"string\"}", "").replace("\"T\"", "\"\\u001b]0;x\\u0007 \\u202e T\"");
    let (read, _) = add("odd.json", &odd).unwrap();
    assert!(!read.title.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{:?}", read.title);
    let file = folder.path().join("climb.json");
    std::fs::write(&file, document("{\"type\": \"string\"}", "")).unwrap();
    for name in ["../climb", "a/b", "", "x\u{0}y", ".."] {
        assert!(shelf.add(&file, Some(name)).is_err(), "{name:?}");
    }
    assert!(
        !folder.path().join("climb").exists() && !folder.path().parent().unwrap().join("climb.json").exists()
    );
    assert!(shelf.all().is_ok(), "what was taken in can be read again");
}

/// An API whose document mentions no key.
fn open_document(host: &str, operations: usize) -> Value {
    let about =
        "Does something with the things of a shop that nobody would ask about in these words. ".repeat(4);
    let get = |id: &str, summary: &str, about: &str| {
        let responses = json!({"200": {"description": "ok"}});
        json!({"get": {"operationId": id, "summary": summary, "description": about, "responses": responses}})
    };
    let path = |n| (format!("/things/{n}"), get(&format!("thing{n}"), &format!("Thing {n}"), &about));
    let mut paths: Map<String, Value> = (0..operations).map(path).collect();
    paths.insert("/parcels".to_owned(), get("listParcels", "List parcels", "The parcels under way."));
    json!({
        "openapi": "3.0.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": host}], "paths": paths,
    })
}

/// An inbox with that API and a key for it.
async fn shop(operations: usize, more: &'static str) -> AskInbox {
    let model = FakeModel::by(move |_| Ok(Scripted::json(&json!({"api": "shop/listparcels"}))));
    let config = move |port: u16| {
        format!("[apis.shop]\nprivate = [\"127.0.0.1:{port}\"]\napi_key_env = \"DEPOT_KEY\"\n{more}")
    };
    let inbox = AskInbox::with(model, config).await;
    let file = inbox.folder().join("shop.json");
    std::fs::write(&file, open_document(&inbox.server.url(), operations).to_string()).unwrap();
    let store = CatalogueStore::new(inbox.data().join("apis"), BTreeMap::new(), Env::default());
    store.add(&file, Some("shop")).unwrap();
    inbox.server.tell("/parcels", [Reply::Json(200, json!([{"id": "p1", "name": "Hub"}]))]);
    inbox
}

#[tokio::test]
async fn a_key_is_sent_even_if_the_document_mentions_none() {
    for (more, header) in [
        ("", "\"authorization\": \"Bearer canary-depot\""),
        ("api_key_header = \"X-Shop-Key\"\n", "\"x-shop-key\": \"canary-depot\""),
    ] {
        let inbox = shop(0, more).await;
        inbox.answer_to("Which parcels are under way?").await;
        assert!(inbox.server.last_body().contains(header), "{header}: {}", inbox.server.last_body());
    }
}

#[tokio::test]
async fn of_a_large_catalogue_a_model_reads_only_what_is_near_the_question() {
    let inbox = shop(1_200, "").await;
    inbox.answer_to("Which parcels are under way?").await;
    for request in inbox.model.requests() {
        let output = request.output.as_ref().unwrap().schema.to_string();
        let bytes = request.system.len() + words(&request).len() + output.len();
        assert!(bytes <= 16_384, "{}: {bytes}", request.task);
    }
    let [select] = &inbox.model.requests()[..] else { panic!("one call answers it") };
    let offered = select.output.as_ref().unwrap().schema["properties"]["api"]["enum"].clone();
    let offered = offered.as_array().unwrap();
    assert!(offered.len() <= 21 && offered[0] == "shop/listparcels", "{offered:?}");
}
