//! What an agent is made of: models, the loop of model, person and tools, and what a node is given to work with.
//!
//! A node reaches the clock, the config and the store only through [`Services`].

pub mod agent_loop;
mod ask_model;
pub mod lesson;
pub mod llm;
mod mail_cache;
pub mod mail_facts;
pub mod output_file;
mod policy;
pub mod reading;
mod recorded_model;
mod records;
mod services;
mod written_text;

pub use ask_model::{ask_model, ask_structured, pick_model, pick_model_of, pick_only, try_structured};
pub use mail_cache::MailCache;
pub use policy::GrantQuery;
pub use records::{CallRecord, ConversationMail, GrantCheck, Lesson, Profile, Records};
pub use services::{Accounts, Models, Picked, Services, check_model, mailbox_error, need_model};
pub use written_text::{WrittenText, ask_for_text, no_text, written_letter, written_text};
