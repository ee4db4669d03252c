//! Finds commands to a program that reads mail: it is addressed and told to do something one would not tell a person.
//!
//! Either alone is ordinary: people write about assistants, and ask each other to forward mails. Both in one paragraph
//! are suspicious. Linear time.

use crate::text::phrases::{NormalizedText, normalize_text};

/// Programs that may be addressed, in several languages. Names that people have are left out.
const READERS: &str = "assistant, assistants, ai, llm, llms, language model, language models, model, agent, agents, chatbot, \
    copilot, digital helper, virtual helper, ai tool, ai readers, mail program, text processing program, automated reader, \
    assistent, ki, ki assistent, sprachmodell, l assistant, ia, asistente, assistente, modello, modelo, ассистент, \
    помощник, asystent, asystencie";

/// Words before a reader that address it.
const CALLS: &str = "to the, to any, to all, for the, for any, for all, for, attention, attn, dear, hello, hey, note to, note \
    for, hint for, task for, instruction for, instructions for, message for, message to, applies to the, für den, für die, \
    an den, an die, pour l, à l, para el, al, per l, per il, для";

/// Words after a reader that tell it what to do.
const ORDERS: &str =
    "must, should, shall, has to, have to, needs to, please, muss, soll, bitte, doit, debe, deve";

/// Phrases for reading done by a program.
const WHEN: &str = "when summarizing this, when summarising this, when you summarize, when you summarise, when you render, \
    when processing this, when you process, when reading this mail as, if you are an ai, if you are a language model";

/// Commands about a mailbox, its content, or what the user is told.
const COMMANDS: &[(&str, &str)] = &[
    (
        "forward, send, export, delete, remove, erase, archive, search, look for, look up, find, append, attach, copy, reply \
         with, answer with, open, transfer, leite, lösche, sende, transférer, transfère, envoie, reenvía, envía, borra, \
         inoltra, invia, cancella, найди, отправь, перешли, удали",
        "mail, mails, email, emails, message, messages, mailbox, inbox, contacts, address book, addresses, password, \
         passwords, code, codes, calendar, invoice, invoices, iban, card data, subject lines, attachments, every link, all \
         links, home address, phone number, sent folder, postfach, passwörter, messages de la direction, copie des messages, \
         contraseñas, correos, password trovate, posta, пароли, почте",
    ),
    ("create, add, set, enable, switch on", "filter rule, a rule, auto approve, auto reply, forwarding"),
    (
        "do not, don t, never, without, n en rien, nichts, no lo, ohne, sin, senza",
        "tell the user, tell the person, mention this, mention it, mention this text, show the reply, inform the user, notify \
         the user, asking anybody, asking the user, preguntar, dire à l utilisateur, zu fragen, chiedere",
    ),
    (
        "approve, confirm, agree, accept, order, book, fill in, register, state, say, tell the user, summarise, summarize",
        "on his behalf, on her behalf, without asking, card data, alarm code, free slot, his calendar, his contacts, already \
         said yes, the user wishes, tell the user only, all other, asking price, the booking form, the mailbox as, full price",
    ),
    (
        "decode, rot13, url decode, join the letters, read this backwards, base64, hex",
        "carry out, follow, execute, do what it says, obeyed, obey",
    ),
    (
        "ignore, disregard, forget, oublier, oublie, ignora, olvida, ignoriere, vergiss, dimentica, игнорируй, забудь",
        "instructions, system message, system prompt, rules, consignes, istruzioni, instrucciones, anweisungen, everything \
         above, everything you were told, инструкции, your guidelines",
    ),
    ("include the picture, include the image, replace data", "url encoded, subject lines, newest mails"),
];

/// Roles in a conversation with a model, at the start of a line.
const ROLES: &[&str] = &[
    "system:",
    "assistant:",
    "user:",
    "developer:",
    "usuario:",
    "asistente:",
    "assistent:",
    "nutzer:",
    "utilisateur:",
    "assistente:",
    "utente:",
];

/// The first words of a paragraph that commands a reader.
pub(super) fn find_command(paragraph: &str) -> Option<String> {
    let flat = normalize_text(paragraph);
    if !is_command(&flat) {
        return None;
    }
    let readers: Vec<&str> = READERS.split(", ").filter(|reader| flat.has(reader)).collect();
    let is_called = |reader: &&str| CALLS.split(", ").any(|call| flat.has(&format!("{call} {reader}")));
    let is_ordered = |reader: &&str| ORDERS.split(", ").any(|order| flat.has(&format!("{reader} {order}")));
    let is_spoken_to = readers.iter().any(|reader| is_called(reader) || is_ordered(reader))
        || begins_with_reader(paragraph)
        || flat.has(WHEN)
        || plays_roles(paragraph);
    is_spoken_to.then(|| paragraph.split_whitespace().take(10).collect::<Vec<_>>().join(" "))
}

/// Whether a [`normalize_text`] text contains a command that one would not give to a person.
pub(super) fn is_command(flat: &NormalizedText) -> bool {
    COMMANDS.iter().any(|(verbs, objects)| flat.has(verbs) && flat.has(objects))
}

/// `Assistant, …` or `Reading agent: …`, at the start of a sentence.
fn begins_with_reader(paragraph: &str) -> bool {
    let starts = paragraph.split(['.', '!', '?', '\n', '(', '[']).filter_map(|sentence| {
        let (head, _) = sentence.trim_start().split_once([':', ','])?;
        Some(normalize_text(head))
    });
    starts.into_iter().any(|head| {
        head.split_whitespace().count() <= 7
            && READERS.split(", ").any(|reader| head.ends_with(&format!(" {reader} ")))
    })
}

/// Whether lines speak for two sides of a conversation with a model.
fn plays_roles(paragraph: &str) -> bool {
    let begins =
        |role: &&&str| paragraph.lines().any(|line| line.trim_start().to_lowercase().starts_with(**role));
    ROLES.iter().filter(begins).count() >= 2
}
