//! Measures how well a model triages: runs a labelled set against any model and shows its mistakes.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::facts::{Triage, TriageFacts};
use super::mails;
use crate::agent::llm::{Model, OutputSchema, Request, Usage, structured};
use crate::agent::mail_facts::{Class, User};
use crate::mail;

/// The set that ships with the program: various mails, written for this purpose.
const TRIAGE_SET: &str = include_str!("../../../assets/eval/triage.json");

/// A mail with the class a sensible person would give it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub id: String,
    pub expect: Class,
    /// The mail and its reader.
    pub facts: TriageFacts,
}

impl Case {
    /// A mail of this user, judged with this profile. The error names the case.
    pub fn new(id: String, expect: Class, raw: &[u8], user: &User, profile: &str) -> Result<Self, String> {
        let mail = mail::parse(raw).map_err(|error| format!("{id} cannot be read: {error}"))?;
        let facts =
            TriageFacts { user: user.clone(), mail: mails::facts(&mail), profile: profile.to_owned() };
        Ok(Self { id, expect, facts })
    }
}

/// The set that ships with the program. A test checks that it can be read.
pub fn triage_set() -> Result<Vec<Case>, serde_json::Error> {
    serde_json::from_str(TRIAGE_SET)
}

/// A person's own set: a JSON file like the one that ships with the program, or a folder with the mails of each class,
/// either in a subfolder (`respond/*.eml`) or in one file (`respond.mbox`). The error says what is wrong and where.
pub fn own_set(path: &Path, user: &User) -> Result<Vec<Case>, String> {
    let unreadable =
        |path: &Path, error: &dyn fmt::Display| format!("{} cannot be read: {error}", path.display());
    if path.is_file() {
        let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
        return serde_json::from_str(&text).map_err(|error| unreadable(path, &error));
    }
    let mut cases = Vec::new();
    for class in Class::ALL {
        let mut mails: Vec<(String, Vec<u8>)> = Vec::new();
        let folder = path.join(class.as_str());
        if folder.is_dir() {
            let entries = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
            for entry in entries {
                let file = entry.map_err(|error| unreadable(&folder, &error))?.path();
                if file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("eml")) {
                    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                    mails.push((name, std::fs::read(&file).map_err(|error| unreadable(&file, &error))?));
                }
            }
        }
        let file = path.join(format!("{}.mbox", class.as_str()));
        if file.is_file() {
            mails.extend(split_mbox(&std::fs::read(&file).map_err(|error| unreadable(&file, &error))?));
        }
        mails.sort();
        for (name, raw) in mails {
            let id = format!("{}/{name}", class.as_str());
            let case = Case::new(id, class, &raw, user, "");
            cases.push(case.map_err(|error| format!("in {}: {error}", path.display()))?);
        }
    }
    if cases.is_empty() {
        return Err(format!(
            "{} holds no mails: put .eml files into its folders respond, notify and ignore, or name a JSON file",
            path.display()
        ));
    }
    Ok(cases)
}

/// The mails of an mbox file, each with the text of its `From ` line.
pub fn split_mbox(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut mails: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(name) = line.strip_prefix(b"From ") {
            mails.push((String::from_utf8_lossy(name).trim().to_owned(), Vec::new()));
            continue;
        }
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        let escaped = marks > 0 && line[marks..].starts_with(b"From ");
        if let Some((_, mail)) = mails.last_mut() {
            mail.extend_from_slice(if escaped { &line[1..] } else { line });
        }
    }
    mails
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts by the right class (rows) and the model's (columns), both in the order of [`Class::ALL`].
    pub confusion: [[usize; 3]; 3],
    /// The model's mistakes.
    pub misses: Vec<Miss>,
    /// Cases without an answer, each with its error message.
    pub failures: Vec<(String, String)>,
    pub usage: Usage,
}

/// One wrong answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Miss {
    pub id: String,
    pub subject: String,
    /// The right class.
    pub expect: Class,
    /// The model's class.
    pub got: Class,
    pub reasoning: String,
}

impl Report {
    pub fn correct_count(&self) -> usize {
        (0..3).map(|n| self.confusion[n][n]).sum()
    }

    pub fn total(&self) -> usize {
        self.confusion.iter().flatten().sum::<usize>() + self.failures.len()
    }
}

/// Runs `cases` one after the other. `request` writes the prompt for a language model (usually the workflow's), and
/// `on_progress` is called with the number done and the total.
pub async fn triage(
    model: &dyn Model,
    cases: &[Case],
    request: &(dyn Fn(&TriageFacts) -> Request + Send + Sync),
    on_progress: &(dyn Fn(usize, usize) + Send + Sync),
) -> Report {
    let mut report = Report::default();
    for (done, case) in (1..).zip(cases) {
        match structured::<Triage>(model, &request(&case.facts), OutputSchema::of::<Triage>()).await {
            Ok(answer) => {
                report.usage += answer.usage;
                let got = answer.value.classification;
                report.confusion[class_index(case.expect)][class_index(got)] += 1;
                if got != case.expect {
                    report.misses.push(Miss {
                        id: case.id.clone(),
                        subject: case.facts.mail.subject.clone(),
                        expect: case.expect,
                        got,
                        reasoning: answer.value.reasoning,
                    });
                }
            }
            Err(error) => report.failures.push((case.id.clone(), error.to_string())),
        }
        on_progress(done, cases.len());
    }
    report
}

fn class_index(class: Class) -> usize {
    match class {
        Class::Ignore => 0,
        Class::Notify => 1,
        Class::Respond => 2,
    }
}

/// The table and the mistakes, as `sayso eval triage` prints them.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} right", self.correct_count(), self.total())?;
        writeln!(f)?;
        write!(f, "{:>10}", "is \\ said")?;
        for class in Class::ALL {
            write!(f, "{:>9}", class.as_str())?;
        }
        writeln!(f)?;
        for (row, class) in self.confusion.iter().zip(Class::ALL) {
            write!(f, "{:>10}", class.as_str())?;
            for count in row {
                write!(f, "{count:>9}")?;
            }
            writeln!(f)?;
        }
        for miss in &self.misses {
            writeln!(f)?;
            writeln!(
                f,
                "{}: {} ({} instead of {})",
                miss.id,
                miss.subject,
                miss.got.as_str(),
                miss.expect.as_str()
            )?;
            writeln!(f, "    {}", miss.reasoning)?;
        }
        for (id, error) in &self.failures {
            writeln!(f)?;
            writeln!(f, "{id}: {error}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;
    use crate::agent::llm::{Builtin, ModelError, Scripted};
    use crate::workflows::email::defaults;
    use crate::workflows::email::rules::is_about_own_money;

    /// Whose mail the labelled hundred is.
    fn jonas() -> User {
        User {
            name: "Jonas Keller".into(),
            addresses: vec![
                "jonas.keller@brightwater-tools.example".into(),
                "jonas@keller-bremen.example".into(),
            ],
            ..User::default()
        }
    }

    /// How many of the labelled hundred the rules hide although they are worth a look.
    const HIDDEN: usize = 2;

    fn plain(facts: &TriageFacts) -> Request {
        Request::new("email.triage", serde_json::to_value(facts).unwrap())
    }

    #[tokio::test]
    async fn the_builtin_model_on_the_mails_that_come_with_the_program() {
        let cases = triage_set().unwrap();
        assert_eq!(cases.len(), 40);
        assert_eq!(cases.iter().map(|case| &case.id).collect::<HashSet<_>>().len(), 40);
        let report =
            triage(&Builtin::new("builtin", crate::workflows::RULES), &cases, &plain, &|_, _| {}).await;
        println!("{report}");
        assert!(report.correct_count() >= 34, "{report}");
        assert!(report.failures.is_empty());
    }

    #[tokio::test]
    async fn the_builtin_model_on_a_set_written_by_others() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/triage");
        let cases = own_set(&folder, &jonas()).unwrap();
        assert_eq!(cases.len(), 100);
        let model = Builtin::new("builtin", crate::workflows::RULES);
        let report = triage(&model, &cases, &plain, &|_, _| {}).await;
        println!("{report}");
        assert!(report.correct_count() >= 89, "{report}");
    }

    /// Both sets are sent to many, in ten languages; the profile ignores newsletters and advertising.
    #[tokio::test]
    async fn mail_about_the_readers_own_money_is_shown_and_newsletters_with_prices_are_not() {
        let user = User { name: "Jonas Keller".into(), ..User::default() };
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/money");
        let model = Builtin::new("builtin", crate::workflows::RULES);
        for (set, expect) in [("own", Class::Notify), ("prices", Class::Ignore)] {
            let mails = split_mbox(&std::fs::read(folder.join(format!("{set}.mbox"))).unwrap());
            let profile = defaults::preset(defaults::TRIAGE);
            let cases =
                mails.into_iter().map(|(name, raw)| Case::new(name, expect, &raw, &user, profile).unwrap());
            let report = triage(&model, &cases.collect::<Vec<_>>(), &plain, &|_, _| {}).await;
            assert_eq!((report.correct_count(), report.total()), (14, 14), "{report}");
        }
    }

    /// A day of 199 mails: the labelled hundred, both sets about money, and ordinary mail.
    #[tokio::test]
    async fn on_a_day_of_mail_the_rule_about_own_money_adds_few_cards_and_hides_nothing() {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        let from_file = |file: &str, expect| {
            let mails = split_mbox(&std::fs::read(fixtures.join(file)).unwrap()).into_iter();
            let case = |(name, raw): (String, Vec<u8>)| Case::new(name, expect, &raw, &jonas(), "").unwrap();
            mails.map(case).collect::<Vec<_>>()
        };
        let mut day = own_set(&fixtures.join("triage"), &jonas()).unwrap();
        day.extend(from_file("money/own.mbox", Class::Notify));
        day.extend(from_file("money/prices.mbox", Class::Ignore));
        let (labelled, ordinary) = (day.len(), from_file("warnings/ordinary.mbox", Class::Ignore));
        day.extend(ordinary.into_iter().take(71));
        assert_eq!(day.len(), 199);
        let model = Builtin::new("builtin", crate::workflows::RULES);
        let (mut cards, mut added, mut hidden) = (0, Vec::new(), Vec::new());
        for (n, case) in day.iter().enumerate() {
            let (request, output) = (plain(&case.facts), OutputSchema::of::<Triage>());
            let answer = structured::<Triage>(&model, &request, output).await.unwrap().value;
            let is_shown = answer.classification != Class::Ignore;
            cards += usize::from(is_shown);
            if answer.reasoning.contains("own money") && case.expect == Class::Ignore {
                added.push(case.facts.mail.subject.as_str());
            }
            if n < labelled && !is_shown && case.expect != Class::Ignore {
                hidden.push(case.facts.mail.subject.as_str());
            }
        }
        // A model that ignores everything hides no mail about money either.
        let kept = day.iter().filter(|case| is_about_own_money(&case.facts.user, &case.facts.mail)).count();
        println!("{cards} cards, {added:?} added, {hidden:?} hidden, {kept} kept from a model");
        assert!(added.len() * 100 < cards * 5, "{added:?} of {cards}");
        assert!(hidden.len() <= HIDDEN, "{hidden:?}");
    }

    #[test]
    fn a_set_of_ones_own_is_read_from_folders_and_refused_with_a_sentence() {
        let folder = tempfile::tempdir().unwrap();
        let empty = own_set(folder.path(), &User::default()).unwrap_err();
        assert!(empty.contains("holds no mails"), "{empty}");
        std::fs::create_dir(folder.path().join("notify")).unwrap();
        let mail = "From: bob@x.example\r\nSubject: Plants\r\n\r\nWatered.";
        std::fs::write(folder.path().join("notify/one.eml"), mail).unwrap();
        std::fs::write(folder.path().join("ignore.mbox"), format!("From x\n{mail}\n>From here\n\n")).unwrap();
        let cases = own_set(folder.path(), &User::default()).unwrap();
        let ids: Vec<&str> = cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["ignore/x", "notify/one"]);
        assert!(cases[0].facts.mail.text.contains("\nFrom here"), "{}", cases[0].facts.mail.text);
        let json = folder.path().join("set.json");
        std::fs::write(&json, serde_json::to_string(&cases).unwrap()).unwrap();
        assert_eq!(own_set(&json, &User::default()).unwrap(), cases);
        std::fs::write(&json, "{").unwrap();
        assert!(own_set(&json, &User::default()).unwrap_err().contains("set.json cannot be read"));
    }

    #[tokio::test]
    async fn misses_and_failures_are_reported() {
        let cases: Vec<Case> = triage_set().unwrap().into_iter().take(3).collect();
        let answer = |class: &str| json!({"reasoning": "r", "gist": "g", "classification": class});
        let wrong = if cases[1].expect == Class::Ignore { "respond" } else { "ignore" };
        let model = Scripted::new([
            Ok(Scripted::json(&answer(cases[0].expect.as_str()))),
            Ok(Scripted::json(&answer(wrong))),
            Err(ModelError::Cut { model: "m".into(), why: "silence".into() }),
        ]);
        let report = triage(&model, &cases, &plain, &|_, _| {}).await;
        assert_eq!((report.correct_count(), report.total(), report.misses.len()), (1, 3, 1));
        let text = report.to_string();
        assert!(text.starts_with("1 of 3 right") && text.contains("silence"), "{text}");
    }
}
