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
    /// The language of a text; `None` if we cannot tell. Other languages share a short word or two with ours, so common
    /// words must make up a good part of it. Scripts without spaces have a word in each letter, about.
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = words(text).take(2_000).collect();
        let count = |common: &str| {
            words.iter().filter(|word| common.split_whitespace().any(|one| one == word.as_str())).count()
        };
        let (english, german) = (count(ENGLISH), count(GERMAN));
        let (lang, most) = if german > english { (Self::German, german) } else { (Self::English, english) };
        let foreign = text.chars().filter(|c| c.is_alphabetic() && *c > '\u{24F}').count();
        let is_clear = english != german && most > 1 && most * 7 >= words.len() + foreign;
        is_clear.then_some(lang)
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
    /// The first word.
    pub fn greeting_word(self) -> String {
        let word = match (self.lang, self.formal) {
            (Lang::English, true) => "Dear",
            (Lang::English, false) => "Hi",
            (Lang::German, true) => "Guten Tag",
            (Lang::German, false) => "Hallo",
        };
        word.to_owned()
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

/// The first line. `name` is empty if we don't know it.
pub(super) fn greeting(word: &str, name: &str) -> String {
    match (word, name) {
        ("Dear", "") => "Hello,".to_owned(),
        (word, "") => format!("{word},"),
        (word, name) => format!("{word} {name},"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(Lang::of("Could you send me the figures?"), Some(Lang::English));
        assert_eq!(Lang::of("Kannst du mir die Zahlen schicken?"), Some(Lang::German));
        for other in [
            "ok",
            "Nous avons bien reçu le tarif. On me demande encore quand vous pourriez livrer les deux étaux à Bremen.",
            "De vijf monsters van veer 4411 zijn maandag binnengekomen. Kun je me zeggen welke we houden?",
            "¿Me puede mandar el plano? No lo encuentro.",
            "西村です。Heron 600 はいつ届きますか？ the please",
            "Mi mandi i disegni, per favore",
        ] {
            assert_eq!(Lang::of(other), None, "{other}");
        }
    }
}
