//! Values that travel in the headers of a request beside its body.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// Writes a value as a header can carry it.
///
/// What is printable ASCII travels as it is, also when it is empty.  Anything else, what begins
/// or ends with a space, and what could be taken for an encoded value is encoded:
/// `Hello, 世界` is `=?base64?SGVsbG8sIOS4lueVjA==?=`
/// (`basic/transports/streamable-http`, "Value Encoding").
pub(crate) fn encode(value: &str) -> Cow<'_, str> {
    if is_plain(value) {
        return Cow::Borrowed(value);
    }
    let mut encoded = String::with_capacity(BEGIN.len() + value.len().div_ceil(3) * 4 + END.len());
    encoded.push_str(BEGIN);
    STANDARD.encode_string(value, &mut encoded);
    encoded.push_str(END);
    Cow::Owned(encoded)
}

/// Whether a value arrives as it was sent.  A tab does not count as printable.
fn is_plain(value: &str) -> bool {
    let is_printable = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    // Begin and end may overlap: `=?base64?=` has both.
    let looks_encoded = value.starts_with(BEGIN) && value.ends_with(END);
    is_printable && !looks_encoded && !value.starts_with(' ') && !value.ends_with(' ')
}

const BEGIN: &str = "=?base64?";
const END: &str = "?=";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What a server does with a header.
    fn decode(header: &str) -> String {
        let inside = header.strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
        match inside {
            None => header.to_owned(),
            Some(inside) => String::from_utf8(STANDARD.decode(inside).unwrap()).unwrap(),
        }
    }

    /// B-HTTP-10, B-HTTP-11, B-HTTP-12, Q13.
    #[test]
    fn a_value_is_encoded_only_where_it_has_to_be() {
        let cases = [
            ("us-west1", "us-west1"),
            ("us west 1", "us west 1"),
            ("", ""),
            ("file:///path/to/file%20name.txt", "file:///path/to/file%20name.txt"),
            ("https://example.com/resource?id=123", "https://example.com/resource?id=123"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            (" a", "=?base64?IGE=?="),
            ("a ", "=?base64?YSA=?="),
            (" ", "=?base64?IA==?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="),
            ("a\tb", "=?base64?YQli?="),
            ("\ta", "=?base64?CWE=?="),
            ("a\u{7f}", "=?base64?YX8=?="),
            ("a\0", "=?base64?YQA=?="),
            ("\u{a0}", "=?base64?wqA=?="),
            // What looks encoded.
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?base64??=", "=?base64?PT9iYXNlNjQ/Pz0=?="),
            ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
            ("=?BASE64?x?=", "=?BASE64?x?="),
            ("=?base64?x", "=?base64?x"),
            ("x?=", "x?="),
        ];
        for (value, header) in cases {
            assert_eq!(encode(value), header, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn every_value_arrives_as_it_was(
            value in prop_oneof![any::<String>(), "[ -~\t\r\n]*", "=\\?base64\\?[a=?]*\\?="]
        ) {
            let header = encode(&value);
            // Nothing that a header must not hold, nothing that is trimmed on the way.
            prop_assert!(header.bytes().all(|byte| (b' '..=b'~').contains(&byte)));
            prop_assert_eq!(header.trim(), &*header);
            let arrived = if *header == *value { value.clone() } else { decode(&header) };
            prop_assert_eq!(&arrived, &value);
            // A server that decodes whatever looks encoded reads the same.
            if header.starts_with(BEGIN) && header.ends_with(END) && header.len() >= 11 {
                prop_assert_eq!(decode(&header), value);
            }
        }
    }
}
