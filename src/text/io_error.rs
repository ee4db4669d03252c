//! System errors in words for people.

use std::io;

/// The error text of the system, without its number.
pub fn io_error_text(error: &io::Error) -> String {
    if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) {
        return "the disk is full".to_owned();
    }
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

/// Why something cannot be written.
pub fn write_error_text(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "you are not allowed to write it; check who owns its folder".to_owned()
        }
        _ => io_error_text(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_told() {
        let [full, loops] = [28, 40].map(io::Error::from_raw_os_error);
        assert_eq!(io_error_text(&full), "the disk is full");
        assert_eq!(io_error_text(&loops), "too many levels of symbolic links");
        assert_eq!(read_error_text(&loops), io_error_text(&loops));
        assert_eq!(read_error_text(&io::ErrorKind::NotFound.into()), "it does not exist");
        assert_eq!(
            read_error_text(&io::ErrorKind::PermissionDenied.into()),
            "you are not allowed to read it"
        );
        assert_eq!(io_error_text(&io::Error::other("TLS is off")), "TLS is off");
    }
}
