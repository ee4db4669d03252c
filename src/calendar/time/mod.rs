//! Times in calendars: moments, their zones, and recurrence rules.

pub(super) mod expand;
pub(super) mod moment;
pub(super) mod rule;
mod windows;
pub(super) mod written;
pub(super) mod zone;
