//! Times as calendars write them: moments, the zones they are in, and the rules by which they repeat.

pub(super) mod expand;
pub(super) mod moment;
pub(super) mod rule;
mod windows;
pub(super) mod zone;
