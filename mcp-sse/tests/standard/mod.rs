//! The standard's own words, step by step and all at once: slow, and plainly right.

/// Type, data, id and retry of an event.
pub(crate) type Fields = (String, String, Option<String>, Option<u64>);

/// The events of a whole stream, and the last event id at its end.
pub(crate) fn read(stream: &[u8]) -> (Vec<Fields>, String) {
    let stream = stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream);
    let text = String::from_utf8_lossy(stream).replace("\r\n", "\n").replace('\r', "\n");
    let (mut events, mut last_event_id) = (Vec::new(), String::new());
    let (mut event_type, mut data, mut id, mut retry) = (String::new(), Vec::new(), None, None);
    let mut lines: Vec<&str> = text.split('\n').collect();
    // What follows the last line end has not ended.
    lines.pop();
    for line in lines {
        if line.is_empty() {
            let (data, id) = (std::mem::take(&mut data), id.take());
            let (mut event_type, retry) = (std::mem::take(&mut event_type), retry.take());
            if let Some(id) = &id {
                last_event_id = String::clone(id);
            }
            if event_type.is_empty() {
                event_type.push_str("message");
            }
            if !data.is_empty() {
                events.push((event_type, data.join("\n"), id, retry));
            }
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => event_type = value.to_owned(),
            "data" => data.push(value),
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            "retry" if value.chars().all(|it| it.is_ascii_digit()) => {
                retry = value.parse().ok().or(retry);
            }
            _ => (),
        }
    }
    (events, last_event_id)
}
