//! Tests of the Maildir.
