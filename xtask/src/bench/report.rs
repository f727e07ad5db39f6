//! Ratios first.

use super::machine;
use super::options::Options;
use super::plan::{self, FLOOR, OURS, Row, Target};
use super::sample::{self, Sample, median};

/// A row of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Result {
    pub(crate) row: Row,
    pub(crate) ours: f64,
    /// The best of the peers, and its number.
    pub(crate) best: Option<(String, f64)>,
    pub(crate) ratio: Option<f64>,
    /// The least and the greatest ratio of a pass.
    pub(crate) spread: Option<(f64, f64)>,
    pub(crate) floor: Option<f64>,
}

impl Result {
    /// Whether the target is met; none where there is no target.
    pub(crate) fn is_met(&self) -> Option<bool> {
        match self.row.target {
            Target::AtMost(most) => self.ratio.map(|ratio| ratio <= most),
            Target::AtLeast(least) => self.ratio.map(|ratio| ratio >= least),
            Target::Value(most) => Some(self.ours <= most),
            Target::Shown => None,
        }
    }
}

pub(crate) fn results(samples: &[Sample]) -> Vec<Result> {
    let rows = plan::rows(&sample::works(samples));
    rows.into_iter().filter_map(|row| result(samples, row)).collect()
}

fn result(samples: &[Sample], row: Row) -> Option<Result> {
    let found = sample::of(samples, &row.work, row.metric);
    let of = |name: &str| found.iter().find(|(who, _)| *who == name).map(|(_, it)| it);
    let ours = of(OURS)?;
    let peers = found.iter().filter(|(who, _)| *who != OURS && *who != FLOOR);
    let best = peers.min_by(|(_, a), (_, b)| {
        let order = median(a).total_cmp(&median(b));
        if plan::is_rate(row.metric) { order.reverse() } else { order }
    });
    let ratios: Vec<f64> = best
        .map(|(_, peer)| ours.iter().zip(peer).map(|(ours, peer)| ours / peer).collect())
        .unwrap_or_default();
    let least = ratios.iter().copied().reduce(f64::min);
    let most = ratios.iter().copied().reduce(f64::max);
    Some(Result {
        ours: median(ours),
        ratio: best.map(|(_, peer)| median(ours) / median(peer)),
        best: best.map(|(who, peer)| ((*who).to_owned(), median(peer))),
        spread: least.zip(most),
        floor: of(FLOOR).map(|floor| median(floor)),
        row,
    })
}

/// The table, for a terminal and for a document alike.
pub(crate) fn table(results: &[Result]) -> String {
    let mut lines = vec![HEAD.map(str::to_owned)];
    lines.extend(results.iter().map(line));
    aligned(&lines)
}

const HEAD: [&str; 7] =
    ["work", "ours ÷ best peer", "target", "", "ours", "best peer", "least and most of a pass"];

fn line(result: &Result) -> [String; 7] {
    let unit = plan::unit(result.row.metric);
    let target = match result.row.target {
        Target::AtMost(most) => format!("≤ {most}"),
        Target::AtLeast(least) => format!("≥ {least}"),
        Target::Value(most) => format!("≤ {most} {unit}"),
        Target::Shown => String::new(),
    };
    let met = match result.is_met() {
        Some(true) => "met",
        Some(false) => "**missed**",
        None => "",
    };
    let mut ours = number(result.ours);
    if let Some(floor) = result.floor {
        ours = format!("{ours} (floor {})", number(floor));
    }
    let best = result.best.as_ref().map(|(who, value)| format!("{who}, {}", number(*value)));
    let ratio = result.ratio.map(|ratio| format!("{ratio:.2}"));
    let spread = result.spread.map(|(least, most)| format!("{least:.2} to {most:.2}"));
    [
        format!("{}: {unit}", result.row.work),
        ratio.unwrap_or_default(),
        target,
        met.to_owned(),
        ours,
        best.unwrap_or_default(),
        spread.unwrap_or_default(),
    ]
}

/// Three digits that count, and a comma where there are many.
pub(crate) fn number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let digits = match value.abs() {
        _ if value.fract() == 0.0 => 0,
        it if it < 0.1 => 5,
        it if it < 1.0 => 3,
        it if it < 10.0 => 2,
        it if it < 100.0 => 1,
        _ => 0,
    };
    let text = format!("{value:.digits$}");
    let (whole, rest) = text.split_once('.').map_or((text.as_str(), ""), |it| it);
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        let left = whole.len() - place;
        if place > 0 && left % 3 == 0 && !grouped.ends_with('-') {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if rest.is_empty() { grouped } else { format!("{grouped}.{rest}") }
}

/// A Markdown table whose columns also stand one under another.
pub(crate) fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = lines.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
    });
    let mut table = String::new();
    for (place, line) in lines.iter().enumerate() {
        for (cell, width) in line.iter().zip(widths) {
            table.push_str(&format!("| {cell:<width$} "));
        }
        table.push_str("|\n");
        if place == 0 {
            let rule: String = widths.map(|width| format!("|{}", "-".repeat(width + 2))).concat();
            table.push_str(&format!("{rule}|\n"));
        }
    }
    table
}

/// What `docs/performance.md` says between its marks.
pub(crate) fn document(samples: &[Sample], results: &[Result], options: &Options) -> String {
    let missed: Vec<String> = results
        .iter()
        .filter(|result| result.is_met() == Some(false))
        .map(|result| format!("- {}: {}", result.row.work, plan::unit(result.row.metric)))
        .collect();
    let mut text = format!(
        "{}\n`{}`: medians of {} passes.\n\n{}",
        machine::describe(),
        options.command(),
        options.passes,
        table(results)
    );
    if missed.is_empty() {
        text.push_str("\nEvery target is met.\n");
    } else {
        text.push_str(&format!("\nNot where we want to be:\n\n{}\n", missed.join("\n")));
    }
    text.push_str(&format!("\n### Everybody\n\n{}", everybody(samples)));
    text
}

/// Each number of each client.
fn everybody(samples: &[Sample]) -> String {
    let mut lines = vec![["work", "who", "median", "least and most"].map(str::to_owned)];
    for row in plan::rows(&sample::works(samples)) {
        for (who, numbers) in sample::of(samples, &row.work, row.metric) {
            let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
            let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            lines.push([
                format!("{}: {}", row.work, plan::unit(row.metric)),
                who.to_owned(),
                number(median(&numbers)),
                format!("{} to {}", number(least), number(most)),
            ]);
        }
    }
    aligned(&lines)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample(work: &str, who: &str, pass: usize, us: f64, rate: f64) -> Sample {
        Sample::new(work, who, pass, &json!({ "us": us, "cpu_us": us, "calls_per_s": rate }))
    }

    #[test]
    fn the_best_peer_is_the_fastest_one_and_a_floor_is_no_peer() {
        let work = "stdio, one call at a time";
        let samples = [
            sample(work, OURS, 0, 10.0, 1.0),
            sample(work, "slow", 0, 40.0, 1.0),
            sample(work, "fast", 0, 20.0, 1.0),
            sample(work, FLOOR, 0, 5.0, 1.0),
        ];
        let found = &results(&samples)[0];
        assert_eq!((found.ratio, found.floor), (Some(0.5), Some(5.0)));
        assert_eq!(found.best, Some(("fast".to_owned(), 20.0)));
        assert_eq!(found.is_met(), Some(true));
    }

    #[test]
    fn of_rates_the_greater_is_the_better() {
        let work = "stdio, 16 in flight";
        let samples = [
            sample(work, OURS, 0, 1.0, 200.0),
            sample(work, "slow", 0, 1.0, 50.0),
            sample(work, "fast", 0, 1.0, 100.0),
        ];
        let found = &results(&samples)[0];
        assert_eq!((found.ratio, found.is_met()), (Some(2.0), Some(false)));
        assert!(table(&results(&samples)).contains("**missed**"));
    }

    #[test]
    fn passes_are_compared_with_themselves() {
        let work = "stdio, 1 MB";
        let pass = |pass, ours, peer| {
            [sample(work, OURS, pass, ours, 1.0), sample(work, "peer", pass, peer, 1.0)]
        };
        let samples = [pass(0, 1.0, 2.0), pass(1, 3.0, 4.0), pass(2, 2.0, 5.0)].concat();
        let found = &results(&samples)[0];
        assert_eq!((found.ratio, found.spread), (Some(0.5), Some((0.4, 0.75))));
    }

    #[test]
    fn numbers_have_digits_that_count() {
        let cases = [
            (0.1234, "0.123"),
            (0.01234, "0.01234"),
            (1.0, "1"),
            (1.234, "1.23"),
            (99.94, "99.9"),
            (1234.5, "1,234"),
            (1_234_567.0, "1,234,567"),
            (f64::NAN, "–"),
        ];
        for (value, expected) in cases {
            assert_eq!(number(value), expected);
        }
    }
}
