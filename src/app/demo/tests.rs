//! The demo is laid out completely, once, dated this week, and never over other files.

use super::*;
use crate::app::is_demo;
use crate::config::{Config, Env, Flags, Host, Inputs};

fn zone() -> TimeZone {
    TimeZone::get("Europe/Amsterdam").unwrap()
}

fn now() -> Timestamp {
    "2026-11-12T10:00:00Z".parse().unwrap()
}

fn lay(folder: &Path, reset: bool) -> Result<bool, DemoError> {
    lay_out_demo(folder, now(), &zone(), reset)
}

#[test]
fn it_is_laid_out_once_and_again_on_demand() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("demo");
    assert!(!is_demo(&folder));
    assert!(lay(&folder, false).unwrap());
    assert!(is_demo(&folder));
    let mail = folder.join("mail/inbox/new/01-hub-drawings.demo");
    fs::remove_file(&mail).unwrap();
    fs::write(folder.join("mine.txt"), "mine").unwrap();
    assert!(!lay(&folder, false).unwrap(), "it was there already");
    assert!(!mail.exists());
    assert!(lay(&folder, true).unwrap());
    assert!(mail.exists());
    assert_eq!(fs::read_to_string(folder.join("mine.txt")).unwrap(), "mine");
}

#[test]
fn an_interrupted_layout_is_begun_anew() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(DEMO_MARKER), MARKER_BEGUN).unwrap();
    assert!(lay(home.path(), false).unwrap());
}

#[test]
fn a_folder_of_somebody_is_not_touched() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("letter.txt"), "Dear").unwrap();
    for reset in [false, true] {
        assert!(matches!(lay(home.path(), reset), Err(DemoError::Foreign(_))));
    }
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
    assert!(matches!(lay(&home.path().join("letter.txt"), false), Err(DemoError::Foreign(_))));
}

#[test]
fn its_dates_are_of_this_week_and_its_config_is_read() {
    let home = tempfile::tempdir().unwrap();
    lay(home.path(), false).unwrap();
    let mut count = 0;
    for part in ["mail/inbox/new", "mail/inbox/cur", "mail/sent/cur"] {
        for entry in fs::read_dir(home.path().join(part)).unwrap() {
            let path = entry.unwrap().path();
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains("{{"), "{}", path.display());
            let date = text.lines().find_map(|line| line.strip_prefix("Date: ")).unwrap();
            let date = jiff::fmt::rfc2822::parse(date).unwrap().timestamp();
            let age = now().duration_since(date).as_hours();
            // Mail that was read long ago is older than the first look goes back.
            let old = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('r'));
            assert!((0..7 * 24).contains(&age) != old, "{}: {age} h", path.display());
            assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), date.into());
            count += 1;
        }
    }
    assert!(count >= 25);
    assert!(!fs::read_to_string(home.path().join("calendar.ics")).unwrap().contains("{{"));
    let host = Host { working_dir: home.path().into(), time_zone: zone(), ..Host::system() };
    let flags = Flags { data: Some(home.path().into()), ..Flags::default() };
    let config = Config::load(&Inputs { flags, env: Env::default(), host }).unwrap();
    assert_eq!(config.user.name, "Noor Haddad");
}

/// Every mail that reaches triage has a written answer, and none is written for a mail that isn't there.
#[test]
fn every_mail_has_its_answer() {
    let home = tempfile::tempdir().unwrap();
    lay(home.path(), false).unwrap();
    let tour = demo_tour(home.path(), &zone());
    for step in tour {
        if let TourGoal::LookAtSkipped(delivery) = step.goal {
            delivery.deliver(now()).unwrap();
        }
    }
    let mut mails: Vec<(String, String)> = fs::read_dir(home.path().join("mail/inbox/new"))
        .unwrap()
        .map(|entry| crate::mail::parse(&fs::read(entry.unwrap().path()).unwrap()).unwrap())
        .map(|mail| (mail.from.address.clone(), mail.subject.clone()))
        .collect();
    let mut written = Script::open(home.path()).unwrap().mails();
    mails.sort();
    written.sort();
    assert_eq!(mails, written);
    let script = fs::read_to_string(home.path().join("script.toml")).unwrap();
    assert!(!script.contains("{{"), "every date is filled in");
}
