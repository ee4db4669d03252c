//! The first look at a mailbox: bounded, and asked about before it costs money. Also carries out the answers to
//! intake's questions.

use super::route::ParseResult;
use super::{FirstLook, Intake, IntakeError, Synced};
use crate::engine::driver::{Gathering, fail_point};
use crate::engine::graph::ThreadId;
use crate::engine::store::{MailState, Phase, Route, StoreError, StoredMail, StoredSource, TakenIn};
use crate::inbox::Status;
use crate::mail::{Account, FetchedMail};
use crate::workflows::hidden::intake::{IntakeAnswer, IntakeQuestion};

/// How many kept mails are read at once.
const PAGE: usize = 10;

/// About how many tokens a model reads and writes for one mail, to estimate the cost.
const TOKENS: (f64, f64) = (4000.0, 400.0);

impl Intake {
    /// Ends the first look, once all mail is listed: takes in a few mails, or asks about many. Where only the newest
    /// were wanted, the next look ends it.
    pub(super) async fn end_first_look(
        &self,
        account: &Account,
        source: &mut StoredSource,
        synced: &mut Synced,
    ) -> Result<(), IntakeError> {
        let store = self.engine().store();
        let config = &self.0.config.intake;
        if let FirstLook::Newest(count) = self.0.first {
            let gathering = self.engine().gather();
            for mail in store.mail().newest_asked(&account.name, count)? {
                self.take_again(account, mail, synced, &gathering).await?;
            }
            return Ok(());
        }
        let limit = config.first_limit;
        let beyond = format!("the first look takes {limit} at most");
        let (mails, oldest) = store.mail().leave_beyond(account.name.clone(), limit, beyond).await?;
        let cost = self.cost(account, mails);
        let much = mails > config.ask_over || cost.is_none();
        if mails > 0 && much {
            let about_cost = match cost {
                Some(0.0) => "nothing".to_owned(),
                Some(cost) => format!("about ${cost:.2}"),
                None => "not known; [prices] has none for the model".to_owned(),
            };
            let zone = self.0.config.user.time_zone.clone();
            let oldest = oldest.map(|at| at.to_zoned(zone).strftime("%Y-%m-%d %H:%M").to_string());
            let asked = IntakeQuestion::FirstSync {
                account: account.name.clone(),
                mails: mails as u64,
                oldest: oldest.unwrap_or_default(),
                about_cost,
            };
            fail_point("before_first_asked");
            let new = self.asking(&asked)?;
            store.mail().ask_first(account.name.clone(), new, self.engine().step_limit()).await?;
            fail_point("after_first_asked");
            synced.started += 1;
            source.phase = Phase::Asking;
            return Ok(());
        }
        self.begin_taking(account, usize::MAX, source).await?;
        self.take_kept(account, source, synced).await
    }

    /// Dollars for handling this many mails; `None` if the model's price is not known.
    fn cost(&self, account: &Account, mails: usize) -> Option<f64> {
        let config = &self.0.config;
        let own = account.model.as_ref().and_then(|name| config.models.get(name));
        let model = own.unwrap_or_else(|| config.model_for("email", "triage"));
        let price = match config.prices.get(&model.name) {
            Some(price) => price,
            None if model.is_on_this_machine() => return Some(0.0),
            None => return None,
        };
        let (input, output) = TOKENS;
        Some(mails as f64 * (input * price.input + output * price.output) / 1_000_000.0)
    }

    /// Whether a question about this mailbox may be answered and not yet carried out.
    pub(super) fn is_answered(&self, account: &Account) -> bool {
        let store = self.engine().store();
        let first = store.mail().first_look_answered(&account.name).unwrap_or(false);
        let any = |state| store.mail().in_state(&account.name, state, 1).is_ok_and(|mails| !mails.is_empty());
        let follows = || store.mail().is_following(&account.name).unwrap_or(false);
        first || any(MailState::Unreadable) || (any(MailState::Asked) && follows())
    }

    /// Carries out the user's answers, and continues what was interrupted.
    pub(super) async fn carry_out(
        &self,
        account: &Account,
        source: &mut StoredSource,
        synced: &mut Synced,
    ) -> Result<(), IntakeError> {
        if let (Phase::Asking, Some(thread)) = (source.phase, source.thread.clone())
            && let Some(answer) = self.answer(&thread)?
        {
            let most = usize::try_from(answer.take).unwrap_or(usize::MAX);
            self.begin_taking(account, most, source).await?;
        }
        // After the first look, the only mail kept is mail whose thread was abandoned before it looked at it.
        if matches!(source.phase, Phase::Taking | Phase::Following) {
            self.take_kept(account, source, synced).await?;
        }
        let store = self.engine().store();
        for mail in store.mail().in_state(&account.name, MailState::Unreadable, PAGE)? {
            let again = match &mail.thread {
                Some(thread) => self.answer(thread)?.is_some_and(|answer| answer.again),
                None => true,
            };
            if again {
                self.take_again(account, mail, synced, &self.engine().gather()).await?;
            } else {
                let (read, incoming) = self.read_again(account, mail).await?;
                let mail = self.new_mail(account, &read, &incoming)?;
                let route = Route::Left("it cannot be read".to_owned());
                store.mail().take_in(mail, route, self.engine().step_limit()).await?;
            }
        }
        Ok(())
    }

    /// The answer; `None` while there is none, and an empty one if the thread was abandoned.
    fn answer(&self, thread: &ThreadId) -> Result<Option<IntakeAnswer>, StoreError> {
        let outcome = self.engine().store().threads().outcome(thread)?;
        Ok(match outcome.status {
            Status::Done => {
                let answer = outcome.output.and_then(|output| serde_json::from_value(output).ok());
                Some(answer.unwrap_or_default())
            }
            Status::Abandoned => Some(IntakeAnswer::default()),
            _ => None,
        })
    }

    async fn begin_taking(
        &self,
        account: &Account,
        most: usize,
        source: &mut StoredSource,
    ) -> Result<(), IntakeError> {
        let reason = "you left it at the first look".to_owned();
        self.engine().store().mail().begin_taking(account.name.clone(), most, reason).await?;
        fail_point("after_begin_taking");
        source.phase = Phase::Taking;
        Ok(())
    }

    /// Takes in everything the first look kept.
    async fn take_kept(
        &self,
        account: &Account,
        source: &mut StoredSource,
        synced: &mut Synced,
    ) -> Result<(), IntakeError> {
        let (store, gathering) = (self.engine().store(), self.engine().gather());
        loop {
            let mails = store.mail().in_state(&account.name, MailState::Asked, PAGE)?;
            if mails.is_empty() {
                break;
            }
            for mail in mails {
                fail_point("before_take_kept");
                self.take_again(account, mail, synced, &gathering).await?;
                fail_point("after_take_kept");
            }
        }
        if source.phase != Phase::Following {
            store.mail().follow(account.name.clone()).await?;
            source.phase = Phase::Following;
        }
        Ok(())
    }

    async fn take_again(
        &self,
        account: &Account,
        mail: StoredMail,
        synced: &mut Synced,
        gathering: &Gathering,
    ) -> Result<(), IntakeError> {
        let identity = mail.identity.clone();
        let (read, incoming) = self.read_again(account, mail).await?;
        let result = self.dispatch(account, &read, &incoming, gathering).await?;
        if result == TakenIn::Known {
            // Its state did not change, so the next query would return it again, for ever.
            return Err(IntakeError::Thread(format!("mail {identity} could not be taken further")));
        }
        synced.started += u64::from(matches!(result, TakenIn::Started(_)));
        Ok(())
    }

    /// Reads a kept mail again; it keeps its identity.
    async fn read_again(
        &self,
        account: &Account,
        mail: StoredMail,
    ) -> Result<(ParseResult, FetchedMail), IntakeError> {
        let incoming = FetchedMail {
            place: mail.place,
            raw: mail.raw,
            arrived: mail.came_at,
            seen: false,
            answered: false,
        };
        let mut read = self.read(account, &incoming).await?;
        match &mut read {
            Ok(parsed) => parsed.identity = mail.identity,
            Err(unread) => unread.identity = mail.identity,
        }
        Ok((read, incoming))
    }
}
