//! Models against a local server that speaks each wire format. How they bear a server that misbehaves, and that secrets
//! stay where they are, is in the catalogue (rows S11 and S09).

mod optional;
mod quirks;
mod replies;
mod speak;
