//! System errors in words for people.

use std::io;

/// The error text of the system, without its number.
pub fn io_words(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// Why something cannot be read.
pub fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "you are not allowed to read it".to_owned(),
        _ => io_words(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_told() {
        let full = io::Error::from_raw_os_error(28);
        assert_eq!(io_words(&full), "no space left on device");
        assert_eq!(unreadable(&full), io_words(&full));
        assert_eq!(unreadable(&io::ErrorKind::NotFound.into()), "it does not exist");
        assert_eq!(unreadable(&io::ErrorKind::PermissionDenied.into()), "you are not allowed to read it");
        assert_eq!(io_words(&io::Error::other("TLS is off")), "TLS is off");
    }
}
