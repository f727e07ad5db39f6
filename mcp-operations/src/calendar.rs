//! Moments on the wall, as records write them.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time as ISO 8601 in UTC, to the microsecond: `2026-11-30T06:46:40.000001Z`.
///
/// Nothing for a time before 1970, which no clock that runs would say.
pub(crate) fn iso8601(time: SystemTime) -> Option<String> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    let (days, second) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let micros = since.subsec_micros();
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{micros:06}Z"))
}

/// The date that is `days` after the first of January 1970, in the Gregorian calendar.
///
/// It counts in years that begin with March, so that the day of a leap year comes last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + DAYS_TO_1970;
    let (era, day_of_era) = (days / DAYS_OF_400_YEARS, days % DAYS_OF_400_YEARS);
    let leap_days = day_of_era / 1460 + day_of_era / 146_096 - day_of_era / 36_524;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year_of_era + next, month, day)
}

const DAY: u64 = 86_400;
/// From the first of March of the year 0.
const DAYS_TO_1970: u64 = 719_468;
const DAYS_OF_400_YEARS: u64 = 146_097;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_written_in_utc() {
        let cases: &[(u64, u32, &str)] = &[
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (951_782_399, 999_999_999, "2000-02-28T23:59:59.999999Z"),
            (951_782_400, 1_000, "2000-02-29T00:00:00.000001Z"),
            (951_868_800, 0, "2000-03-01T00:00:00.000000Z"),
            (1_735_689_599, 0, "2024-12-31T23:59:59.000000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"),
        ];
        for (seconds, nanos, expected) in cases {
            let time = UNIX_EPOCH + Duration::new(*seconds, *nanos);
            assert_eq!(iso8601(time).as_deref(), Some(*expected), "{seconds}");
        }
        assert_eq!(iso8601(UNIX_EPOCH - Duration::from_secs(1)), None);
    }
}
