//! `date-time`, `date`, `time` and `duration` (RFC 3339, section 5.6 and appendix A).

use super::cursor::{Cursor, DIGIT};

/// `date-time`: a date, a `T` in either case, a time. The ABNF has no room for a space there.
pub(super) fn date_time(at: &mut Cursor<'_>) -> bool {
    date(at) && (at.take(b'T') || at.take(b't')) && time(at)
}

/// `full-date`, the day checked against the month and the (proleptic Gregorian) year.
pub(super) fn date(at: &mut Cursor<'_>) -> bool {
    let Some(year) = at.number(4) else { return false };
    let Some(month) = field(at, b'-') else { return false };
    let Some(day) = field(at, b'-') else { return false };
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    day >= 1 && day <= days
}

/// `full-time`: the offset is required.
pub(super) fn time(at: &mut Cursor<'_>) -> bool {
    let Some(hour) = at.number(2) else { return false };
    let Some(minute) = field(at, b':') else { return false };
    let Some(second) = field(at, b':') else { return false };
    if at.take(b'.') && at.skip(DIGIT) == 0 {
        return false;
    }
    let Some(offset) = offset(at) else { return false };
    if hour > 23 || minute > 59 {
        return false;
    }
    // A leap second is the last one of a day in UTC (section 5.7). Which days had one is not asked.
    let utc = (hour * 60 + minute + offset) % DAY;
    second < 60 || second == 60 && utc == DAY - 1
}

/// `duration` of appendix A: units in order and without a gap, weeks alone, no fractions.
pub(super) fn duration(at: &mut Cursor<'_>) -> bool {
    if !at.take(b'P') {
        return false;
    }
    let (count, complete) = units(at, b"YMD");
    if !complete {
        return count == 0 && at.take(b'W');
    }
    if at.take(b'T') {
        let (count, complete) = units(at, b"HMS");
        return complete && count > 0;
    }
    count > 0
}

const DAY: u32 = 24 * 60;

/// `separator` and two digits.
fn field(at: &mut Cursor<'_>, separator: u8) -> Option<u32> {
    if at.take(separator) { at.number(2) } else { None }
}

/// `time-offset`, as the minutes to add to reach UTC, modulo a day.
fn offset(at: &mut Cursor<'_>) -> Option<u32> {
    if at.take(b'Z') || at.take(b'z') {
        return Some(0);
    }
    let ahead = at.take(b'+');
    if !ahead && !at.take(b'-') {
        return None;
    }
    let hour = at.number(2)?;
    let minute = field(at, b':')?;
    if hour > 23 || minute > 59 {
        return None;
    }
    let minutes = hour * 60 + minute;
    Some(if ahead { DAY - minutes } else { minutes })
}

/// Reads `1*DIGIT unit` as often as digits follow. Before the first unit, larger ones may be left out; afterwards each
/// must be the next of `order`. Gives the number of units, and whether the last digits had theirs.
fn units(at: &mut Cursor<'_>, order: &[u8; 3]) -> (u32, bool) {
    let mut count = 0;
    let mut rest = order.iter();
    while at.skip(DIGIT) > 0 {
        loop {
            match rest.next() {
                Some(&unit) if at.take(unit) => break,
                Some(_) if count == 0 => {}
                _ => return (count, false),
            }
        }
        count += 1;
    }
    (count, true)
}
