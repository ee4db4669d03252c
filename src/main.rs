//! The program: what was typed becomes a verb, and the verb an exit code.

fn main() {}
