//! What a target is told on its command line.

use std::time::Duration;

/// What to run.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Arguments {
    /// As many inputs as there is time for.
    Run { time: Duration, seed: Option<u64> },
    /// This input.
    Input(Vec<u8>),
}

impl Arguments {
    pub(crate) fn parse(arguments: &[String]) -> Option<Self> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let time = |seconds: &str| seconds.parse().ok().map(Duration::from_secs);
        match arguments[..] {
            ["--input", digits] => bytes(digits).map(Self::Input),
            [seconds] => Some(Self::Run { time: time(seconds)?, seed: None }),
            [seconds, seed] => {
                Some(Self::Run { time: time(seconds)?, seed: Some(seed.parse().ok()?) })
            }
            _ => None,
        }
    }
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16)?.try_into().ok()).collect();
    let (pairs, rest) = digits.as_ref()?.as_chunks();
    rest.is_empty().then(|| pairs.iter().map(|[high, low]| high << 4 | low).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_says_what_to_run() {
        let run = |seconds, seed| Some(Arguments::Run { time: Duration::from_secs(seconds), seed });
        let cases: &[(&[&str], Option<Arguments>)] = &[
            (&["10"], run(10, None)),
            (&["10", "7"], run(10, Some(7))),
            (&["--input", "00fF"], Some(Arguments::Input(vec![0, 255]))),
            (&["--input", ""], Some(Arguments::Input(vec![]))),
            (&["--input", "0"], None),
            (&["--input", "0x"], None),
            (&["--input"], None),
            (&["ten"], None),
            (&["10", "seven"], None),
            (&["10", "7", "8"], None),
            (&[], None),
        ];
        for (arguments, expected) in cases {
            let owned: Vec<String> = arguments.iter().map(|&it| it.to_owned()).collect();
            assert_eq!(Arguments::parse(&owned), *expected, "{arguments:?}");
        }
    }

    #[test]
    fn bytes_are_read_as_they_were_written() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes(&digits(&all)), Some(all));
    }
}
