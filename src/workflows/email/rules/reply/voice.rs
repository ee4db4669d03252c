//! The fixed sentences of a reply, in English and German.

use crate::text::words::words;

/// The languages we can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lang {
    English,
    German,
}

/// Words that are common in one language and rare in the other.
const ENGLISH: &str = "the and is not you we with for to of please thanks can could have our your are that this will be at by it \
    would do does i me my if yes works fine tell say they he she meeting on next mention friday thursday tuesday \
    monday wednesday shorter decline";
const GERMAN: &str = "der das und ist nicht ich sie wir mit für auf ein eine einen zu den dem von bitte danke kannst können haben \
    hast könnten könntest uns dir ihnen noch wie auch im um bis dass wird sind du mir mich ihr zeit ja nein gern \
    gerne passt leider schon freitag donnerstag dienstag montag mittwoch kürzer sag schreib";

impl Lang {
    /// The language of a text; `None` if we cannot tell.
    pub fn of(text: &str) -> Option<Self> {
        let mut counts = (0, 0);
        for word in words(text).take(2_000) {
            counts.0 += usize::from(ENGLISH.split_whitespace().any(|common| common == word));
            counts.1 += usize::from(GERMAN.split_whitespace().any(|common| common == word));
        }
        match counts {
            (english, german) if german > english => Some(Self::German),
            (english, german) if english > german => Some(Self::English),
            _ => None,
        }
    }
}

/// How we address somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Voice {
    pub lang: Lang,
    /// Formal: full names, `Sie`.
    pub formal: bool,
}

impl Voice {
    /// The first line. `name` is empty if we don't know it.
    pub fn greeting(self, word: Option<&str>, name: &str) -> String {
        let default_word = match (self.lang, self.formal) {
            (Lang::English, true) => "Dear",
            (Lang::English, false) => "Hi",
            (Lang::German, true) => "Guten Tag",
            (Lang::German, false) => "Hallo",
        };
        match (word.unwrap_or(default_word), name) {
            ("Dear", "") => "Hello,".to_owned(),
            (word, "") => format!("{word},"),
            (word, name) => format!("{word} {name},"),
        }
    }

    /// The last lines.
    pub fn sign_off(self, name: &str) -> String {
        let first = name.split_whitespace().next().unwrap_or_default();
        match (self.lang, self.formal) {
            (Lang::English, false) => format!("Best,\n{first}"),
            (Lang::English, true) => format!("Kind regards\n{name}"),
            (Lang::German, false) => format!("Viele Grüße\n{first}"),
            (Lang::German, true) => format!("Mit freundlichen Grüßen\n{name}"),
        }
        .trim_end()
        .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(Lang::of("Could you send me the figures?"), Some(Lang::English));
        assert_eq!(Lang::of("Kannst du mir die Zahlen schicken?"), Some(Lang::German));
        assert_eq!(Lang::of("ok"), None);
    }
}
