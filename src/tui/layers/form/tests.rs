//! Forms filled in, checked, kept and restored.

use super::*;

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["to", "count"],
        "additionalProperties": false,
        "properties": {
            "to": {"type": "array", "items": {"type": "string"}},
            "body": {"type": "string"},
            "count": {"type": "integer", "minimum": 1},
            "ratio": {"anyOf": [{"type": "number"}, {"type": "null"}]},
            "urgent": {"type": "boolean"},
            "when": {"type": "string", "format": "date-time"},
            "tone": {"$ref": "#/$defs/Tone"},
            "kind": {"const": "mail"},
            "extra": {"type": "object"}
        },
        "$defs": {"Tone": {"enum": ["warm", "dry"]}}
    })
}

/// A Tuesday.
fn now() -> Zoned {
    "2026-11-17T10:30:00+01:00[Europe/Paris]".parse().unwrap()
}

fn form(args: &Value) -> Form {
    Form::new(Purpose::Start, "x", &schema(), args, &now())
}

fn type_in(form: &mut Form, name: &str, text: &str) {
    let field = form.fields.iter_mut().find(|field| field.name == name).unwrap();
    field.editor.set(text);
}

#[test]
fn every_sort_of_argument_has_its_field() {
    let form = form(&json!({"body": "x", "kind": "mail"}));
    let kind = |name: &str| form.fields.iter().find(|field| field.name == name).unwrap().kind.clone();
    assert_eq!(kind("to"), FieldKind::List);
    assert_eq!(kind("body"), FieldKind::Long);
    assert_eq!(kind("count"), FieldKind::Number { is_integer: true });
    assert_eq!(kind("ratio"), FieldKind::Number { is_integer: false });
    assert_eq!(kind("urgent"), FieldKind::YesNo);
    assert_eq!(kind("when"), FieldKind::DateTime);
    assert_eq!(kind("tone"), FieldKind::Choice(vec!["warm".into(), "dry".into()]));
    assert_eq!(kind("kind"), FieldKind::Fixed);
    assert_eq!(kind("extra"), FieldKind::Json);
}

#[test]
fn what_is_untouched_comes_back_as_it_was() {
    let args = json!({
        "to": ["a@b", "c@d"], "body": "two\nlines", "count": 3, "ratio": 0.5, "urgent": true,
        "when": "2026-03-01T09:00:00Z", "tone": "dry", "kind": "mail", "extra": {"a": [1, null]}
    });
    assert_eq!(form(&args).value(), Some(args));
}

#[test]
fn what_is_wrong_stands_beside_its_field() {
    let mut form = form(&json!({"to": ["a"], "count": 3}));
    for (name, text, error) in [
        ("count", "many", "write a whole number"),
        ("count", "0", "less than the minimum"),
        ("count", "", "is required"),
        ("when", "soon", "is not a time; write thu 15:00"),
        ("extra", "{", "this is not JSON"),
        ("urgent", "perhaps", "write yes or no"),
    ] {
        let mut form = form.clone();
        type_in(&mut form, name, text);
        assert_eq!(form.value(), None, "{name} {text}");
        let field = &form.fields[form.focus];
        assert_eq!(field.name, name);
        let message = field.error.clone().unwrap();
        assert!(message.contains(error), "{name} {text}: {message}");
    }
    assert_eq!(form.value(), Some(json!({"to": ["a"], "count": 3})));
}

#[test]
fn what_is_wrong_elsewhere_is_not_said_of_a_field() {
    let guest = json!({"type": "object", "required": ["to"]});
    let schema = json!({"properties": {"to": {"type": "string"}, "guest": guest}});
    let form = |schema: &Value, args: Value| {
        let mut form = Form::new(Purpose::Edit, "x", schema, &args, &now());
        let value = form.value();
        let errors: Vec<_> = form.fields.iter().filter_map(|field| field.error.clone()).collect();
        (value, errors, form.error)
    };
    let missing = "\"to\" is a required property".to_owned();
    let args = json!({"to": "a", "guest": {}});
    assert_eq!(form(&schema, args), (None, vec![missing], None));
    let schema = json!({"properties": {"to": {}, "cc": {}}, "not": {"required": ["to", "cc"]}});
    let (value, errors, error) = form(&schema, json!({"to": "a", "cc": "b"}));
    assert_eq!((value, errors), (None, vec![]));
    assert!(matches!(error, Some(FormError::Unfit(_))), "{error:?}");
}

#[test]
fn times_are_taken_as_people_write_them() {
    let args = json!({"to": ["a"], "count": 3, "when": "2026-11-19T14:00:00Z"});
    let mut form = form(&args);
    let text = |form: &Form| {
        let field = form.fields.iter().find(|field| field.name == "when").unwrap();
        (field.editor.text().to_owned(), field.hint(&form.now))
    };
    assert_eq!(text(&form), ("2026-11-19 15:00".into(), "Thursday 19 November 2026, 15:00".into()));
    assert_eq!(form.value(), Some(args), "the same time stays as it was written");
    for (typed, value, hint) in [
        ("fri 9:30", "2026-11-20T09:30:00+01:00", "Friday 20 November 2026, 09:30"),
        ("2027-07-01 15:00", "2027-07-01T15:00:00+02:00", "Thursday 1 July 2027, 15:00"),
        ("2026-11-19T10:00:00-05:00", "2026-11-19T10:00:00-05:00", "Thursday 19 November 2026, 16:00"),
    ] {
        type_in(&mut form, "when", typed);
        assert_eq!(form.value().unwrap()["when"], value, "{typed}");
        assert_eq!(text(&form).1, hint, "{typed}");
    }
    type_in(&mut form, "when", "fri 9:30");
    let mut later = Form::new(form.purpose, "x", &schema(), &json!({}), &Zoned::default());
    later.restore(&form.draft());
    assert_eq!(text(&later).0, "2026-11-20 08:30", "a kept time does not move with the clock");
}

#[test]
fn an_untouched_time_is_not_rewritten() {
    for when in ["2026-11-19T15:00", "2026-11-19 15:00", "2026-11-19T14:00:30Z", "thu 15:00"] {
        let args = json!({"to": ["a"], "count": 3, "when": when});
        let field = form(&args).fields.into_iter().find(|field| field.name == "when").unwrap();
        assert_eq!(field.value(&now()), Ok(Some(when.into())));
    }
}

#[test]
fn what_cannot_be_changed_stands_last() {
    let form = form(&json!({"kind": "mail"}));
    let names: Vec<&str> = form.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!((names.first(), names.last()), (Some(&"to"), Some(&"kind")), "{names:?}");
}

#[test]
fn attachments_are_paths() {
    let files = json!({"properties": {"attachments": {"type": "array", "items": {"type": "string"}}}});
    let form = Form::new(Purpose::Start, "x", &files, &json!({}), &now());
    assert!(form.fields[0].path);
}

#[test]
fn drafts_come_back() {
    let mut one = form(&json!({"count": 3}));
    type_in(&mut one, "count", "nonsense");
    let mut two = form(&json!({"count": 3}));
    two.restore(&one.draft());
    assert_eq!(two.draft(), one.draft());
    two.restore("not a draft");
    assert_eq!(two.draft(), one.draft());
    one.unread = Some("Hello".to_owned());
    two.restore(&one.draft());
    assert_eq!((two.draft(), two.error), (one.draft(), Some(FormError::Unread)));
}
