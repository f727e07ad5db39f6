//! Numbers with names.

use serde_json::{Map, Value};

use crate::options::Options;
use crate::process;

/// What one repetition found, in the order in which it is shown.
pub(crate) type Row = Vec<(&'static str, f64)>;

/// One line of JSON: the median of each number, and how far apart the first times were.
pub(crate) fn line(options: &Options, rows: &[Row]) -> String {
    let mut line = Map::new();
    line.insert("repeats".to_owned(), options.repeats.into());
    for (name, _) in rows.first().into_iter().flatten() {
        let find = |row: &Row| row.iter().find(|(found, _)| found == name).map(|(_, it)| *it);
        let values = rows.iter().filter_map(find).collect();
        line.insert((*name).to_owned(), rounded(median(values)));
    }
    line.insert("peak_kib".to_owned(), process::peak_kib().into());
    Value::Object(line).to_string()
}

/// The middle one; of an even number, the upper of the two.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value below which the share `part` of `sorted` nanoseconds lies, in microseconds.
pub(crate) fn percentile(sorted: &[u64], part: f64) -> f64 {
    let place = (sorted.len() as f64 * part) as usize;
    let value = sorted.get(place).or(sorted.last()).copied().unwrap_or(0);
    value as f64 / 1000.0
}

fn rounded(value: f64) -> Value {
    ((value * 1000.0).round() / 1000.0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_and_a_percentile_are_values_that_were_seen() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0]), 4.0);
        assert_eq!(percentile(&[1000, 2000, 3000, 4000], 0.5), 3.0);
        assert_eq!(percentile(&[1000], 0.99), 1.0);
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
