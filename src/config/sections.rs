//! The one list of every section the config knows. Each is declared in the file of its feature.

use super::apis::ApiSection;
use super::approvals::ApprovalsSection;
use super::calendar::CalendarSection;
use super::commands::CommandSection;
use super::engine::{Budget, Engine, Log};
use super::google::GoogleSection;
use super::intake::{Intake, Learning};
use super::keys::Section;
use super::mail::MailSection;
use super::models::{MODELS, ModelSection, PriceSection, WORKFLOW};
use super::notices::NoticesSection;
use super::policy::PolicySection;
use super::rules::Rule;
use super::screen::{KEYS, Theme};
use super::servers::ServerSection;
use super::sheet::Sheet;
use super::traces::TracesSection;
use super::user::UserSection;

/// Every section, in the order in which they are shown.
pub(super) const SECTIONS: &[&Section] = &[
    UserSection::SECTION,
    ModelSection::SECTION,
    MODELS,
    WORKFLOW,
    PriceSection::SECTION,
    ApprovalsSection::SECTION,
    Budget::SECTION,
    Engine::SECTION,
    GoogleSection::SECTION,
    MailSection::SECTION,
    Rule::SECTION,
    CalendarSection::SECTION,
    Intake::SECTION,
    Learning::SECTION,
    PolicySection::SECTION,
    ApiSection::SECTION,
    ServerSection::SECTION,
    Sheet::SECTION,
    Theme::SECTION,
    NoticesSection::SECTION,
    TracesSection::SECTION,
    KEYS,
    CommandSection::SECTION,
    Log::SECTION,
];

/// The section called `name`.
pub(super) fn find(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().copied().find(|section| section.name == name)
}
