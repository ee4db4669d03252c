//! Recurrences: each row is a rule and its instants, worked out by hand from the standard and a wall calendar.

use super::{check, event};

/// Expected days of a rule for one hour at 09:00 UTC.
#[track_caller]
fn days(rule: &str, start: &str, from: &str, until: &str, expected: &[&str]) {
    let lines = format!("DTSTART:{start}T090000Z\nDURATION:PT1H\n{rule}");
    let expected: Vec<String> = expected.iter().map(|day| format!("{day}T09:00/10:00")).collect();
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    check(&event(&lines), from, until, &expected);
}

#[test]
fn daily() {
    let (from, until) = ("2026-11-01", "2026-12-01");
    days("RRULE:FREQ=DAILY;COUNT=3", "20261117", from, until, &["2026-11-17", "2026-11-18", "2026-11-19"]);
    days(
        "RRULE:FREQ=DAILY;INTERVAL=10",
        "20261102",
        from,
        until,
        &["2026-11-02", "2026-11-12", "2026-11-22"],
    );
    let until_is_inclusive = "RRULE:FREQ=DAILY;UNTIL=20261104T090000Z";
    days(until_is_inclusive, "20261102", from, until, &["2026-11-02", "2026-11-03", "2026-11-04"]);
    let until_just_before = "RRULE:FREQ=DAILY;UNTIL=20261104T085959Z";
    days(until_just_before, "20261102", from, until, &["2026-11-02", "2026-11-03"]);
    // If the end is a date, the whole day counts.
    days("RRULE:FREQ=DAILY;UNTIL=20261103", "20261102", from, until, &["2026-11-02", "2026-11-03"]);
    let weekdays = "RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR";
    days(weekdays, "20200101", "2026-11-13", "2026-11-18", &["2026-11-13", "2026-11-16", "2026-11-17"]);
    days("RRULE:FREQ=DAILY;BYMONTH=1", "20200101", "2026-11-13", "2027-01-03", &["2027-01-01", "2027-01-02"]);
    // A rule that began long ago is found at once.
    days("RRULE:FREQ=DAILY", "19700101", "2026-11-17", "2026-11-18", &["2026-11-17"]);
    // A rule that ended by its count is over.
    days("RRULE:FREQ=DAILY;COUNT=5", "20200101", from, until, &[]);
}

#[test]
fn weekly() {
    let (from, until) = ("2026-11-01", "2026-12-01");
    let tuesdays = &["2026-11-03", "2026-11-10", "2026-11-17", "2026-11-24"];
    days("RRULE:FREQ=WEEKLY", "20261103", from, until, tuesdays);
    days("RRULE:FREQ=WEEKLY;BYDAY=TU", "20200107", from, until, tuesdays);
    let two = "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH";
    days(two, "20261103", from, until, &["2026-11-03", "2026-11-05", "2026-11-17", "2026-11-19"]);
    // The standard's example of why the first day of the week matters.
    let by_monday = "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO";
    days(
        by_monday,
        "19970805",
        "1997-08-01",
        "1997-10-01",
        &["1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24"],
    );
    let by_sunday = "RRULE:FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU";
    days(
        by_sunday,
        "19970805",
        "1997-08-01",
        "1997-10-01",
        &["1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31"],
    );
    // The start counts even if the rule does not name it.
    let odd_start = "RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=2";
    days(odd_start, "20261103", from, until, &["2026-11-03", "2026-11-06", "2026-11-13"]);
}

#[test]
fn monthly() {
    let (from, until) = ("2026-10-01", "2027-04-01");
    let thirty_first = &["2026-10-31", "2026-12-31", "2027-01-31", "2027-03-31"];
    days("RRULE:FREQ=MONTHLY", "20261031", from, until, thirty_first);
    let last_day = "RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=5";
    days(
        last_day,
        "20261031",
        from,
        until,
        &["2026-10-31", "2026-11-30", "2026-12-31", "2027-01-31", "2027-02-28"],
    );
    let last_friday = "RRULE:FREQ=MONTHLY;BYDAY=-1FR;COUNT=3";
    days(last_friday, "20261030", from, until, &["2026-10-30", "2026-11-27", "2026-12-25"]);
    let second_tuesday = "RRULE:FREQ=MONTHLY;BYDAY=2TU;COUNT=3";
    days(second_tuesday, "20261013", from, until, &["2026-10-13", "2026-11-10", "2026-12-08"]);
    let last_workday = "RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3";
    days(last_workday, "20261030", from, until, &["2026-10-30", "2026-11-30", "2026-12-31"]);
    let first_and_third = "RRULE:FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,3;UNTIL=20261231T000000Z";
    days(first_and_third, "20261102", from, until, &["2026-11-02", "2026-11-16", "2026-12-07", "2026-12-21"]);
    let friday_the_13th = "RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13";
    days(friday_the_13th, "20261113", "2026-11-01", "2027-09-01", &["2026-11-13", "2027-08-13"]);
    days("RRULE:FREQ=MONTHLY;INTERVAL=6", "20200115", from, until, &["2027-01-15"]);
    // Not every month has a fifth Monday.
    days("RRULE:FREQ=MONTHLY;BYDAY=5MO", "20261130", from, until, &["2026-11-30", "2027-03-29"]);
}

#[test]
fn yearly() {
    days(
        "RRULE:FREQ=YEARLY",
        "20240229",
        "2024-01-01",
        "2033-01-01",
        &["2024-02-29", "2028-02-29", "2032-02-29"],
    );
    let thanksgiving = "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH";
    days(thanksgiving, "20201126", "2025-01-01", "2027-01-01", &["2025-11-27", "2026-11-26"]);
    let hundredth = "RRULE:FREQ=YEARLY;BYYEARDAY=1,100,-1";
    days(hundredth, "20280101", "2028-01-01", "2029-01-01", &["2028-01-01", "2028-04-09", "2028-12-31"]);
    let week_twenty = "RRULE:FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO";
    days(week_twenty, "19970512", "1997-01-01", "2000-01-01", &["1997-05-12", "1998-05-11", "1999-05-17"]);
    let twentieth_monday = "RRULE:FREQ=YEARLY;BYDAY=20MO";
    days(
        twentieth_monday,
        "19970519",
        "1997-01-01",
        "2000-01-01",
        &["1997-05-19", "1998-05-18", "1999-05-17"],
    );
    let last_sunday_of_march = "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3";
    days(last_sunday_of_march, "19810329", "2026-01-01", "2028-01-01", &["2026-03-29", "2027-03-28"]);
    // A day that never comes: only the start remains.
    let never = "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30";
    days(never, "20260228", "2026-01-01", "2100-01-01", &["2026-02-28"]);
}

#[test]
fn by_the_hour() {
    let every_three = event(
        "DTSTART:20261117T090000Z\nDURATION:PT10M\nRRULE:FREQ=HOURLY;INTERVAL=3;UNTIL=20261117T170000Z",
    );
    let times = ["2026-11-17T09:00/09:10", "2026-11-17T12:00/12:10", "2026-11-17T15:00/15:10"];
    check(&every_three, "2026-11-01", "2026-12-01", &times);
    let half_hours =
        event("DTSTART:20261117T090000Z\nDURATION:PT5M\nRRULE:FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,30;COUNT=3");
    let times = ["2026-11-17T09:00/09:05", "2026-11-17T09:30/09:35", "2026-11-17T10:00/10:05"];
    check(&half_hours, "2026-11-01", "2026-12-01", &times);
    let minutes =
        event("DTSTART:20200101T090000Z\nDURATION:PT1M\nRRULE:FREQ=MINUTELY;INTERVAL=20;BYDAY=TU;BYHOUR=9");
    let times = ["2026-11-17T09:00/09:01", "2026-11-17T09:20/09:21", "2026-11-17T09:40/09:41"];
    check(&minutes, "2026-11-15", "2026-11-20", &times);
}

#[test]
fn dates_added_and_taken_out() {
    let (from, until) = ("2026-11-01", "2026-12-01");
    let rule = "RRULE:FREQ=WEEKLY;COUNT=4";
    days(
        &format!("{rule}\nEXDATE:20261110T090000Z,20261117T090000Z"),
        "20261103",
        from,
        until,
        &["2026-11-03", "2026-11-24"],
    );
    days(
        &format!("{rule}\nEXDATE;VALUE=DATE:20261110"),
        "20261103",
        from,
        until,
        &["2026-11-03", "2026-11-17", "2026-11-24"],
    );
    // An exception in another zone is the same instant.
    days(
        &format!("{rule}\nEXDATE;TZID=Europe/Berlin:20261110T100000"),
        "20261103",
        from,
        until,
        &["2026-11-03", "2026-11-17", "2026-11-24"],
    );
    // An exception that names no occurrence removes nothing.
    days(
        "RRULE:FREQ=WEEKLY;COUNT=2\nEXDATE:20261110T093000Z",
        "20261103",
        from,
        until,
        &["2026-11-03", "2026-11-10"],
    );
    // The first can be removed like any other.
    days("RRULE:FREQ=WEEKLY;COUNT=2\nEXDATE:20261103T090000Z", "20261103", from, until, &["2026-11-10"]);
    days(
        "RDATE:20261105T090000Z,20261107T090000Z",
        "20261103",
        from,
        until,
        &["2026-11-03", "2026-11-05", "2026-11-07"],
    );
    // The same time twice counts once.
    days("RDATE:20261103T090000Z\nRRULE:FREQ=DAILY;COUNT=1", "20261103", from, until, &["2026-11-03"]);
    let periods = event(
        "DTSTART:20261103T090000Z\nDURATION:PT1H\nRDATE;VALUE=PERIOD:20261105T100000Z/PT30M,20261106T100000Z/20261106T120000Z",
    );
    check(
        &periods,
        from,
        until,
        &["2026-11-03T09:00/10:00", "2026-11-05T10:00/10:30", "2026-11-06T10:00/12:00"],
    );
}

#[test]
fn occurrences_that_were_changed() {
    let series =
        event("DTSTART;TZID=Europe/Berlin:20261103T100000\nDURATION:PT1H\nRRULE:FREQ=WEEKLY;COUNT=3");
    let (from, until) = ("2026-11-01", "2026-12-01");
    let all = ["2026-11-03T09:00/10:00", "2026-11-10T09:00/10:00", "2026-11-17T09:00/10:00"];
    check(&series, from, until, &all);

    let moved = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20261110T100000\nDTSTART;TZID=Europe/Berlin:20261111T140000\nDURATION:PT2H\nSEQUENCE:3",
    );
    let expected = ["2026-11-03T09:00/10:00", "2026-11-11T13:00/15:00", "2026-11-17T09:00/10:00"];
    check(&format!("{series}{moved}"), from, until, &expected);
    // Neither the order in the file matters, nor the zone that names the occurrence.
    let by_utc =
        moved.replace("RECURRENCE-ID;TZID=Europe/Berlin:20261110T100000", "RECURRENCE-ID:20261110T090000Z");
    check(&format!("{by_utc}{series}"), from, until, &expected);
    // Only the window counts: an occurrence moved in appears, one moved out does not.
    check(&format!("{series}{moved}"), "2026-11-10", "2026-11-11", &[]);
    check(&format!("{series}{moved}"), "2026-11-11", "2026-11-12", &["2026-11-11T13:00/15:00"]);

    let cancelled = event(
        "RECURRENCE-ID;TZID=Europe/Berlin:20261110T100000\nDTSTART;TZID=Europe/Berlin:20261110T100000\nDURATION:PT1H\nSTATUS:CANCELLED",
    );
    check(
        &format!("{series}{cancelled}"),
        from,
        until,
        &["2026-11-03T09:00/10:00", "2026-11-17T09:00/10:00"],
    );
    // Another event's change does not touch this one.
    let other = moved.replace("UID:one@test", "UID:two@test");
    check(&format!("{series}{other}"), from, until, &[all[0], all[1], "2026-11-11T13:00/15:00", all[2]]);
    // The later of two changes wins.
    let again = moved.replace("20261111T140000", "20261112T140000").replace("SEQUENCE:3", "SEQUENCE:4");
    check(&format!("{series}{again}{moved}"), from, until, &[all[0], "2026-11-12T13:00/15:00", all[2]]);

    let onwards = event(
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261110T100000\nDTSTART;TZID=Europe/Berlin:20261110T113000\nDURATION:PT30M",
    );
    check(
        &format!("{series}{onwards}"),
        from,
        until,
        &[all[0], "2026-11-10T10:30/11:00", "2026-11-17T10:30/11:00"],
    );
}

#[test]
fn what_takes_no_time() {
    let (from, until) = ("2026-11-01", "2026-12-01");
    let base = "DTSTART:20261117T090000Z\nDURATION:PT1H";
    check(&event(base), from, until, &["2026-11-17T09:00/10:00"]);
    check(&event(&format!("{base}\nTRANSP:TRANSPARENT")), from, until, &[]);
    check(&event(&format!("{base}\nTRANSP:OPAQUE")), from, until, &["2026-11-17T09:00/10:00"]);
    check(&event(&format!("{base}\nSTATUS:CANCELLED")), from, until, &[]);
    // A tentative event may take place, so it takes time.
    check(&event(&format!("{base}\nSTATUS:TENTATIVE")), from, until, &["2026-11-17T09:00/10:00"]);
    check("BEGIN:VTODO\nUID:t\nDUE:20261117T090000Z\nEND:VTODO\n", from, until, &[]);
}
