//! System errors in words for people.

use std::io;

/// The error text of the system, without its number.
pub fn io_error_text(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// Why something cannot be read.
pub fn read_error_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "you are not allowed to read it".to_owned(),
        _ => io_error_text(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_told() {
        let full = io::Error::from_raw_os_error(28);
        assert_eq!(io_error_text(&full), "no space left on device");
        assert_eq!(read_error_text(&full), io_error_text(&full));
        assert_eq!(read_error_text(&io::ErrorKind::NotFound.into()), "it does not exist");
        assert_eq!(
            read_error_text(&io::ErrorKind::PermissionDenied.into()),
            "you are not allowed to read it"
        );
        assert_eq!(io_error_text(&io::Error::other("TLS is off")), "TLS is off");
    }
}
