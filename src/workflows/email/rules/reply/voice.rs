//! The fixed sentences of a reply, in English and German.

use jiff::Zoned;
use jiff::civil::Weekday;

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
    fn pick(self, english: &str, du: &str, sie: &str) -> String {
        match (self.lang, self.formal) {
            (Lang::English, _) => english,
            (Lang::German, false) => du,
            (Lang::German, true) => sie,
        }
        .to_owned()
    }

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

    pub fn thanks(self) -> String {
        self.pick("Thank you for your mail.", "danke für deine Mail.", "vielen Dank für Ihre E-Mail.")
    }

    pub fn busy(self, when: &str) -> String {
        match self.lang {
            Lang::English => format!("I am afraid I am not free on {when}."),
            Lang::German => format!("leider habe ich am {when} keine Zeit."),
        }
    }

    pub fn offer(self, is_single: bool) -> String {
        match (self.lang, self.formal, is_single) {
            (Lang::English, _, true) => "Would this time suit you?",
            (Lang::English, _, false) => "Would one of these times suit you?",
            (Lang::German, false, true) => "Passt dir dieser Termin?",
            (Lang::German, false, false) => "Passt dir einer dieser Termine?",
            (Lang::German, true, true) => "Passt Ihnen dieser Termin?",
            (Lang::German, true, false) => "Passt Ihnen einer dieser Termine?",
        }
        .to_owned()
    }

    /// The text of our own invitations.
    pub fn invite(self) -> String {
        self.pick(
            "I am happy to meet; here is the invitation.",
            "Ich treffe mich gern mit dir; hier ist die Einladung.",
            "Ich treffe mich gern mit Ihnen; hier ist die Einladung.",
        )
    }

    /// `Thursday, 19 November`
    pub fn day(self, date: jiff::civil::Date) -> String {
        let (days, months) = match self.lang {
            Lang::English => (
                "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
                "January February March April May June July August September October November December",
            ),
            Lang::German => (
                "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
                "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
            ),
        };
        let pick = |list: &'static str, index: i8| {
            list.split(' ').nth(usize::try_from(index).unwrap_or_default()).unwrap_or_default()
        };
        let weekday = pick(days, weekday(date.weekday()));
        let month = pick(months, date.month() - 1);
        match self.lang {
            Lang::English => format!("{weekday}, {} {month}", date.day()),
            Lang::German => format!("{weekday}, {}. {month}", date.day()),
        }
    }

    /// `Thursday, 19 November, at 15:00`
    pub fn time(self, at: &Zoned) -> String {
        let clock = at.strftime("%H:%M");
        match self.lang {
            Lang::English => format!("{}, at {clock}", self.day(at.date())),
            Lang::German => format!("{}, um {clock} Uhr", self.day(at.date())),
        }
    }
}

fn weekday(day: Weekday) -> i8 {
    day.to_monday_zero_offset()
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
