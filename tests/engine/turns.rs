//! Questions and answers.

use crate::support::House;
use sayso::inbox::Status;
use serde_json::json;

#[tokio::test]
async fn a_conversation_goes_on_until_it_is_over() {
    let house = House::new();
    let thread = house.start("chat", json!({"topic": "tea"})).await;
    for turn in 0..200 {
        house.settle().await;
        assert_eq!(house.outcome(&thread).await.status, Status::Waiting);
        house.respond(&thread, &format!("answer {turn}")).await;
    }
    house.settle().await;
    house.respond(&thread, "done").await;
    house.settle().await;
    let outcome = house.outcome(&thread).await;
    assert_eq!(outcome.status, Status::Done);
    assert_eq!(outcome.output, Some(json!({"turns": 201})));
    let view = house.inbox.threads().view(thread).await.unwrap();
    assert_eq!(view.steps.len(), 1 + 2 * 201 + 1);
    assert_eq!(view.decisions.len(), 201);
}

#[tokio::test]
async fn a_delivery_is_carried_out_once() {
    let house = House::new();
    let thread = house.start("courier", json!({"parcels": ["book"]})).await;
    house.settle().await;
    let id = house.asked(&thread).await;
    house.decide(&id, sayso::graph::Decision::Accept).await.unwrap();
    house.settle().await;
    assert_eq!(house.outcome(&thread).await.status, Status::Done);
    assert_eq!(house.street.deliveries().len(), 1);
    let view = house.inbox.threads().view(thread).await.unwrap();
    assert_eq!(view.effects[0].state, "done");
    assert_eq!(view.decisions[0].executed, Some(json!({"parcel": "book"})));
}
