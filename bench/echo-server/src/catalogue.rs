//! The tools that are listed.

use std::io::Write;

/// Appends the entries `from..to`, separated by commas.
pub(crate) fn write(out: &mut Vec<u8>, from: usize, to: usize) {
    for number in from..to {
        if number > from {
            out.push(b',');
        }
        match FIXED.get(number) {
            Some(entry) => out.extend_from_slice(entry.as_bytes()),
            None => {
                // Writing to a vector cannot fail.
                let _ = write!(out, generated!(), number = number);
            }
        }
    }
}

/// The tools that do something.
const FIXED: [&str; 2] = [
    concat!(
        r#"{"name":"echo","description":"Answers the given text.","#,
        r#""inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]},"#,
        r#""annotations":{"readOnlyHint":true,"idempotentHint":true}}"#
    ),
    concat!(
        r#"{"name":"big","description":"Answers a text of the given size.","#,
        r#""inputSchema":{"type":"object","properties":{"bytes":{"type":"integer"}},"required":["bytes"]},"#,
        r#""annotations":{"readOnlyHint":true,"idempotentHint":true}}"#
    ),
];

/// A typical generated tool: about 480 bytes, three properties.
macro_rules! generated {
    () => {
        concat!(
            r#"{{"name":"tool_{number:05}","title":"Tool number {number}","#,
            r#""description":"Reads the record that belongs to the given path and answers it as text. Number {number}.","#,
            r#""inputSchema":{{"type":"object","properties":{{"#,
            r#""path":{{"type":"string","description":"Where to look"}},"#,
            r#""limit":{{"type":"integer","minimum":1,"maximum":100,"default":10}},"#,
            r#""kind":{{"type":"string","enum":["file","directory","link"]}}}},"#,
            r#""required":["path"],"additionalProperties":false}},"#,
            r#""annotations":{{"readOnlyHint":true,"openWorldHint":false}}}}"#
        )
    };
}
use generated;
