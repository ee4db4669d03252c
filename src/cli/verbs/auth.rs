//! `sayso auth`: logs in where a password is not enough.

use crate::app::begin_auth;
use crate::cli::context::Context;
use crate::cli::failure::Failure;
use crate::cli::output::Output;
use crate::cli::print::note;
use std::process::{Command, Stdio};

/// Log in where a password is not enough
#[derive(Debug, clap::Args)]
#[command(
    subcommand_value_name = "WHERE",
    subcommand_help_heading = "Where",
    after_help = "Examples:\n  sayso auth google\n  sayso auth google --account work --no-browser"
)]
pub struct Args {
    #[command(subcommand)]
    place: AuthProvider,
}

#[derive(Debug, clap::Subcommand)]
enum AuthProvider {
    /// At Google, for mail servers with login = "google" and calendars of kind google
    #[command(after_help = HELP)]
    Google {
        /// The account of the config; needed where several log in at Google
        #[arg(long, value_name = "NAME")]
        account: Option<String>,
        /// Print the address to open instead of opening it
        #[arg(long)]
        no_browser: bool,
    },
}

const HELP: &str = "Easier, and enough for mail: an app password. Switch 2-step verification on, make one at \
https://myaccount.google.com/apppasswords, and write kind = \"imap\", host = \"imap.gmail.com\" and \
password_command in [[mail]], with outgoing = { kind = \"smtp\", host = \"smtp.gmail.com\" }.\n\n\
Where app passwords are not allowed, get an OAuth client of your own, once:\n  \
1. https://console.cloud.google.com: make a project. For a calendar, enable the Google Calendar API under APIs & \
Services.\n  \
2. OAuth consent screen: External, your own address as a test user. (Publish it, even unverified, or logins end \
after 7 days.)\n  \
3. Clients: create one of type Desktop app. Write its id as client_id in [google], and say with client_secret_env, \
client_secret_command or client_secret_file where its secret is kept.\n\n\
Then write login = \"google\" in [[mail]] instead of password_command. `sayso auth google` opens the browser and \
waits on 127.0.0.1 for the answer. Over ssh, use --no-browser and forward the port it names.\n\n\
Examples:\n  sayso auth google\n  sayso auth google --account work --no-browser";

impl Args {
    pub(super) async fn run(self, context: Context) -> Result<Output, Failure> {
        let AuthProvider::Google { account, no_browser } = self.place;
        let config = context.config()?;
        let login = begin_auth(&config, account.as_deref()).await?;
        if no_browser || !open(login.address()) {
            note(&format!("open this address in a browser on this machine:\n{}", login.address()));
            note(&format!("waiting for the answer at {}", login.redirect()));
        } else {
            note("the browser is open; log in there and allow access");
        }
        let done = login.finish().await?;
        let format = context.format.clone();
        // Asks the driver to look now, so that it notices the login at once.
        if context.has_data()
            && let Ok(folder) = context.open()
            && let Some(intake) = folder.intake()
            && let Err(error) = intake.request_sync().await
        {
            tracing::warn!(%error, "the process that runs the threads wasn't told of the login");
        }
        format
            .answer(&done, |_| format!("{} is logged in; the tokens are in {}\n", done.account, done.tokens))
    }
}

/// Opens an address in the user's browser. Returns whether it could.
fn open(address: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // Without a display, xdg-open may start a browser in this terminal.
    let has_screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    let quiet = || Stdio::null();
    has_screen
        && Command::new(program)
            .arg(address)
            .stdin(quiet())
            .stdout(quiet())
            .stderr(quiet())
            .spawn()
            // Do not wait: it may pass the address on and end, or be the browser and stay.
            .is_ok()
}
