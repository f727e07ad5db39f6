//! What one program found in one pass.

use std::collections::BTreeMap;

use serde_json::{Value, json};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) work: String,
    pub(crate) who: String,
    pub(crate) pass: usize,
    pub(crate) numbers: BTreeMap<String, f64>,
}

impl Sample {
    /// The numbers among the members of a JSON object.
    pub(crate) fn new(work: &str, who: &str, pass: usize, json: &Value) -> Self {
        let members = json.as_object().into_iter().flatten();
        let numbers = members.filter_map(|(name, it)| Some((name.clone(), it.as_f64()?))).collect();
        Self { work: work.to_owned(), who: who.to_owned(), pass, numbers }
    }
}

/// The works that were measured, in their order.
pub(crate) fn works(samples: &[Sample]) -> Vec<&str> {
    let mut works: Vec<&str> = Vec::new();
    for sample in samples {
        if !works.contains(&sample.work.as_str()) {
            works.push(&sample.work);
        }
    }
    works
}

/// Who did a piece of work, and the number of each pass.
pub(crate) fn of<'a>(samples: &'a [Sample], work: &str, metric: &str) -> Vec<(&'a str, Vec<f64>)> {
    let mut found: Vec<(&str, Vec<f64>)> = Vec::new();
    for sample in samples.iter().filter(|sample| sample.work == work) {
        let Some(&number) = sample.numbers.get(metric) else { continue };
        match found.iter_mut().find(|(who, _)| *who == sample.who) {
            Some((_, numbers)) => numbers.push(number),
            None => found.push((&sample.who, vec![number])),
        }
    }
    found
}

/// The middle one; of an even number, the mean of the two.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (None, _) => f64::NAN,
        (Some(&upper), 0) => sorted.get(middle - 1).map_or(upper, |lower| (lower + upper) / 2.0),
        (Some(&only), _) => only,
    }
}

pub(crate) fn to_json(samples: &[Sample]) -> String {
    let line = |sample: &Sample| {
        let Sample { work, who, pass, numbers } = sample;
        json!({ "work": work, "who": who, "pass": pass, "numbers": numbers }).to_string()
    };
    let lines: Vec<String> = samples.iter().map(line).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0]), 2.5);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn numbers_are_found_by_work_metric_and_who() {
        let sample = |who, pass, us| Sample::new("w", who, pass, &json!({ "us": us, "x": "y" }));
        let samples = [sample("a", 0, 1.0), sample("b", 0, 2.0), sample("a", 1, 3.0)];
        assert_eq!(of(&samples, "w", "us"), [("a", vec![1.0, 3.0]), ("b", vec![2.0])]);
        assert_eq!(of(&samples, "w", "x"), []);
        assert_eq!(works(&samples), ["w"]);
    }

    #[test]
    fn samples_are_kept_as_json() {
        let samples = [Sample::new("w", "a", 0, &json!({ "us": 1.5 }))];
        let json: Value = serde_json::from_str(&to_json(&samples)).expect("it is JSON");
        assert_eq!(json[0]["numbers"]["us"], 1.5);
    }
}
