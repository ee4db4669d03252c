//! Mail, rules, calendars and policies: what they mean, and what is refused.

use super::*;
use crate::config::FiledBy;

const HOME: &str = r#"
[user]
address = "ada@example.org"
[[mail]]
name = "home"
path = "~/Mail"
folders = ["Work", "~/Lists"]
aliases = ["a@example.org"]
handled.done = "folder:Archive"
[mail.outgoing]
kind = "maildir"
path = "out"
[[mail]]
name = "work"
path = "/mail/work"
drafts = "drafts"
address = "ada@work.example"
mode = "observe"
handled = { done = "label:sayso", ignored = "seen" }
outgoing = { kind = "command", command = ["~/bin/send", "-q"], sent = "sent" }
[[rule]]
list = "*.news.test"
class = "ignore"
[[rule]]
from = "*@b.example"
account = "work"
class = "respond"
[calendar]
path = "cal.ics"
[intake]
first_days = 7
unread_only = "off"
[learning]
delay_seconds = 0
[policy.write_email]
mode = "allow"
recipients = ["own_domain", "thread"]
"#;

#[test]
fn mail_is_meant_as_written() {
    let config = resolve(HOME);
    let [home, work] = config.mail.as_slice() else { panic!("{:?}", config.mail) };
    assert_eq!(home.address, "ada@example.org");
    assert_eq!(
        home.source,
        MailSource::Maildir {
            path: "/home/ada/Mail".into(),
            folders: vec!["Work".into(), "/home/ada/Lists".into()],
            drafts: None,
            sent: None,
        }
    );
    assert_eq!(home.handled_done, AfterHandling::Folder("Archive".into()));
    assert_eq!((home.handled_ignored.clone(), home.mode), (AfterHandling::None, MailMode::Act));
    assert_eq!(home.outgoing, Some(MailOutgoing::Maildir { path: "/x/out".into() }));
    assert_eq!((work.name.as_str(), work.mode), ("work", MailMode::Observe));
    assert_eq!(work.handled_done, AfterHandling::Label("sayso".into()));
    assert_eq!(work.handled_ignored, AfterHandling::Seen);
    let command = vec!["/home/ada/bin/send".to_owned(), "-q".to_owned()];
    assert_eq!(
        work.outgoing,
        Some(MailOutgoing::Command { command, sent: Some("/x/sent".into()), filed_by: FiledBy::Auto })
    );
    assert_eq!(config.rules.len(), 2);
    assert_eq!(config.rules[1].class, RuleClass::Respond);
    assert_eq!(config.calendar, Some(Calendar::Ics { path: "/x/cal.ics".into() }));
    assert_eq!((config.intake.first_days, config.intake.unread_only), (7, false));
    assert_eq!(config.learning.delay, Duration::ZERO);
    let recipients = vec![Reach::OwnDomain, Reach::Thread];
    let policy = Policy { mode: PolicyMode::Allow, recipients, expire: None };
    assert_eq!(config.policies["write_email"], policy);
    for (key, value) in [
        ("mail.1.path", "~/Mail"),
        ("mail.1.outgoing.path", "out"),
        ("mail.2.handled.done", "label:sayso"),
        ("rule.2.from", "*@b.example"),
    ] {
        assert_eq!(shown(HOME, &inputs(), key), value, "{key}");
    }
}

#[test]
fn servers_are_meant_as_written() {
    let text = r#"
[[mail]]
name = "club"
kind = "imap"
host = "imap.example.org"
address = "ada@example.org"
password_command = "pass show club"
sent = "Gesendet"
[mail.outgoing]
kind = "smtp"
host = "smtp.example.org"
tls = "starttls"
[[mail]]
name = "own"
kind = "imap"
host = "localhost"
port = 1143
tls = "starttls"
user = "ada"
token_command = "token"
ca_file = "~/ca.pem"
address = "ada@own.example"
outgoing = { kind = "smtp", host = "localhost", user = "eve", password_file = "secret" }
"#;
    let config = resolve(text);
    let [club, own] = config.mail.as_slice() else { panic!("{:?}", config.mail) };
    let server = MailServer {
        host: "imap.example.org".into(),
        port: 993,
        tls: MailTls::Tls,
        user: "ada@example.org".into(),
        login: MailLogin::Password(Secret::Command("pass show club".into())),
        ca_file: None,
        tls_pin: None,
    };
    let imap = |server: &MailServer, sent: Option<&str>| MailSource::Imap {
        server: server.clone(),
        folders: Vec::new(),
        drafts: None,
        sent: sent.map(str::to_owned),
    };
    assert_eq!(club.source, imap(&server, Some("Gesendet")));
    // The same login, another host and its default port.
    let tls = MailTls::Starttls;
    let smtp = MailServer { host: "smtp.example.org".into(), port: 587, tls, ..server.clone() };
    assert_eq!(club.outgoing, Some(MailOutgoing::Smtp { server: smtp, filed_by: FiledBy::Auto }));
    let token = MailServer {
        host: "localhost".into(),
        port: 1143,
        tls,
        user: "ada".into(),
        login: MailLogin::Token(Secret::Command("token".into())),
        ca_file: Some("/home/ada/ca.pem".into()),
        tls_pin: None,
    };
    assert_eq!(own.source, imap(&token, None));
    let login = MailLogin::Password(Secret::File("/x/secret".into()));
    let smtp = MailServer { port: 465, tls: MailTls::Tls, user: "eve".into(), login, ca_file: None, ..token };
    assert_eq!(own.outgoing, Some(MailOutgoing::Smtp { server: smtp, filed_by: FiledBy::Auto }));
    assert_eq!(shown(text, &inputs(), "mail.1.password_command"), "command pass …");
}

#[test]
fn a_login_at_google_is_for_reading_sending_and_the_calendar() {
    let text = r#"
[google]
client_id = "client"
client_secret_env = "CLIENT_SECRET"
[[mail]]
name = "ada"
kind = "imap"
host = "imap.gmail.com"
login = "google"
address = "ada@gmail.com"
outgoing = { kind = "smtp", host = "smtp.gmail.com" }
[calendar]
kind = "google"
"#;
    let config = resolve(text);
    let [mail] = config.mail.as_slice() else { panic!("{:?}", config.mail) };
    let MailSource::Imap { server, .. } = &mail.source else { panic!() };
    let MailLogin::Google(google) = &server.login else { panic!("{server:?}") };
    assert_eq!((google.account.as_str(), google.client_id.as_str()), ("ada", "client"));
    let Some(MailOutgoing::Smtp { server: smtp, .. }) = &mail.outgoing else { panic!() };
    assert_eq!((&smtp.login, smtp.port, smtp.user.as_str()), (&server.login, 465, "ada@gmail.com"));
    let calendar = Calendar::Google { google: (**google).clone(), calendar: "primary".into() };
    assert_eq!(config.calendar, Some(calendar));
}

#[test]
fn without_a_word_there_is_no_mail() {
    let config = resolve("");
    assert!(config.mail.is_empty() && config.rules.is_empty() && config.policies.is_empty());
    assert_eq!(config.calendar, None);
    let intake =
        Intake { first_days: 1, first_limit: 200, ask_over: 50, every_seconds: 60, unread_only: true };
    assert_eq!(config.intake, intake);
    assert_eq!(config.learning.delay, Duration::from_secs(20));
    assert!(config.user.quote && config.user.signature.is_empty());
    assert_eq!(config.user.addresses().count(), 0);
}

#[test]
fn many_accounts_keep_their_order() {
    let text: String = (0..12)
        .map(|n| format!("[[mail]]\nname = \"m{n}\"\npath = \"/m\"\naddress = \"a@b.example\"\n"))
        .collect();
    let names: Vec<_> = resolve(&text).mail.into_iter().map(|mail| mail.name).collect();
    assert_eq!(names, (0..12).map(|n| format!("m{n}")).collect::<Vec<_>>());
}

#[test]
fn a_program_that_sends_is_not_told_to_read_the_recipients() {
    let account = "[[mail]]\nname = \"home\"\npath = \"/m\"\naddress = \"a@b.example\"\n";
    let with =
        |words: &[&str]| format!("{account}outgoing = {{ kind = \"command\", command = {words:?} }}\n");
    for bad in [&["msmtp", "-t"], &["sendmail", "-ti"], &["msmtp", "--read-recipients"]] {
        let error = resolve_with(&with(bad), &inputs()).unwrap_err().to_string();
        let why = format!("mail.1.outgoing.command at /x/config.toml:5 has {}; leave it out", bad[1]);
        assert!(error.contains(&why), "{error}");
    }
    for good in [&["msmtp"][..], &["msmtp", "-a", "t"], &["sendmail", "-i"], &["t", "--tls=on"]] {
        assert!(resolve(&with(good)).mail[0].outgoing.is_some(), "{good:?}");
    }
}

#[test]
fn mail_that_cannot_be_meant_is_refused() {
    let account = "[[mail]]\nname = \"home\"\npath = \"/m\"\naddress = \"a@b.example\"\n";
    let with = |more: &str| format!("{account}{more}");
    let imap = |more: &str| {
        let host = if more.starts_with("host") { "" } else { "\nhost = \"x\"" };
        let base = "[[mail]]\nname = \"home\"\nkind = \"imap\"\naddress = \"a@b.example\"\npassword_env = \"PASSWORD\"\n";
        format!("{base}{more}{host}")
    };
    for (text, expected) in [
        (
            "[mail]\nname = \"x\"".to_owned(),
            "mail at /x/config.toml:1 must be a list of sections, each under [[mail]], not a section",
        ),
        ("mail = [3]".to_owned(), "mail.1 at /x/config.toml:1 must be a section, not a whole number"),
        (
            with("[mail.outgoing]\nknd = \"maildir\""),
            "unknown key \"knd\" in [mail.outgoing] at /x/config.toml:6; did you mean \"kind\"?",
        ),
        (with("handled = \"seen\""), "mail.1.handled at /x/config.toml:5 must be a section, not a string"),
        (with("mode = 3"), "mail.1.mode at /x/config.toml:5 must be a string, not a whole number"),
        (
            with("handled.done = \"gone\""),
            "mail.1.handled.done at /x/config.toml:5 cannot be \"gone\"; choose seen, label:NAME, folder:NAME or none",
        ),
        (with("kind = \"imapp\""), "mail.1.kind at /x/config.toml:5 cannot be \"imapp\""),
        (
            "[[mail]]\nname = \"home\"".to_owned(),
            "[[mail]] at /x/config.toml:1 needs address; write the address mail is sent from, here or in [user]",
        ),
        ("[[mail]]\npath = \"/m\"".to_owned(), "[[mail]] at /x/config.toml:1 needs name"),
        (with(account), "mail.2.name at /x/config.toml:6 is taken already"),
        (with("aliases = [\"a b@c\"]"), "mail.1.aliases.1 at /x/config.toml:5 must be a bare address"),
        (
            "[user]\naddress = \"Ada <a@b>\"".to_owned(),
            "user.address at /x/config.toml:2 must be a bare address",
        ),
        (
            with("outgoing = { path = \"/o\" }"),
            "[mail.outgoing] at /x/config.toml:5 needs kind; write maildir, command or smtp",
        ),
        (
            with("outgoing = { kind = \"command\", path = \"/o\" }"),
            "mail.1.outgoing.path at /x/config.toml:5 means nothing for kind \"command\"; leave it out",
        ),
        (
            with("outgoing = { kind = \"command\", command = [] }"),
            "[mail.outgoing] at /x/config.toml:5 needs command; write it such as [\"msmtp\"]",
        ),
        (
            with("outgoing = { kind = \"command\", command = [\"\", \"msmtp\"] }"),
            "[mail.outgoing] at /x/config.toml:5 needs command; write it such as [\"msmtp\"]",
        ),
        (
            "[[rule]]\nclass = \"ignore\"".to_owned(),
            "[[rule]] at /x/config.toml:1 needs from; write what mail it is for",
        ),
        ("[[rule]]\nfrom = \"*\"".to_owned(), "[[rule]] at /x/config.toml:1 needs class"),
        (
            with("[[rule]]\naccount = \"hom\"\nclass = \"ignore\""),
            "rule.1.account at /x/config.toml:6 names no account; did you mean \"home\"?",
        ),
        (
            "[policy.write_email]\nrecipients = [\"threads\"]".to_owned(),
            "policy.write_email.recipients.1 at /x/config.toml:2 cannot be \"threads\"; did you mean \"thread\"?",
        ),
        (
            with("password = \"x\""),
            "would keep a secret in the file; write where it is kept: password_env, password_command, password_file",
        ),
        (
            with("host = \"x\""),
            "mail.1.host at /x/config.toml:5 means nothing for kind \"maildir\"; leave it out, or change the kind",
        ),
        (
            with("outgoing = { kind = \"smtp\" }"),
            "[mail.outgoing] at /x/config.toml:5 needs host; write the server's name",
        ),
        (
            with("outgoing = { kind = \"smtp\", host = \"x\" }"),
            "[mail.outgoing] at /x/config.toml:5 needs password_command; say where the password is kept",
        ),
        (
            with("outgoing = { kind = \"smtp\", host = \"x\", path = \"/o\" }"),
            "mail.1.outgoing.path at /x/config.toml:5 means nothing for kind \"smtp\"",
        ),
        (
            with("outgoing = { kind = \"maildir\", path = \"/o\", host = \"x\" }"),
            "mail.1.outgoing.host at /x/config.toml:5 means nothing for kind \"maildir\"",
        ),
        (
            with(&account.replace("home", "work").replace("address", "adress")),
            "unknown key \"adress\" in [[mail]] at /x/config.toml:8; did you mean \"address\"?",
        ),
        (
            with(&account.replace("home", "work").replace("path", "hosst")),
            "unknown key \"hosst\" in [[mail]] at /x/config.toml:7; did you mean \"host\"?",
        ),
        (imap("path = \"/m\""), "mail.1.path at /x/config.toml:6 means nothing for kind \"imap\""),
        (imap("host = \"https://x\""), "mail.1.host at /x/config.toml:6 must be a server's name alone"),
        (imap("port = 70000"), "mail.1.port at /x/config.toml:6"),
        (imap("tls = \"none\""), "mail.1.tls at /x/config.toml:6 cannot be \"none\""),
        (imap("tls_pin = \"ab\""), "mail.1.tls_pin at /x/config.toml:6 must be the SHA-256 of a certificate"),
        (
            imap("token_command = \"y\""),
            "mail.1.token_command at /x/config.toml:6 says the same as password_env; keep one of them",
        ),
        (
            imap("login = \"google\"\n[google]\nclient_id = \"x\"")
                .replace("\nhost = \"x\"", "")
                .replace("kind =", "host = \"x\"\nkind ="),
            "mail.1.login at /x/config.toml:7 says the same as password_env; keep one of them",
        ),
        (
            imap("").replace("password_env = \"PASSWORD\"", "login = \"google\""),
            "needs client_id; write the id of an OAuth client of your own",
        ),
        (
            imap("").replace("\"PASSWORD\"", "\"hunter2\""),
            "mail.1.password_env at /x/config.toml:5 must be the name of an environment variable",
        ),
    ] {
        let error = resolve_with(&text, &inputs()).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}
