//! How well a model triages: a labelled set, run against any model, and where it went wrong.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::facts::{Triage, TriageFacts};
use crate::llm::{Model, Request, Usage, structured};
use crate::workflows::mail_facts::Class;

/// The set that comes with the program: mixed mails, written for this.
const TRIAGE_SET: &str = include_str!("../../../assets/eval/triage.json");

/// A mail with the class a sensible person would give it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    /// A short name.
    pub id: String,
    /// The right class.
    pub expect: Class,
    /// The mail and its reader.
    pub facts: TriageFacts,
}

/// The set that comes with the program. It can be read; a test says so.
pub fn triage_set() -> Result<Vec<Case>, serde_json::Error> {
    serde_json::from_str(TRIAGE_SET)
}

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Counts by the right class (rows) and the model's (columns), both in the order of [`Class::ALL`].
    pub confusion: [[usize; 3]; 3],
    /// Where the model said otherwise.
    pub misses: Vec<Miss>,
    /// Cases without an answer, with the error's sentence.
    pub failures: Vec<(String, String)>,
    /// Tokens used.
    pub usage: Usage,
}

/// One wrong answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Miss {
    /// The case.
    pub id: String,
    pub subject: String,
    /// What is right.
    pub expect: Class,
    /// What the model said.
    pub got: Class,
    /// And why.
    pub reasoning: String,
}

impl Report {
    /// How many answers were right.
    pub fn right(&self) -> usize {
        (0..3).map(|n| self.confusion[n][n]).sum()
    }

    /// How many cases there were.
    pub fn total(&self) -> usize {
        self.confusion.iter().flatten().sum::<usize>() + self.failures.len()
    }
}

/// Runs `cases` one after the other; `request` writes the prompt a language model needs (the workflow's own), and
/// `told` hears how many of how many are done.
pub async fn triage(
    model: &dyn Model,
    cases: &[Case],
    request: &(dyn Fn(&TriageFacts) -> Request + Send + Sync),
    told: &(dyn Fn(usize, usize) + Send + Sync),
) -> Report {
    let mut report = Report::default();
    for (done, case) in (1..).zip(cases) {
        match structured::<Triage>(model, &request(&case.facts)).await {
            Ok(answer) => {
                report.usage += answer.usage;
                let got = answer.value.classification;
                report.confusion[place(case.expect)][place(got)] += 1;
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
        told(done, cases.len());
    }
    report
}

fn place(class: Class) -> usize {
    match class {
        Class::Ignore => 0,
        Class::Notify => 1,
        Class::Respond => 2,
    }
}

/// The table and the misses, as `sayso eval triage` prints them.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} of {} right", self.right(), self.total())?;
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
    use crate::llm::{Builtin, ModelError, Scripted};

    fn plain(facts: &TriageFacts) -> Request {
        Request::new("email.triage", serde_json::to_value(facts).unwrap())
    }

    #[tokio::test]
    async fn the_builtin_model_gets_nine_of_ten_right() {
        let cases = triage_set().unwrap();
        assert_eq!(cases.len(), 40);
        assert_eq!(cases.iter().map(|case| &case.id).collect::<HashSet<_>>().len(), 40);
        let report =
            triage(&Builtin::new("builtin", crate::workflows::RULES), &cases, &plain, &|_, _| {}).await;
        println!("{report}");
        assert!(report.right() >= 36, "{report}");
        assert!(report.failures.is_empty());
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
        assert_eq!((report.right(), report.total(), report.misses.len()), (1, 3, 1));
        let text = report.to_string();
        assert!(text.starts_with("1 of 3 right") && text.contains("silence"), "{text}");
    }
}
