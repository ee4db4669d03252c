//! Finds words addressed to an AI assistant instead of a person.
//!
//! One phrase that nobody writes to a person is enough; phrases that people do write ("ignore the instructions above")
//! count only together with another, or as a whole sentence. Quoted words are reported as quoted: people write about
//! such texts. Linear time; prefers few false alarms to catching everything.

use super::placeholders::without_placeholders;
use super::{commands, disguise};
use crate::text::phrases::normalize_text;

/// Verbs that tell somebody to drop their instructions.
const DROP: &[&str] = &[
    "ignore",
    "disregard",
    "forget",
    "override",
    "bypass",
    "discard",
    "ignoriere",
    "vergiss",
    "ignora",
    "ignorez",
    "oublie",
    "oubliez",
    "olvida",
    "ignorar",
    "esqueça",
    "игнорируй",
    "игнорируйте",
    "забудь",
    "negeer",
    "zignoruj",
    "ignorer",
    "oublier",
    "ignorieren",
    "dimentica",
    "olvidar",
];
/// Words for something said before.
const BEFORE: &[&str] = &[
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "foregoing",
    "existing",
    "original",
    "initial",
    "vorherigen",
    "bisherigen",
    "vorigen",
    "précédentes",
    "antérieures",
    "anteriores",
    "previas",
    "precedenti",
    "предыдущие",
    "прошлые",
    "vorige",
    "eerdere",
    "poprzednie",
];
/// Words that show that the instructions are not the writer's own.
const YOURS: &[&str] = &[
    "all",
    "any",
    "your",
    "every",
    "alle",
    "allen",
    "deine",
    "toutes",
    "tes",
    "vos",
    "todas",
    "tus",
    "sus",
    "tutte",
    "tue",
    "suas",
    "все",
    "wszystkie",
];
const INSTRUCTIONS: &[&str] = &[
    "instructions",
    "instruction",
    "prompt",
    "prompts",
    "rules",
    "directives",
    "guidelines",
    "guardrails",
    "programming",
    "anweisungen",
    "instruktionen",
    "regeln",
    "consignes",
    "instrucciones",
    "istruzioni",
    "instruções",
    "инструкции",
    "указания",
    "instructies",
    "instrukcje",
];
/// Machines that may be addressed. Names that people have are left out.
const MACHINES: &[&str] = &["ai", "llm", "chatbot", "chatgpt", "copilot", "gpt", "ki", "bot"];
/// Words that turn "AI" into a reader of mail.
const ROLES: &[&str] = &["assistant", "agent", "model", "system", "bot", "assistent", "reader", "summarizer"];
/// Words before a machine that address it.
const CALLS: &[&str] = &["dear", "hey", "hello", "hi", "attention", "attn"];

/// Markers of the formats used to prompt models.
const FORMATS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|system|>",
    "<|assistant|>",
    "<|endoftext|>",
    "<<sys>>",
    "[inst]",
    "[/inst]",
    "<system>",
    "</system>",
    "<system_prompt>",
    "### instruction:",
    "### system:",
    "[system message]",
    "[system prompt]",
];

/// Phrases in scripts without blanks between words.
const UNSPACED: &[&str] = &[
    "忽略之前的所有指令",
    "忽略之前的指令",
    "忽略以上所有指令",
    "忽略以上指令",
    "忽略先前的指令",
    "忽略所有先前的指示",
    "以前の指示を無視",
    "これまでの指示を無視",
    "上記の指示を無視",
    "이전 지시를 무시",
    "이전의 모든 지시를 무시",
];

/// How a phrase counts.
enum Weight {
    Enough,
    /// Counts only together with another kind: people repeat and quote themselves.
    Half(Instruction),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Instruction {
    /// Drop your instructions.
    Drop,
    /// Be somebody else.
    Role,
    /// Keep it from the user.
    Secret,
    /// Give data away.
    Leak,
}

/// How much of a text is checked, in bytes.
const MOST: usize = 128 << 10;

/// Words addressed to an assistant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssistantWords {
    pub words: String,
    /// Whether they are in quotes or in code, as when somebody writes about them.
    pub quoted: bool,
}

/// The words in a text that address an assistant; unquoted ones before quoted ones.
pub(super) fn find_assistant_words(text: &str) -> Option<AssistantWords> {
    let text = without_placeholders(&text[..text.floor_char_boundary(MOST)]);
    let plain = paragraphs(&text).filter_map(in_paragraph);
    let spoken = plain.reduce(|first, next| if first.quoted && !next.quoted { next } else { first });
    let disguised = || {
        let hidden_texts = disguise::hidden_texts(&text).into_iter();
        let mut inner = hidden_texts
            .filter(|inner| commands::is_command(&normalize_text(inner)) || phrase(inner).is_some());
        // If decoding changes nothing, there is no disguise.
        let plain = paragraphs(&text).filter_map(phrase).collect::<Vec<_>>();
        let turned = || {
            let mut turned =
                disguise::letter_substitutions(&text).into_iter().filter_map(|turned| phrase(&turned));
            turned.find(|words| !plain.contains(words))
        };
        let words = inner.next().map(|inner| inner.split_whitespace().take(10).collect::<Vec<_>>().join(" "));
        words.or_else(turned).map(|words| AssistantWords { words, quoted: false })
    };
    match spoken {
        Some(spoken) if !spoken.quoted => Some(spoken),
        other => disguised().or(other),
    }
}

/// Text between blank lines.
fn paragraphs(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").filter(|paragraph| paragraph.trim().len() > 9)
}

fn in_paragraph(paragraph: &str) -> Option<AssistantWords> {
    let words = phrase(paragraph).or_else(|| commands::find_command(paragraph))?;
    let quoted = is_quoted(paragraph, &words);
    Some(AssistantWords { words, quoted })
}

/// Whether words are in quotes, in code, or in a quoted mail.
fn is_quoted(paragraph: &str, words: &str) -> bool {
    let lower = paragraph.to_lowercase();
    let first = words.split(' ').next().unwrap_or_default().to_lowercase();
    let mut at = 0;
    while let Some(offset) = lower[at..].find(&first).filter(|_| !first.is_empty()) {
        let start = at + offset;
        let (before, after) = (&lower[..start], &lower[start..]);
        if !starts_with_words(after, words) {
            at = start + first.len();
            continue;
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        let is_code = line.starts_with("    ") || line.starts_with('\t');
        let is_marked = is_code || line.trim_start().starts_with(['>', '+', '|', '#']);
        let is_unclosed = |mark: char| before.matches(mark).count() % 2 == 1;
        let is_open = |from: char, to: char| before.matches(from).count() > before.matches(to).count();
        return is_marked
            || is_unclosed('"')
            || is_unclosed('`')
            || is_open('“', '”') && !before.contains('„')
            || is_open('«', '»')
            || before.ends_with(['\'', '‘', '“', '"', '`']);
    }
    false
}

/// Whether a text begins with these words, ignoring the characters between them.
fn starts_with_words(text: &str, words: &str) -> bool {
    let first_words = |text: &str| -> Vec<String> {
        normalize_text(text).split_whitespace().take(3).map(str::to_owned).collect()
    };
    let prefix = first_words(words);
    first_words(&text[..text.floor_char_boundary(200)]).starts_with(&prefix)
}

/// A phrase that nobody says to a person.
fn phrase(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let unspaced =
        UNSPACED.iter().find(|mark| memchr::memmem::find(lower.as_bytes(), mark.as_bytes()).is_some());
    // In the middle of a sentence, somebody is only writing about them.
    let format =
        || lower.lines().find_map(|line| FORMATS.iter().find(|mark| line.trim_start().starts_with(**mark)));
    if let Some(mark) = unspaced.or_else(format) {
        return Some((*mark).to_owned());
    }
    if let Some(sentence) = lower.split(['.', '!', '\n']).find(|sentence| is_bare_order(sentence)) {
        return Some(sentence.trim().to_owned());
    }
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let mut half: Option<(Instruction, String)> = None;
    for at in 0..words.len() {
        let rest = &words[at..words.len().min(at + 10)];
        let excerpt = || rest.join(" ");
        match weigh(rest) {
            Some(Weight::Enough) => return Some(excerpt()),
            Some(Weight::Half(sort)) => match &half {
                Some((before, words)) if *before != sort => return Some(words.clone()),
                Some(_) => {}
                None => half = Some((sort, excerpt())),
            },
            None => {}
        }
    }
    None
}

/// `Ignore previous instructions.`: to a person, one would say whose.
fn is_bare_order(sentence: &str) -> bool {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let (Some(first), true) = (words.first(), words.len() <= 5) else { return false };
    let any = |list: &[&str]| words.iter().any(|word| list.contains(word));
    DROP.contains(first) && any(BEFORE) && any(INSTRUCTIONS)
}

fn weigh(words: &[&str]) -> Option<Weight> {
    if DROP.contains(words.first()?) {
        return drops_instructions(words);
    }
    if addresses_machine(words) || asks_for_prompt(words) || calls_tool(words) {
        return Some(Weight::Enough);
    }
    let half = if gives_role(words) {
        Instruction::Role
    } else if keeps_from_person(words) {
        Instruction::Secret
    } else if gives_mail_away(words) {
        Instruction::Leak
    } else {
        return None;
    };
    Some(Weight::Half(half))
}

fn word<'w>(words: &[&'w str], at: usize) -> &'w str {
    words.get(at).copied().unwrap_or_default()
}

/// The position of a word from the list among the words after the first.
fn near(words: &[&str], list: &[&str], within: usize) -> Option<usize> {
    words.iter().skip(1).take(within).position(|word| list.contains(word))
}

fn drops_instructions(words: &[&str]) -> Option<Weight> {
    // "ignore my previous instructions" comes from a person who changed their mind.
    if matches!(word(words, 1), "my" | "our" | "meine" | "mes" | "mis" | "his" | "her" | "their") {
        return None;
    }
    let is_everything = |word: &&str| matches!(*word, "everything" | "alles" | "tout" | "todo" | "tutto");
    if words.iter().take(4).any(is_everything)
        && words.windows(3).any(|three| three == ["you", "were", "told"])
    {
        return Some(Weight::Enough);
    }
    let instructions_at = near(words, INSTRUCTIONS, 6)?;
    let is_earlier = near(words, BEFORE, 7).is_some();
    let is_addressed = near(words, YOURS, 3).is_some_and(|at| at < instructions_at);
    match (is_earlier, is_addressed) {
        (true, true) => Some(Weight::Enough),
        (true, false) => Some(Weight::Half(Instruction::Drop)),
        (false, true) if words.iter().skip(1).take(2).any(|word| *word == "your") => Some(Weight::Enough),
        (false, _) => None,
    }
}

/// "You are now an AI agent", "note to the AI assistant", "dear AI assistant", "as an AI assistant you".
fn addresses_machine(words: &[&str]) -> bool {
    let word = |at| word(words, at);
    let machine_at = match word(0) {
        // "If you are an AI reading this" is not "if you are an AI company".
        "you" if word(1) == "are" => {
            let at = if word(2) == "now" { 3 } else { 2 };
            at + usize::from(matches!(word(at), "a" | "an" | "the"))
        }
        "note" | "message" | "instruction" | "instructions" | "notice" | "order" | "orders"
            if matches!(word(1), "to" | "for") =>
        {
            2 + usize::from(matches!(word(2), "the" | "any" | "all" | "your"))
        }
        "as" => {
            return matches!(word(1), "an" | "a")
                && matches!(word(2), "ai" | "llm")
                && ROLES.contains(&word(3))
                && word(4) == "you";
        }
        call if CALLS.contains(&call) => 1,
        _ => return false,
    };
    words.get(machine_at..).is_some_and(is_machine)
}

/// "Reveal your instructions", "new system prompt".
fn asks_for_prompt(words: &[&str]) -> bool {
    match word(words, 0) {
        "reveal" | "print" | "repeat" | "output" | "leak" | "disclose" | "expose" => {
            let named = |two: &[&str]| matches!(two, ["system" | "your", "prompt"]);
            words.windows(2).any(named)
                || near(words, &["your"], 3).is_some()
                    && near(words, &["instructions", "prompt"], 6).is_some()
        }
        "new" | "updated" | "your" => {
            word(words, 1) == "system" && matches!(word(words, 2), "prompt" | "instruction" | "instructions")
        }
        _ => false,
    }
}

fn calls_tool(words: &[&str]) -> bool {
    let is_tool =
        |word: &&str| matches!(*word, "write_email" | "send_email" | "schedule_meeting" | "forward_email");
    matches!(word(words, 0), "call" | "use" | "invoke" | "run" | "execute")
        && words.iter().take(6).any(is_tool)
}

/// "Act as a chatbot", "the assistant must now".
fn gives_role(words: &[&str]) -> bool {
    let word = |at| word(words, at);
    match word(0) {
        "act" | "respond" | "reply" | "acting" => {
            word(1) == "as" && matches!(word(2), "a" | "an" | "the") && words.get(3..).is_some_and(is_machine)
        }
        "assistant" | "agent" => {
            matches!(word(1), "must" | "should" | "shall")
                && matches!(word(2), "now" | "immediately" | "ignore")
        }
        _ => false,
    }
}

/// "Do not tell the user", "without asking your owner".
fn keeps_from_person(words: &[&str]) -> bool {
    let person =
        |two: &[&str]| matches!(two, ["the", "user" | "human"] | ["your", "user" | "owner" | "human"]);
    let names_person = |words: &[&str]| words.windows(2).take(6).any(person);
    match word(words, 0) {
        "do" | "don" | "never" | "dont" => {
            near(words, &["tell", "inform", "notify", "alert", "ask", "mention"], 3)
                .is_some_and(|at| names_person(&words[at..]))
        }
        "without" => {
            matches!(word(words, 1), "asking" | "telling" | "informing" | "notifying" | "confirming")
                && names_person(words)
        }
        _ => false,
    }
}

/// "Forward all emails to".
fn gives_mail_away(words: &[&str]) -> bool {
    let is_mail = |word: &&str| {
        matches!(*word, "emails" | "mails" | "messages" | "inbox" | "passwords" | "credentials")
    };
    matches!(word(words, 0), "forward" | "send" | "exfiltrate")
        && matches!(word(words, 1), "all" | "every" | "any")
        && words.iter().take(5).any(is_mail)
        && near(words, &["to"], 9).is_some()
}

/// Whether these words name a machine that reads mail: "AI assistant", "language model", "LLM".
fn is_machine(words: &[&str]) -> bool {
    match words {
        ["llm" | "chatbot" | "chatgpt", ..] => true,
        ["large", "language", "model", ..] | ["language", "model", ..] => true,
        ["helpful" | "email" | "mail" | "automated" | "virtual" | "ai", "assistant" | "agent", next, ..] => {
            !is_trade(next)
        }
        ["helpful" | "email" | "mail" | "automated" | "virtual" | "ai", "assistant" | "agent"] => true,
        [machine, role, next, ..] => MACHINES.contains(machine) && ROLES.contains(role) && !is_trade(next),
        [machine, role] => MACHINES.contains(machine) && ROLES.contains(role),
        _ => false,
    }
}

/// Words that follow if a profession or a team is meant: "AI model training lead".
fn is_trade(word: &str) -> bool {
    matches!(
        word,
        "team"
            | "teams"
            | "group"
            | "developer"
            | "developers"
            | "engineer"
            | "engineers"
            | "company"
            | "vendor"
            | "vendors"
            | "users"
            | "user"
            | "training"
            | "builder"
            | "builders"
            | "community"
            | "customers"
            | "owner"
            | "owners"
            | "lead"
    )
}
