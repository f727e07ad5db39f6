//! How a line begins.

/// A field that means something.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Field {
    Data,
    Event,
    Id,
    Retry,
}

impl Field {
    /// The field called `name`, to the letter.
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        match name {
            b"data" => Some(Self::Data),
            b"event" => Some(Self::Event),
            b"id" => Some(Self::Id),
            b"retry" => Some(Self::Retry),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Event => "event",
            Self::Id => "id",
            Self::Retry => "retry",
        }
    }
}

/// The field of a whole line, and its value; `None` if nobody knows the field.
pub(crate) fn field_and_value(line: &[u8]) -> Option<(Field, &[u8])> {
    let (field, rest) = match line {
        [b'd', b'a', b't', b'a', rest @ ..] => (Field::Data, rest),
        [b'e', b'v', b'e', b'n', b't', rest @ ..] => (Field::Event, rest),
        [b'i', b'd', rest @ ..] => (Field::Id, rest),
        [b'r', b'e', b't', b'r', b'y', rest @ ..] => (Field::Retry, rest),
        _ => return None,
    };
    match rest {
        [] => Some((field, rest)),
        [b':', b' ', value @ ..] | [b':', value @ ..] => Some((field, value)),
        _ => None,
    }
}

/// What the beginning of a line says about the rest of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Opening {
    /// A value follows, after `space` if there is one.
    Field { field: Field, space: bool },
    /// A comment, or a field that nobody knows.
    Ignored,
}

impl Opening {
    /// Enough bytes to read any opening from.
    pub(crate) const ENOUGH: usize = "event: ".len();

    /// Reads the beginning of a line; `None` while the next byte could still change it.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        // No name is longer than this, so a long line is never searched for its colon.
        let names = line.len().min("event:".len());
        let Some(colon) = line[..names].iter().position(|&byte| byte == b':') else {
            return (line.len() > "event".len()).then_some(Self::Ignored);
        };
        let Some(field) = Field::named(&line[..colon]) else {
            return Some(Self::Ignored);
        };
        line.get(colon + 1).map(|&next| Self::Field { field, space: next == b' ' })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_line_has_a_field_and_its_value() {
        let cases: &[(&str, Option<(Field, &str)>)] = &[
            ("", None),
            ("data", Some((Field::Data, ""))),
            ("data:", Some((Field::Data, ""))),
            ("data: ", Some((Field::Data, ""))),
            ("data:  a: b", Some((Field::Data, " a: b"))),
            ("event:a", Some((Field::Event, "a"))),
            ("id: 1", Some((Field::Id, "1"))),
            ("retry:1", Some((Field::Retry, "1"))),
            (":", None),
            (": data: a", None),
            ("dat: a", None),
            ("datas: a", None),
            ("data : a", None),
            ("Data: a", None),
            (" data: a", None),
        ];
        for &(line, expected) in cases {
            let expected = expected.map(|(field, value)| (field, value.as_bytes()));
            assert_eq!(field_and_value(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn an_opening_is_decided_by_the_first_byte_that_can() {
        let field = |field, space| Some(Opening::Field { field, space });
        let cases: &[(&str, Option<Opening>)] = &[
            ("", None),
            ("data", None),
            ("data:", None),
            ("data: ", field(Field::Data, true)),
            ("data:x", field(Field::Data, false)),
            ("data:\t", field(Field::Data, false)),
            ("event:", None),
            ("event: ", field(Field::Event, true)),
            ("id:1", field(Field::Id, false)),
            ("retry: 1", field(Field::Retry, true)),
            (":", Some(Opening::Ignored)),
            (": data: x", Some(Opening::Ignored)),
            ("other", None),
            ("others", Some(Opening::Ignored)),
            ("dat:", Some(Opening::Ignored)),
            ("Data:x", Some(Opening::Ignored)),
            (" data:x", Some(Opening::Ignored)),
            ("event :x", Some(Opening::Ignored)),
        ];
        for &(line, expected) in cases {
            assert_eq!(Opening::read(line.as_bytes()), expected, "{line:?}");
        }
    }

    #[test]
    fn enough_bytes_always_decide() {
        for line in ["event: ", "retry:x", "data:xx", "unknown", "eventss", ":::::::"] {
            assert_eq!(line.len(), Opening::ENOUGH);
            assert_ne!(Opening::read(line.as_bytes()), None, "{line:?}");
        }
    }
}
