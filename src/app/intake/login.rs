//! Expired logins: one card per account, which closes once a look succeeds.

use super::{Intake, IntakeError};
use crate::engine::driver::arrival;
use crate::engine::graph::{Event, EventKind, ThreadId};
use crate::engine::store::StoreError;
use crate::mail::{Account, MailError};
use crate::workflows::hidden::intake::{self, IntakeQuestion};
use serde_json::Value;

impl Intake {
    /// Asks the user about an expired login, and closes the question once the login works again.
    pub(super) async fn update_login_card(
        &self,
        account: &Account,
        looked: &Result<Option<String>, IntakeError>,
    ) -> Result<(), IntakeError> {
        match looked {
            Ok(_) => self.close_login_card(account).await,
            Err(IntakeError::Mailbox(MailError::Login(why))) => self.ask_for_login(account, why).await,
            // The look does not tell whether the login works.
            Err(_) => Ok(()),
        }
    }

    /// The thread that asks for this account's login, if there is one.
    pub(super) fn open_login_thread(&self, account: &Account) -> Result<Option<ThreadId>, StoreError> {
        let newest = self.engine().store().threads().newest_with_key(intake::NAME, &key(account))?;
        Ok(newest.filter(|(_, status)| !status.ended()).map(|(thread, _)| thread))
    }

    async fn ask_for_login(&self, account: &Account, why: &str) -> Result<(), IntakeError> {
        let store = self.engine().store();
        let newest = store.threads().newest_with_key(intake::NAME, &key(account))?;
        if newest.as_ref().is_some_and(|(_, status)| !status.ended()) {
            return Ok(());
        }
        let asked = IntakeQuestion::Login { account: account.name.clone(), why: why.to_owned() };
        let mut new = self.asking(&asked)?;
        // A key can have only one thread, so the next key is derived from the last thread.
        new.key = match newest {
            None => key(account),
            Some((last, _)) => format!("{}#{last}", key(account)),
        };
        store.threads().start(new, self.engine().step_limit()).await?;
        Ok(())
    }

    async fn close_login_card(&self, account: &Account) -> Result<(), IntakeError> {
        let Some(thread) = self.open_login_thread(account)? else { return Ok(()) };
        let Some(spec) = self.engine().registry().get(intake::NAME) else { return Ok(()) };
        let reason = "the login works again".to_owned();
        let what = EventKind::AnsweredElsewhere { reason, payload: Value::Null };
        let event = Event { id: format!("login:{}", account.name), what };
        let arrival = arrival(spec, &thread, &event, None).map_err(|e| IntakeError::Thread(e.to_string()))?;
        match self.engine().store().threads().deliver(arrival).await {
            // Somebody answered it at the same moment.
            Err(StoreError::NotOpen { .. }) => Ok(()),
            other => Ok(other.map(drop)?),
        }
    }
}

fn key(account: &Account) -> String {
    format!("login:{}", account.name)
}
