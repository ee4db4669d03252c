//! Zones, days and clock changes, for somebody in Berlin.

use super::{busy, calendar, check, event};

const NOV: (&str, &str) = ("2026-11-01", "2026-12-01");

#[track_caller]
fn one(lines: &str, expected: &str) {
    check(&event(lines), "2026-01-01", "2027-01-01", &[expected]);
}

#[test]
fn times_of_places() {
    one("DTSTART:20261117T090000Z\nDTEND:20261117T100000Z", "2026-11-17T09:00/10:00");
    one(
        "DTSTART;TZID=Europe/Berlin:20261117T090000\nDTEND;TZID=Europe/Berlin:20261117T100000",
        "2026-11-17T08:00/09:00",
    );
    one("DTSTART;TZID=Europe/Berlin:20260717T090000\nDURATION:PT1H", "2026-07-17T07:00/08:00");
    one("DTSTART;TZID=America/New_York:20261117T090000\nDURATION:PT1H", "2026-11-17T14:00/15:00");
    one("DTSTART;TZID=Asia/Kolkata:20261117T090000\nDURATION:PT1H", "2026-11-17T03:30/04:30");
    one("DTSTART;TZID=\"America/New_York\":20261117T090000\nDURATION:PT1H", "2026-11-17T14:00/15:00");
    // A flight that starts in one zone and ends in another.
    one(
        "DTSTART;TZID=Europe/Berlin:20261117T090000\nDTEND;TZID=America/New_York:20261117T120000",
        "2026-11-17T08:00/17:00",
    );
    // Without a zone, it is in the person's.
    one("DTSTART:20261117T090000\nDURATION:PT1H", "2026-11-17T08:00/09:00");
    // As Windows and Exchange write it.
    one("DTSTART;TZID=W. Europe Standard Time:20261117T090000\nDURATION:PT1H", "2026-11-17T08:00/09:00");
    one("DTSTART;TZID=Eastern Standard Time:20260717T090000\nDURATION:PT1H", "2026-07-17T13:00/14:00");
    // As some free programs write it.
    one(
        "DTSTART;TZID=/freeassociation.sourceforge.net/Europe/Berlin:20261117T090000\nDURATION:PT1H",
        "2026-11-17T08:00/09:00",
    );
}

#[test]
fn whole_days_are_the_persons() {
    one("DTSTART;VALUE=DATE:20261117", "2026-11-16T23:00/11-17T23:00");
    one("DTSTART;VALUE=DATE:20261117\nDTEND;VALUE=DATE:20261119", "2026-11-16T23:00/11-18T23:00");
    one("DTSTART;VALUE=DATE:20261117\nDTEND;VALUE=DATE:20261117", "2026-11-16T23:00/11-17T23:00");
    one("DTSTART;VALUE=DATE:20261117\nDURATION:P2D", "2026-11-16T23:00/11-18T23:00");
    // The day the clocks go forward has 23 hours, the day they go back 25.
    one("DTSTART;VALUE=DATE:20260329", "2026-03-28T23:00/03-29T22:00");
    one("DTSTART;VALUE=DATE:20261025", "2026-10-24T22:00/10-25T23:00");
    let yearly = event("DTSTART;VALUE=DATE:19900717\nRRULE:FREQ=YEARLY");
    check(&yearly, "2026-01-01", "2027-01-01", &["2026-07-16T22:00/07-17T22:00"]);
    assert!(busy(&calendar(&yearly), "2026-01-01", "2027-01-01").unwrap()[0].all_day);
    let until_a_day = event("DTSTART;VALUE=DATE:20261117\nRRULE:FREQ=DAILY;UNTIL=20261118");
    check(&until_a_day, NOV.0, NOV.1, &["2026-11-16T23:00/11-17T23:00", "2026-11-17T23:00/11-18T23:00"]);
    let except = event("DTSTART;VALUE=DATE:20261117\nRRULE:FREQ=DAILY;COUNT=2\nEXDATE;VALUE=DATE:20261117");
    check(&except, NOV.0, NOV.1, &["2026-11-17T23:00/11-18T23:00"]);
}

#[test]
fn clocks_that_change() {
    // At nine local time, before and after the change.
    let weekly =
        event("DTSTART;TZID=Europe/Berlin:20261020T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=2");
    check(&weekly, "2026-10-01", "2026-12-01", &["2026-10-20T07:00/08:00", "2026-10-27T08:00/09:00"]);
    // 02:30 does not exist on 29 March: it is an hour later local time, with the offset before the change.
    let gap = event("DTSTART;TZID=Europe/Berlin:20260328T023000\nDURATION:PT30M\nRRULE:FREQ=DAILY;COUNT=3");
    let expected = ["2026-03-28T01:30/02:00", "2026-03-29T01:30/02:00", "2026-03-30T00:30/01:00"];
    check(&gap, "2026-03-01", "2026-04-01", &expected);
    // 02:30 comes twice on 25 October; the first is meant.
    one("DTSTART;TZID=Europe/Berlin:20261025T023000\nDURATION:PT30M", "2026-10-25T00:30/01:00");
    // DTEND and hours are exact; days of a DURATION are calendar days.
    one("DTSTART;TZID=Europe/Berlin:20261024T120000\nDURATION:P1D", "2026-10-24T10:00/10-25T11:00");
    one("DTSTART;TZID=Europe/Berlin:20261024T120000\nDURATION:PT24H", "2026-10-24T10:00/10-25T10:00");
    let night = event(
        "DTSTART;TZID=Europe/Berlin:20261017T220000\nDTEND;TZID=Europe/Berlin:20261018T060000\nRRULE:FREQ=WEEKLY;COUNT=2",
    );
    check(
        &night,
        "2026-10-01",
        "2026-11-01",
        &["2026-10-17T20:00/10-18T04:00", "2026-10-24T20:00/10-25T04:00"],
    );
    // An end in UTC across a clock change: 27 October, 09:00 in Berlin, is included.
    let until = event(
        "DTSTART;TZID=Europe/Berlin:20261020T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;UNTIL=20261027T080000Z",
    );
    check(&until, "2026-10-01", "2026-12-01", &["2026-10-20T07:00/08:00", "2026-10-27T08:00/09:00"]);
    let until = event(
        "DTSTART;TZID=Europe/Berlin:20261020T090000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;UNTIL=20261027T075959Z",
    );
    check(&until, "2026-10-01", "2026-12-01", &["2026-10-20T07:00/08:00"]);
}

const OWN_ZONE: &str = "BEGIN:VTIMEZONE\nTZID:Customized Time Zone\n\
    BEGIN:STANDARD\nDTSTART:16010101T030000\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nEND:STANDARD\n\
    BEGIN:DAYLIGHT\nDTSTART:16010101T020000\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nEND:DAYLIGHT\n\
    END:VTIMEZONE\n";

#[track_caller]
fn check_zone(zone: &str, lines: &str, expected: &str) {
    check(&format!("{zone}{}", event(lines)), "2026-01-01", "2027-01-01", &[expected]);
}

#[test]
fn zones_a_calendar_defines() {
    let at = |civil: &str| format!("DTSTART;TZID=Customized Time Zone:{civil}\nDURATION:PT30M");
    check_zone(OWN_ZONE, &at("20261117T090000"), "2026-11-17T08:00/08:30");
    check_zone(OWN_ZONE, &at("20260717T090000"), "2026-07-17T07:00/07:30");
    // Around the changes it behaves like a known zone.
    check_zone(OWN_ZONE, &at("20260329T013000"), "2026-03-29T00:30/01:00");
    check_zone(OWN_ZONE, &at("20260329T023000"), "2026-03-29T01:30/02:00");
    check_zone(OWN_ZONE, &at("20260329T030000"), "2026-03-29T01:00/01:30");
    check_zone(OWN_ZONE, &at("20261025T023000"), "2026-10-25T00:30/01:00");
    check_zone(OWN_ZONE, &at("20261025T030000"), "2026-10-25T02:00/02:30");

    let fixed = "BEGIN:VTIMEZONE\nTZID:Ship\nBEGIN:STANDARD\nDTSTART:19700101T000000\nTZOFFSETFROM:+0545\nTZOFFSETTO:+0545\nEND:STANDARD\nEND:VTIMEZONE\n";
    check_zone(fixed, "DTSTART;TZID=Ship:20261117T090000\nDURATION:PT30M", "2026-11-17T03:15/03:45");

    // A zone where one rule ended and another began.
    let ended = OWN_ZONE.replace(
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
        "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3;UNTIL=20200329T010000Z",
    );
    check_zone(&ended, &at("20260717T090000"), "2026-07-17T08:00/08:30");
    let dated = "BEGIN:VTIMEZONE\nTZID:Island\n\
        BEGIN:STANDARD\nDTSTART:20000101T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0000\nEND:STANDARD\n\
        BEGIN:DAYLIGHT\nDTSTART:20250601T000000\nRDATE:20260601T000000\nTZOFFSETFROM:+0000\nTZOFFSETTO:+0300\nEND:DAYLIGHT\n\
        END:VTIMEZONE\n";
    check_zone(dated, "DTSTART;TZID=Island:20260531T090000\nDURATION:PT30M", "2026-05-31T06:00/06:30");
}

#[test]
fn a_known_name_means_the_known_zone() {
    let wrong = OWN_ZONE.replace("Customized Time Zone", "Asia/Tokyo");
    check_zone(&wrong, "DTSTART;TZID=Asia/Tokyo:20261117T090000\nDURATION:PT30M", "2026-11-17T00:00/00:30");
}

#[test]
fn what_reaches_into_a_window_is_in_it() {
    let long = event("DTSTART:20261110T090000Z\nDTEND:20261120T090000Z");
    check(&long, "2026-11-17", "2026-11-18", &["2026-11-10T09:00/11-20T09:00"]);
    let weeks = event("DTSTART:20261101T090000Z\nDURATION:P10D\nRRULE:FREQ=WEEKLY;COUNT=2");
    check(&weeks, "2026-11-17", "2026-11-18", &["2026-11-08T09:00/11-18T09:00"]);
    let hour = event("DTSTART:20261117T090000Z\nDURATION:PT1H");
    check(&hour, "2026-11-17T10:00:00", "2026-11-17T11:00:00", &[]);
    check(&hour, "2026-11-17T08:00:00", "2026-11-17T09:00:00", &[]);
    check(&hour, "2026-11-17T09:59:59", "2026-11-17T11:00:00", &["2026-11-17T09:00/10:00"]);
    let moment = event("DTSTART:20261117T090000Z");
    check(&moment, "2026-11-17T09:00:00", "2026-11-17T10:00:00", &["2026-11-17T09:00/09:00"]);
}
