//! Computes warnings for users from the mail itself, never from a model (docs/safety.md, "Text from outside never steers").
//!
//! Promises: pure functions, linear time, a closed set of warnings. Each names the cause. Ordinary mail gets none:
//! lists, forwards, newsletters' tracking links within one company, parts of one organisation. A warning is not a
//! verdict, and no warning is no proof.

mod authentication;
mod claims;
mod distinctive;
mod domains;
mod files;
mod links;
mod markers;
mod microsoft;
mod placeholders;
mod recipients;
mod senders;
mod unsubscribe;

#[cfg(test)]
mod tests;

pub use authentication::{Receiver, is_authenticated, is_marked_spam};
pub use claims::{names_new_bank_details, speaks_of_attachment};
pub use distinctive::{DistinctiveText, distinctive_text};
pub use domains::{KnownDomains, have_different_owners, organisation};
pub use placeholders::without_placeholders;
pub use recipients::{Message, risks_of_joining, risks_of_message};
pub use unsubscribe::{one_click, unsubscribe_risk};

pub use files::is_program;

use super::compose::is_own;
use super::{Address, AddressField, Mail, Oddity, Unsubscribe};
use crate::text::{Visible, truncate};
use std::collections::HashSet;

/// A reason to look twice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Risk {
    /// The mail would go to somebody outside the conversation.
    RecipientOutside { address: String },
    /// Somebody would get the mail without the others seeing it.
    BccAdded { address: String },
    /// Mail from somebody the user has neither answered nor accepted mail from.
    NewSender { address: String },
    /// Mail to somebody the user has neither written to nor accepted mail from.
    NewRecipient { address: String },
    /// The same, but they wrote first.
    FirstReply { address: String },
    /// A stranger answers in a conversation that nobody had with them.
    JoinedLater { address: String },
    /// A domain that looks like one the user knows but is not.
    LookAlike {
        /// The one in the mail, in ASCII.
        domain: String,
        /// The one the user knows.
        like: String,
    },
    /// A domain with foreign letters that may look like others.
    Punycode {
        /// In ASCII.
        domain: String,
        /// As programs show it.
        shown: String,
    },
    /// Answers go to another organisation than the sender's.
    ReplyToDiffers {
        /// The sender's address.
        from: String,
        reply_to: String,
        /// Whether the user knows the sender; answers to a stranger go to a stranger either way.
        is_known: bool,
    },
    /// The display name is an address, but not the sender's.
    NameHoldsAddress {
        /// The address in the name.
        shown: String,
        /// The sender's address.
        address: String,
    },
    /// From or Reply-To is irregular.
    OddHeader(Oddity),
    /// A link's text shows another target than its real one.
    LinkDiffers {
        /// The host or address it shows.
        text: String,
        target: String,
    },
    /// An attachment that can run programs when opened.
    Executable { name: String },
    /// The mail is written for a program: it has a marker of prompts, or names one of our tools.
    AddressesAssistant { marker: String },
    /// The receiving server could not confirm the sender, or its filter marked the mail as spam.
    NotAuthentic {
        address: String,
        /// The checks that failed.
        failed: String,
        /// What makes it worse.
        with: Option<&'static str>,
    },
    /// The name of somebody the user knows, with another address.
    KnownName {
        name: String,
        address: String,
        /// The address the user knows.
        known: String,
    },
    /// The display name is the user's own organisation, but the mail comes from outside.
    ClaimsYourOrganisation { name: String, address: String },
    /// A stranger writes in the name of a company from elsewhere.
    ClaimsBrand { brand: &'static str, address: String },
    /// It says that payments go to a new account.
    BankChange,
    /// A stranger names a wallet.
    Wallet,
    /// A link hides where it leads.
    ShortLink { host: String },
    /// A link designed to be misread.
    OddLink {
        target: String,
        /// Whether it imitates a domain the user knows.
        imitates: bool,
    },
    /// An attachment that opens as a web page, which can ask for anything.
    PageAttached { name: String },
    /// Leaving the list goes to an organisation that is neither the list's nor the sender's.
    LeavesElsewhere {
        /// Where the mail or request would go.
        address: String,
    },
    /// The text repeats a mail from another conversation.
    QuotesOtherMail {
        /// The repeated words or code.
        words: String,
        /// Who wrote that mail.
        sender: String,
    },
    /// The text is too long to compare with mails from other conversations.
    NotCompared,
}

impl Risk {
    /// A fixed word for scripts and rows.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RecipientOutside { .. } => "recipient_outside",
            Self::BccAdded { .. } => "bcc_added",
            Self::NewSender { .. } | Self::NewRecipient { .. } | Self::FirstReply { .. } => "first_contact",
            Self::JoinedLater { .. } => "joined_later",
            Self::LookAlike { .. } => "look_alike",
            Self::Punycode { .. } => "punycode",
            Self::ReplyToDiffers { .. } => "reply_to_differs",
            Self::NameHoldsAddress { .. } => "name_holds_address",
            Self::OddHeader(Oddity::SeveralSenders { .. }) => "several_senders",
            Self::OddHeader(Oddity::Unreadable { .. }) => "unreadable_header",
            Self::OddHeader(Oddity::Unusual { .. }) => "unusual_header",
            Self::LinkDiffers { .. } => "link_differs",
            Self::Executable { .. } => "executable_attachment",
            Self::AddressesAssistant { .. } => "addresses_assistant",
            Self::NotAuthentic { .. } => "not_authentic",
            Self::KnownName { .. } => "known_name",
            Self::ClaimsYourOrganisation { .. } => "claims_house",
            Self::ClaimsBrand { .. } => "claims_brand",
            Self::BankChange => "bank_change",
            Self::Wallet => "wants_coins",
            Self::ShortLink { .. } => "short_link",
            Self::OddLink { .. } => "odd_link",
            Self::PageAttached { .. } => "page_attached",
            Self::LeavesElsewhere { .. } => "leaves_elsewhere",
            Self::QuotesOtherMail { .. } => "quotes_other_mail",
            Self::NotCompared => "not_compared",
        }
    }

    /// A sentence for users: one line, Visible.
    pub fn text(&self) -> String {
        let text = match self {
            Self::RecipientOutside { address } => format!("{address} is not part of this conversation."),
            Self::BccAdded { address } => format!("{address} would get this unseen by the others (bcc)."),
            Self::NewSender { address } => {
                format!("New sender: you have never answered or accepted mail from {address}.")
            }
            Self::NewRecipient { address } => {
                format!("New recipient: as far as sayso knows, you have never written to {address}.")
            }
            Self::FirstReply { address } => {
                format!("This is your first mail to {address}, as far as sayso knows.")
            }
            Self::JoinedLater { address } => {
                format!("{address} was not part of this conversation before; nobody in it wrote to them.")
            }
            Self::LookAlike { domain, like } => {
                format!("{domain} looks like {like}, which you know, but is another domain.")
            }
            Self::Punycode { domain, shown } => {
                format!("{domain} is written with foreign letters and shown as {shown}.")
            }
            Self::ReplyToDiffers { from, reply_to, .. } => {
                format!("It comes from {from}, but answers would go to {reply_to}.")
            }
            Self::NameHoldsAddress { shown, address } => {
                format!("The name shown is {shown}, but the mail comes from {address}.")
            }
            Self::OddHeader(oddity) => odd_header(oddity),
            Self::LinkDiffers { text, target } => format!("A link says {text} but leads to {target}."),
            Self::Executable { name } => format!("The attachment {name} can run programs when it is opened."),
            Self::AddressesAssistant { marker } => {
                format!("The mail is written for an AI assistant, not for you: it contains “{marker}”.")
            }
            Self::NotAuthentic { address, failed, with } => {
                let with = with.map(|with| format!(", and {with}")).unwrap_or_default();
                format!("Your mail server could not confirm that this comes from {address} ({failed}){with}.")
            }
            Self::KnownName { name, address, known } => {
                format!("You know {name} as {known}, but this comes from {address}.")
            }
            Self::ClaimsYourOrganisation { name, address } => {
                format!("“{name}” sounds like your own organization, but this comes from {address}.")
            }
            Self::ClaimsBrand { brand, address } => {
                format!("The sender's name says “{brand}”, but this comes from {address}.")
            }
            Self::BankChange => {
                "It says that bank details have changed. Check with the sender some other way before you pay."
                    .to_owned()
            }
            Self::Wallet => {
                "It names a wallet for cryptocurrency, and nobody can take back what is paid there."
                    .to_owned()
            }
            Self::ShortLink { host } => format!("A link through {host} hides where it leads."),
            Self::OddLink { target, imitates } => {
                let why = if *imitates { "imitates a domain you know" } else { "is made to be misread" };
                format!("The address of a link {why}: {target}.")
            }
            Self::PageAttached { name } => {
                format!(
                    "The attachment {name} is a web page; whatever you type into it goes to whoever made it."
                )
            }
            Self::LeavesElsewhere { address } => {
                format!(
                    "You would unsubscribe at {address}, which belongs to neither the list nor the sender."
                )
            }
            Self::QuotesOtherMail { words, sender } => {
                format!("The text repeats a mail from {sender} in another conversation: “{words}”.")
            }
            Self::NotCompared => "The text is too long to compare with your other mail.".to_owned(),
        };
        Visible::line(&text).into_string()
    }
}

fn odd_header(oddity: &Oddity) -> String {
    let short = |text: &str| truncate(text, 200).into_owned();
    match oddity {
        Oddity::SeveralSenders { addresses } => {
            format!("The mail names several senders: {}. Only the first is shown.", addresses.join(", "))
        }
        Oddity::Unreadable { text, .. } if text.is_empty() => "The mail does not say who sent it.".to_owned(),
        Oddity::Unreadable { field, text } => {
            let answer = match field {
                AddressField::From => "",
                AddressField::ReplyTo => " Your reply goes to the sender.",
            };
            format!("The {field} line has no readable address: “{}”.{answer}", short(text))
        }
        Oddity::Unusual { field, text, address } => {
            format!("The {field} line is unusual: “{}”. It was read as {address}.", short(text))
        }
    }
}

/// The people the user knows.
pub struct RiskContext<'a> {
    /// Whether the user wrote to this bare address, accepted its mail, or had it in the mailbox from the beginning.
    pub is_known: &'a dyn Fn(&str) -> bool,
    /// Whether the mailbox is new here, so that nearly every sender is.
    pub first_day: bool,
    /// The address the user knows for this display name.
    pub by_name: &'a dyn Fn(&str) -> Option<String>,
    /// What we know about the server that checks senders for the mailbox.
    pub receiver: Option<&'a Receiver>,
    /// The domains of people the user wrote to, for finding look-alikes.
    pub contacts: &'a KnownDomains,
    /// More addresses the user knows, for the same.
    pub addresses: &'a [String],
    /// The user's own addresses.
    pub own: &'a [String],
    /// The bare addresses, in lower case, that the user has written to in this conversation.
    pub written_to: &'a [String],
    /// The mails of this conversation that came before.
    pub earlier: &'a [&'a Mail],
    /// The names of tools that a model here may call.
    pub tools: &'a [&'a str],
}

impl Default for RiskContext<'_> {
    fn default() -> Self {
        Self {
            is_known: &|_| true,
            first_day: false,
            by_name: &|_| None,
            receiver: None,
            contacts: KnownDomains::NONE,
            addresses: &[],
            own: &[],
            written_to: &[],
            earlier: &[],
            tools: &[],
        }
    }
}

/// How many links and attachments are listed at most, so that a mail cannot bury a card in warnings.
const MAX_ALIKE: usize = 5;

/// Whether the mailbox's own server found that a mail does not come from the address in From.
pub fn is_forged(mail: &Mail, receiver: Option<&Receiver>) -> bool {
    matches!(authentication::authentication(mail, receiver), authentication::Authentication::Failed(_))
}

/// The warnings about an incoming mail.
pub fn risks_of_mail(mail: &Mail, known: &RiskContext<'_>) -> Vec<Risk> {
    let mut risks = Vec::new();
    let from = &mail.from.address;
    let domains = domains::Domains::new(known);
    let is_colleague = known.own.iter().any(|own| !domains::have_different_owners(own, from));
    if !from.is_empty() && !known.first_day && !is_colleague && !(known.is_known)(from) {
        risks.push(Risk::NewSender { address: from.clone() });
    }
    risks.extend(mail.oddities.iter().cloned().map(Risk::OddHeader));
    let mut seen_domains = HashSet::new();
    for address in std::iter::once(&mail.from).chain(&mail.reply_to).take(8) {
        if seen_domains.insert(address.domain()) {
            risks.extend(domains.risk(address.domain()));
        }
    }
    risks.extend(
        mail.reply_to
            .iter()
            .filter(|reply_to| !is_own(&reply_to.address, known.own) && !is_recipient(mail, reply_to))
            .filter_map(|reply_to| reply_to_differs(mail, reply_to, is_colleague || (known.is_known)(from)))
            .filter(|_| !senders::sent_for_others(mail, known))
            .take(MAX_ALIKE),
    );
    risks.extend(name_holds_address(&mail.from));
    risks.extend(mail.links.iter().filter_map(|link| domains::link_differs(mail, link)).take(MAX_ALIKE));
    let programs = mail.attachments.iter().filter(|file| is_program(&file.name, &file.kind));
    risks.extend(programs.take(MAX_ALIKE).map(|file| Risk::Executable { name: file.name.clone() }));
    let pages = mail.attachments.iter().filter(|file| files::is_page(&file.name));
    risks.extend(pages.take(MAX_ALIKE).map(|file| Risk::PageAttached { name: file.name.clone() }));
    // What a mail hides speaks to a program, too.
    let mut texts = [&mail.subject, &mail.text, &mail.unseen].into_iter();
    let marker = texts.find_map(|text| markers::find_marker(text, known.tools));
    risks.extend(marker.map(|marker| Risk::AddressesAssistant { marker }));
    risks
        .extend(links::odd_link(mail, &domains).map(|(target, imitates)| Risk::OddLink { target, imitates }));
    let known_name = senders::known_name(mail, known);
    let is_impostor = known_name.is_some();
    risks.extend(known_name);
    risks.extend(senders::claims_own_organisation(mail, known));
    risks.extend(claims_of(mail, known, is_colleague, is_impostor));
    risks.extend(links::short_link(mail).map(|host| Risk::ShortLink { host }));
    let looks_alike = risks.iter().any(|risk| matches!(risk, Risk::LookAlike { .. }));
    risks.extend(senders::not_authentic(mail, known, looks_alike, is_impostor));
    risks
}

/// Claims that not every sender may make. People the user knows may say a lot; people who only look like them may not.
fn claims_of(mail: &Mail, known: &RiskContext<'_>, is_colleague: bool, is_impostor: bool) -> Vec<Risk> {
    let is_doubted = !(known.is_known)(&mail.from.address) || is_impostor;
    let may_redirect_payment = is_doubted || !is_colleague || claims::brings_account(mail);
    let is_stranger = is_doubted && (!is_colleague || is_impostor);
    let has_bait = links::links(mail).next().is_some() || !mail.attachments.is_empty();
    let brand = claims::foreign_brand(mail).filter(|_| is_stranger && has_bait);
    let address = mail.from.address.clone();
    let mut risks: Vec<Risk> = brand.map(|brand| Risk::ClaimsBrand { brand, address }).into_iter().collect();
    risks.extend(
        (may_redirect_payment && claims::changes_bank(mail, known.earlier)).then_some(Risk::BankChange),
    );
    risks.extend((is_stranger && claims::names_wallet(mail, known.earlier)).then_some(Risk::Wallet));
    risks
}

/// Whether the mail went to an address openly, so answers to it surprise nobody.
fn is_recipient(mail: &Mail, one: &Address) -> bool {
    mail.to.iter().chain(&mail.cc).any(|to| to.same(&one.address))
}

/// Answers go to another organisation, or to somebody else at a provider. Lists may set their own address.
fn reply_to_differs(mail: &Mail, reply_to: &Address, is_known: bool) -> Option<Risk> {
    let (from, to) = (mail.from.domain(), reply_to.domain());
    let is_list_address = mail.list.as_ref().is_some_and(|list| {
        list.post.as_deref().is_some_and(|post| reply_to.same(post))
            || list.id.as_deref().is_some_and(|id| domains::same_organisation(to, id))
            || list.unsubscribe.iter().any(|way| match way {
                Unsubscribe::Mail { to: leave, .. } => {
                    !domains::have_different_owners(leave, &reply_to.address)
                }
                Unsubscribe::OneClick { .. } | Unsubscribe::Page { .. } => false,
            })
    });
    let is_sender =
        mail.sender.as_ref().is_some_and(|sender| domains::same_organisation(sender.domain(), to));
    let is_expected =
        from.is_empty() || to.is_empty() || is_list_address || (is_sender && mail.list.is_some());
    // Within one company, mail may come from a service and ask for answers to the company itself.
    (!is_expected && domains::have_different_owners(&mail.from.address, &reply_to.address)).then(|| {
        let (from, reply_to) = (mail.from.address.clone(), reply_to.address.clone());
        Risk::ReplyToDiffers { from, reply_to, is_known }
    })
}

/// A display name with an address of another organisation, or of somebody else at a mail provider.
fn name_holds_address(from: &Address) -> Option<Risk> {
    // "ann@example.com via List" comes from the list, and says so.
    let names_list = from.name.to_lowercase().contains(" via ");
    let mut shown = domains::addresses_in(&from.name)
        .filter(|shown| domains::have_different_owners(shown, &from.address));
    let shown = shown.next().filter(|_| !names_list && !from.address.is_empty())?;
    Some(Risk::NameHoldsAddress { shown, address: from.address.clone() })
}

/// The sender for lists: the name, unless it contains another address than the sender's. Empty if the mail names
/// nobody.
pub fn sender_shown(from: &Address) -> &str {
    let name = from.name.trim();
    if name.is_empty() || name_holds_address(from).is_some() { &from.address } else { name }
}
