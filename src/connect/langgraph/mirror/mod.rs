//! Mirrors a server's thread as a thread of this folder: asks its questions here and sends the answers there.
//!
//! So the engine's holds, undo, approval hashes, effect journal, search and audit work unchanged. A mirror asks
//! everything its thread asks at the same time, sends the answers as one resume after the last decision, follows the
//! run, and asks again or rests.

mod card;
mod effects;
mod items;
mod nodes;
mod state;

use super::api::Remote;
use crate::engine::graph::{BuildError, Graph, Workflow, ask, end, goto};
use crate::inbox::Spec;
use std::sync::Arc;

pub use state::{LOOK, Mirror, MirrorInput};

/// The nodes' access to a server.
pub struct ServerHandle(pub(super) Arc<Remote>);

/// The workflow of a server's threads; it handles every graph there, as `NAME/GRAPH`.
pub fn spec(remote: &Arc<Remote>) -> Result<Spec, BuildError> {
    let workflow = Workflow::new(remote.name(), graph()?, Arc::new(ServerHandle(remote.clone())));
    let spec = Spec::new(workflow, "a thread of a LangGraph server", card::draw).hidden().without_results();
    Ok(spec.on_server().without_expiry())
}

fn graph() -> Result<Graph<Mirror, ServerHandle>, BuildError> {
    Graph::builder("remote", "look")
        .node("look", nodes::look, [ask("answered"), end()])
        .node("answered", nodes::answered, [goto("look")])
        .build()
}
