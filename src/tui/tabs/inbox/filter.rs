//! Filters the items while the user types: by what their lines say, and by what the store finds in their mails and
//! threads. What it finds besides, put away, sent or done, is counted.

use crate::inbox::door::Inbox;
use crate::inbox::{Place, Query, ThreadQuery};
use crate::tui::layers::Prompt;
use crate::tui::model::{Model, PAGE};

/// Asks what to list. The line starts with the current filter; leaving it goes back to that.
pub fn ask(model: &mut Model) {
    let before = model.inbox.list.narrow.clone();
    let typed = before.typed.clone();
    let prompt = Prompt::new(("/", &Place::Inbox.hint(), "filter"), &typed, |model, prompt| {
        filter_by(model, Query::parse(prompt.text(), Place::Inbox, &model.local_time())?);
        Ok(())
    });
    // What is not understood yet changes nothing.
    let prompt = prompt.while_typing(|model, typed| {
        if let Ok(query) = Query::parse(typed, Place::Inbox, &model.local_time()) {
            filter_by(model, query);
        }
    });
    model.push(prompt.if_cancelled(move |model| filter_by(model, before.clone())));
}

fn filter_by(model: &mut Model, query: Query) {
    if model.inbox.list.narrow == query {
        return;
    }
    let typed = query.typed.clone();
    model.inbox.list.narrow_to(query, model.wall);
    // Threads know nothing of what only items have.
    let Ok(filter) = Query::parse(&typed, Place::Threads, &model.local_time()) else { return };
    if filter.words.is_empty() && filter.from.is_none() {
        return;
    }
    let query =
        ThreadQuery { filter, best_first: true, hides_engine: true, limit: PAGE, ..ThreadQuery::default() };
    let find = async move |inbox: Inbox| inbox.threads().list(query).await;
    model.read(find, move |model, page| {
        if model.inbox.list.narrow.typed == typed {
            let found = page.rows.into_iter().map(|line| (line.id, line.snippet.unwrap_or_default()));
            model.inbox.list.add_found(found.collect(), model.wall);
        }
    });
}
