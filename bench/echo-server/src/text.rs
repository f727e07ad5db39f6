//! Long texts.

/// The last long text that was asked for: only the first call for it costs anything.
#[derive(Debug, Default)]
pub(crate) struct BigText {
    json: Vec<u8>,
}

impl BigText {
    /// The inside of a JSON string of `bytes` bytes, some of them escapes.
    pub(crate) fn of(&mut self, bytes: usize) -> &[u8] {
        if self.json.len() != bytes {
            self.json.clear();
            while self.json.len() + LINE.len() <= bytes {
                self.json.extend_from_slice(LINE);
            }
            self.json.resize(bytes, b'x');
        }
        &self.json
    }
}

const LINE: &[u8] =
    br#"The quick brown fox jumps over the lazy dog, then writes a \"quoted\" line of log.\n"#;
