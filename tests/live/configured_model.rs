//! One call to a real server, if one is configured.

use sayso::agent::llm::{ModelSettings, OutputSchema, Provider, check, open, structured};
use secrecy::SecretString;

use crate::support::asking::{Triage, request};

#[tokio::test]
#[ignore = "needs an OpenAI-compatible server named by SAYSO_LIVE_BASE_URL and SAYSO_LIVE_MODEL"]
async fn a_real_server_answers_in_words_and_in_data() {
    let (Ok(base_url), Ok(name)) = (std::env::var("SAYSO_LIVE_BASE_URL"), std::env::var("SAYSO_LIVE_MODEL"))
    else {
        println!("nothing tested: set SAYSO_LIVE_BASE_URL and SAYSO_LIVE_MODEL (and SAYSO_LIVE_API_KEY)");
        return;
    };
    let mut settings = ModelSettings::new("live", Provider::Openai, &name);
    settings.base_url = Some(base_url);
    settings.key = std::env::var("SAYSO_LIVE_API_KEY").ok().map(SecretString::from);
    let model = open(&settings, &[]).unwrap();
    println!("{}", check(&*model).await.unwrap());
    let asked =
        request().user("Classify this mail as ignore or notify: 'SALE! Everything 30% off until Sunday.'");
    println!("{:?}", structured::<Triage>(&*model, &asked, OutputSchema::of::<Triage>()).await.unwrap());
}
