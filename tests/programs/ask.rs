//! `sayso ask` and `sayso apis` through the real program.

use crate::model;
use crate::runner::{Cli, each, json, keys, list, run, spawn, text, texts, until};
use crate::support::model_server::{End, Play, Server};
use serde_json::{Value, json as value};

/// The program with the built-in API at a server that gives the same answer to everything.
async fn configured() -> Cli {
    let track = value!({"id": "T1", "title": "Tea", "play_count": 1234, "user": {"name": "Ann"}});
    let server = Server::play([Play::json(200, &value!({ "data": [track] }))]).await;
    let (cli, address) = (Cli::new(), &server.address);
    let host = address.trim_start_matches("http://");
    cli.configure(&format!(
        "{}[apis.audius]\nhosts = [\"{address}\"]\nprivate = [\"{host}\"]\n",
        model::config()
    ));
    cli
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered() {
    let cli = configured().await;
    let outcome = json(&cli, &["ask", "What are the trending tracks?", "--wait"]);
    assert_eq!(outcome["status"], "done", "{outcome}");
    let answer = "Trending Tracks (time week):\n\n1. \"Tea\" by Ann (1,234 plays)";
    assert_eq!(outcome["output"]["answer"], answer);
    let by_words = json(&cli, &["ask", "trending", "tracks"]);
    let by_keys = json(&cli, &["start", "ask", "query=trending tracks"]);
    let state = |outcome: &Value| json(&cli, &["show", &text(&outcome["thread"])])["state"].clone();
    assert_eq!(state(&by_words), state(&by_keys));
    let shown = run(&cli, &["view", &text(&outcome["thread"])]);
    assert!(shown.done().contains("# | title | by | plays"), "{shown:?}");

    let outcome = json(&cli, &["ask", "trending tracks", "--follow-up", "--wait"]);
    assert_eq!(outcome["status"], "waiting");
    let next = texts(&outcome["interrupts"]).remove(0);
    let outcome = json(&cli, &["respond", &next, "top genres", "--wait"]);
    assert_eq!(outcome["status"], "waiting", "{outcome}");
    let outcome = json(&cli, &["accept", &texts(&outcome["interrupts"])[0], "--wait"]);
    assert_eq!(outcome["status"], "done");
}

#[test]
fn a_question_that_cannot_be_asked_is_refused() {
    let cli = Cli::new();
    cli.configure(&model::config());
    run(&cli, &["ask"]).refused(2, "TEXT");
    run(&cli, &["ask", " "]).refused(2, "say what you want to know");
    run(&cli, &["ask", "x", "--model", "oracle"]).refused(2, "oracle");
}

/// What is read of such documents is in tests/workflows/ask/documents.rs.
const PETS: &str = r#"
openapi: 3.1.0
info: {title: Pet Store, version: "1"}
servers: [{url: https://api.pets.example/v2}]
components:
  securitySchemes:
    key: {type: apiKey, in: header, name: X-Pet-Key}
paths:
  /pets:
    get:
      operationId: listPets
      summary: List pets
      parameters: [{name: kind, in: query, schema: {type: string, enum: [cat, dog]}}]
      responses: {200: {description: Pets}}
    post:
      operationId: addPet
      summary: Add a pet
      requestBody:
        required: true
        content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}, kind: {type: string}}}}}
      responses: {"201": {description: Done}}
  /pets/picture:
    put:
      requestBody: {required: true, content: {image/png: {}}}
      responses: {204: {description: Done}}
"#;

#[test]
fn apis_are_listed_shown_added_and_removed() {
    let cli = Cli::new();
    let listed = json(&cli, &["apis", "list"]);
    keys(&listed[0], "name title source operations");
    assert_eq!((&listed[0]["name"], &listed[0]["source"]), (&"audius".into(), &"builtin".into()));
    assert!(listed[0]["operations"].as_u64().unwrap() >= 20);
    let shown = run(&cli, &["apis", "show", "audius"]);
    assert!(
        shown.done().contains("/v1/tracks/trending") && shown.out.contains("https://api.audius.co"),
        "{shown:?}"
    );
    let shown = run(&cli, &["apis", "show", "audius", "trending_tracks"]);
    let time = "time (string): the time range; one of week, month, year, allTime; week if not said";
    assert!(shown.done().contains(time), "{shown:?}");

    std::fs::write(cli.path("pets.yaml"), PETS).unwrap();
    let added = json(&cli, &["apis", "add", "pets.yaml"]);
    assert_eq!((&added["name"], &added["operations"]), (&"pet_store".into(), &2.into()), "{added}");
    assert_eq!(texts(&added["left_out"]), ["PUT /pets/picture: what goes along with it is not JSON"]);
    let view = json(&cli, &["apis", "show", "pet_store"]);
    assert_eq!(view["hosts"], value!(["https://api.pets.example/v2"]));
    assert!(text(&view["key"]).starts_with("in the header field X-Pet-Key; none is set"), "{view}");
    let add = json(&cli, &["apis", "show", "pet_store", "addpet"]);
    assert_eq!(each(&add["parameters"], "name"), ["name", "kind"]);
    assert_eq!(
        (&add["parameters"][0]["required"], &add["parameters"][1]["required"]),
        (&true.into(), &false.into())
    );
    let shown = json(&cli, &["apis", "show", "pet_store", "listpets"]);
    assert_eq!(shown["parameters"][0]["values"], value!(["cat", "dog"]));
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(cli.data().join("apis/pet_store.json")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    run(&cli, &["apis", "add", "pets.yaml"]).refused(2, "there is an API `pet_store` already");
    let other = json(&cli, &["apis", "add", "pets.yaml", "--name", "pets"]);
    assert_eq!(other["name"], "pets");
    assert_eq!(list(&cli, &["apis", "list"]).len(), 5);
    assert!(run(&cli, &["apis", "remove", "pets"]).done().contains("pets is removed"));
    json(&cli, &["apis", "remove", "pet_store"]);
    assert_eq!(list(&cli, &["apis", "list"]).len(), 3);
}

#[test]
fn what_is_no_api_is_refused() {
    let cli = Cli::new();
    for (name, document, expected) in [
        ("a.json", "{\"openapi\": ", "it is not JSON"),
        ("a.yaml", "a: [b", "neither JSON nor YAML"),
        ("a.yaml", "just words", "has no `openapi` version"),
        ("a.yaml", "swagger: '2.0'", "Swagger 2"),
        ("a.yaml", "openapi: 4.0.0", "only 3.0 and 3.1"),
        ("a.yaml", "openapi: 3.0.0\ninfo: {title: T}", "it has no `paths`"),
        ("a.yaml", "openapi: 3.0.0\ninfo: {title: T}\npaths: {}", "nothing in it can be asked"),
        ("a.yaml", "openapi: 3.0.0\npaths: {/a: {get: {}}}", "is no name for an API"),
        ("a.yaml", "openapi: 3.0.0\ninfo: {title: audius}\npaths: {/a: {get: {}}}", "is built in"),
    ] {
        std::fs::write(cli.path(name), document).unwrap();
        run(&cli, &["apis", "add", name]).refused(2, expected);
    }
    // A few lines that would grow into a gigabyte.
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (before, next) in "abcdefgh".chars().zip("bcdefghi".chars()) {
        bomb += &format!("{next}: &{next} [{}]\n", vec![format!("*{before}"); 9].join(", "));
    }
    std::fs::write(cli.path("bomb.yaml"), bomb).unwrap();
    run(&cli, &["apis", "add", "bomb.yaml"]).refused(2, "neither JSON nor YAML");
    run(&cli, &["apis", "add", "nowhere.json"]).refused(3, "nowhere.json");
    run(&cli, &["apis", "show", "audios"]).refused(3, "did you mean `audius`?");
    run(&cli, &["apis", "show", "audius", "trending_track"]).refused(3, "did you mean `trending_tracks`?");
    run(&cli, &["apis", "remove", "audius"]).refused(2, "is built in");
    run(&cli, &["apis", "remove", "pets"]).refused(3, "there is no API `pets`");
}

#[test]
fn a_section_for_an_api_that_is_not_there_is_named_with_the_nearest() {
    let cli = Cli::new();
    cli.configure("[apis.audios]\nhosts = [\"https://a.example\"]\n");
    for args in [&["list"][..], &["ask", "trending tracks"], &["threads"]] {
        run(&cli, args).refused(2, "[apis.audios], and there is no such API; did you mean [apis.audius]?");
    }
    cli.configure("[apis.pets]\napi_key_env = \"PET_KEY\"\n");
    run(&cli, &["list"]).refused(2, "add it with `sayso apis add FILE --name pets`");
    let doctor = run(&cli, &["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("FAIL  api"), "{doctor:?}");
    // What the sentence says to do can be done.
    std::fs::write(cli.path("pets.yaml"), PETS).unwrap();
    json(&cli, &["apis", "add", "pets.yaml", "--name", "pets"]);
    run(&cli, &["list"]).done();
    // The key that is named has to be there.
    let doctor = run(&cli, &["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("PET_KEY"), "{doctor:?}");
    let doctor = cli.real().arg("doctor").env("PET_KEY", "canary-pet").output().unwrap();
    let output = String::from_utf8(doctor.stdout).unwrap();
    assert!(output.contains("pets: 2 operations, 1 server, its key is there (env PET_KEY)"), "{output}");
    assert!(!output.contains("canary"), "{output}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_in_the_middle_of_a_request_does_not_make_it_again() {
    let cli = Cli::new();
    let server = Server::play([Play::stream(Vec::new()).end(End::Silent)]).await;
    let document = PETS.replace("https://api.pets.example", &server.address);
    std::fs::write(cli.path("pets.yaml"), document).unwrap();
    cli.configure(&format!(
        "{}[apis.pets]\nprivate = [\"{}\"]\napi_key_command = \"echo canary-pet\"\n",
        model::config(),
        server.address.trim_start_matches("http://")
    ));
    json(&cli, &["apis", "add", "pets.yaml", "--name", "pets"]);
    let outcome = json(&cli, &["ask", "Please add a pet with name=Tom and kind=cat", "--wait"]);
    let asked = texts(&outcome["interrupts"]).remove(0);
    let card = json(&cli, &["view", &asked]);
    assert_eq!((&card["action"], &card["args"]["method"]), (&"request".into(), &"POST".into()), "{card}");
    assert_eq!(card["args"]["parameters"], value!({"name": "Tom", "kind": "cat"}));
    assert_eq!(server.count(), 0);

    let driver = spawn(&cli, &["accept", &asked, "--wait"]);
    until(|| server.count() == 1);
    drop(driver);
    run(&cli, &["run"]).done();
    let thread = text(&outcome["thread"]);
    let listed = json(&cli, &["list", "--kind", "trouble"]);
    assert_eq!((&listed[0]["action"], text(&listed[0]["thread"])), (&"in_doubt".into(), thread), "{listed}");
    let [sent] = &server.seen()[..] else { panic!("{:?}", server.seen()) };
    assert_eq!((sent.path.as_str(), &sent.body), ("/v2/pets", &value!({"name": "Tom", "kind": "cat"})));
    assert_eq!(sent.headers["x-pet-key"], "canary-pet");
    // The key is in what was sent, and nowhere else.
    for name in ["sayso.db", "sayso.db-wal"] {
        let bytes = std::fs::read(cli.data().join(name)).unwrap_or_default();
        assert!(!bytes.windows(10).any(|part| part == b"canary-pet"), "{name}");
    }
}
