//! Which era a server speaks: from evidence to a verdict, and nothing else.

use mcp_protocol::{DiscoverResult, ErrorCode, ErrorObject, ProtocolVersion, ResultType};
use serde_json::Value;

/// What came of asking a server what it is.
#[derive(Debug)]
pub(crate) enum Evidence<'a> {
    /// It answered; nothing where the answer is no `DiscoverResult` at all.
    Answer(Option<&'a DiscoverResult>),
    /// It answered with an error.
    Error(&'a ErrorObject),
    /// It did not answer in time, or in a way that cannot be read.
    Silence,
    /// It ended without an answer, as some old servers do at a message they do not know.
    Gone,
    /// It answered with this HTTP status, which is no success, and with no message.
    Status(u16),
}

/// What to do next.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// Speak the modern era, in this version.
    Modern(ProtocolVersion),
    /// Ask again in this version.
    Retry(ProtocolVersion),
    /// Open a legacy session.
    Legacy(On),
    /// There is no version in common.
    Unsupported { requested: ProtocolVersion, supported: Vec<String> },
    /// Give up: what came says nothing about the era, and would come again.
    Fatal,
}

/// Where a legacy session is opened.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum On {
    /// On the connection that was asked.
    ThisConnection,
    /// On a new one, since the server is gone or may have settled on the modern era.
    NewConnection,
}

/// Judges the evidence.
///
/// `preferred` are the modern versions that the client speaks, best first; `tried` those it has
/// asked in, the last one last.
///
/// Any error that only a modern server sends proves one.  Every other error means legacy, whatever
/// its code: deployed servers answer −32601, −32602, −32600, −32000 and more ("Versioning" of the
/// specification forbids keying on one of them).
pub(crate) fn judge(
    evidence: &Evidence<'_>,
    preferred: &[ProtocolVersion],
    tried: &[ProtocolVersion],
) -> Verdict {
    let requested = tried.last().cloned().unwrap_or(ProtocolVersion::V2026_07_28);
    match evidence {
        Evidence::Answer(Some(answer)) if is_complete(answer) => {
            match first_shared(preferred, &answer.supported_versions, &[]) {
                Some(version) => Verdict::Modern(version),
                None => Verdict::Legacy(On::NewConnection),
            }
        }
        Evidence::Answer(_) | Evidence::Gone => Verdict::Legacy(On::NewConnection),
        // Credentials are missing, too much was asked, or there is no server behind a gateway.
        Evidence::Status(401 | 403 | 407 | 429 | 502 | 503 | 504) => Verdict::Fatal,
        Evidence::Silence | Evidence::Status(_) => Verdict::Legacy(On::ThisConnection),
        Evidence::Error(error) => match error.code {
            Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION) => {
                let supported = supported(error.data.as_deref());
                match first_shared(preferred, &supported, tried) {
                    Some(version) => Verdict::Retry(version),
                    None if names_legacy(&supported) => Verdict::Legacy(On::NewConnection),
                    // It names the very version that it refuses: it may have changed its mind.
                    None if names(&supported, &requested) && !is_tried_twice(tried) => {
                        Verdict::Retry(requested)
                    }
                    None => Verdict::Unsupported { requested, supported },
                }
            }
            // It takes requests in this version, and minds something else about this one.
            Some(code) if code.is_modern() => Verdict::Modern(requested),
            _ => Verdict::Legacy(On::ThisConnection),
        },
    }
}

/// The version to go on in, where a server that was modern refuses the one in use with an error
/// of this code and this data.
pub(crate) fn reselect(
    code: Option<ErrorCode>,
    data: Option<&Value>,
    preferred: &[ProtocolVersion],
    in_use: &ProtocolVersion,
) -> Option<ProtocolVersion> {
    (code == Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION))
        .then(|| first_shared(preferred, &supported(data), std::slice::from_ref(in_use)))
        .flatten()
}

fn is_complete(answer: &DiscoverResult) -> bool {
    matches!(answer.result_type, None | Some(ResultType::Complete))
}

/// The versions that the data of an error of an unsupported version names.
pub(crate) fn supported(data: Option<&Value>) -> Vec<String> {
    let named = data.and_then(|data| data.get("supported")?.as_array());
    named.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn first_shared(
    preferred: &[ProtocolVersion],
    supported: &[String],
    tried: &[ProtocolVersion],
) -> Option<ProtocolVersion> {
    let is_supported = |version: &ProtocolVersion| {
        supported.iter().any(|named| named == version.as_str()) && !tried.contains(version)
    };
    preferred.iter().find(|version| is_supported(version)).cloned()
}

fn names_legacy(supported: &[String]) -> bool {
    ProtocolVersion::LEGACY.iter().any(|version| names(supported, version))
}

fn names(supported: &[String], version: &ProtocolVersion) -> bool {
    supported.iter().any(|it| it == version.as_str())
}

/// Whether the version that was tried last had been tried before.
fn is_tried_twice(tried: &[ProtocolVersion]) -> bool {
    tried.split_last().is_some_and(|(last, before)| before.contains(last))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const OURS: &str = "2026-07-28";
    const OLDER: &str = "2026-01-01";

    fn verdict(evidence: &Evidence<'_>, tried: &[&str]) -> Verdict {
        let versions = |texts: &[&str]| -> Vec<ProtocolVersion> {
            texts.iter().map(|&text| text.into()).collect()
        };
        judge(evidence, &versions(&[OURS, OLDER]), &versions(tried))
    }

    /// B-ERA-5, B-ERA-6: what an answer to the probe means.
    #[test]
    fn an_answer_is_judged_by_the_versions_it_names() {
        let modern = |version: &str| Verdict::Modern(version.into());
        let legacy = || Verdict::Legacy(On::NewConnection);
        let cases = [
            (json!({"supportedVersions": [OURS]}), modern(OURS)),
            (json!({"supportedVersions": [OLDER, OURS]}), modern(OURS)),
            (json!({"supportedVersions": [7, OLDER]}), modern(OLDER)),
            (json!({"supportedVersions": [OURS], "resultType": "complete"}), modern(OURS)),
            (json!({"supportedVersions": [OURS], "resultType": "input_required"}), legacy()),
            (json!({"supportedVersions": [OURS], "resultType": "surprise"}), legacy()),
            (json!({"supportedVersions": []}), legacy()),
            (json!({"supportedVersions": ["2025-11-25"]}), legacy()),
            (json!({"supportedVersions": ["2027-01-01"]}), legacy()),
            (json!({"supportedVersions": OURS}), legacy()),
            (json!({"ok": true}), legacy()),
        ];
        for (answer, expected) in cases {
            let result = serde_json::from_value(answer.clone()).unwrap();
            assert_eq!(verdict(&Evidence::Answer(Some(&result)), &[OURS]), expected, "{answer}");
        }
        assert_eq!(verdict(&Evidence::Answer(None), &[OURS]), legacy());
    }

    /// B-ERA-7 to B-ERA-10, B-ERA-12: what an error means.
    #[test]
    fn an_error_is_judged_by_its_code() {
        let here = || Verdict::Legacy(On::ThisConnection);
        let unsupported = |supported: &[&str]| Verdict::Unsupported {
            requested: OURS.into(),
            supported: supported.iter().map(|&it| it.to_owned()).collect(),
        };
        let supported =
            |versions: &[&str]| json!({"code": -32022, "data": {"supported": versions}});
        let cases = [
            (supported(&[OLDER]), &[OURS][..], Verdict::Retry(OLDER.into())),
            // The first shared version has been tried: the second is still worth asking for.
            (supported(&[OURS, OLDER]), &[OURS], Verdict::Retry(OLDER.into())),
            (supported(&["2025-11-25"]), &[OURS], Verdict::Legacy(On::NewConnection)),
            (supported(&[OURS, "2025-06-18"]), &[OLDER, OURS], Verdict::Legacy(On::NewConnection)),
            (supported(&["2027-01-01"]), &[OURS], unsupported(&["2027-01-01"])),
            // Conformance scenario request-metadata: it refuses the version that it names.
            (supported(&[OURS]), &[OURS], Verdict::Retry(OURS.into())),
            (supported(&[OURS]), &[OURS, OURS], unsupported(&[OURS])),
            (supported(&[OLDER]), &[OLDER, OURS], unsupported(&[OLDER])),
            (supported(&[OURS, OLDER]), &[OLDER, OURS], Verdict::Retry(OURS.into())),
            (supported(&[OURS, OLDER]), &[OLDER, OURS, OURS], unsupported(&[OURS, OLDER])),
            (json!({"code": -32022}), &[OURS], unsupported(&[])),
            (json!({"code": -32022, "data": {"supported": "all"}}), &[OURS], unsupported(&[])),
            (json!({"code": -32020}), &[OURS], Verdict::Modern(OURS.into())),
            (json!({"code": -32021.0}), &[OURS], Verdict::Modern(OURS.into())),
            (json!({"code": -32601}), &[OURS], here()),
            (json!({"code": -32602}), &[OURS], here()),
            (json!({"code": -32600}), &[OURS], here()),
            (json!({"code": -32000}), &[OURS], here()),
            (json!({"code": "-32022"}), &[OURS], here()),
            (json!({}), &[OURS], here()),
        ];
        for (error, tried, expected) in cases {
            let raw = serde_json::value::to_raw_value(&error).unwrap();
            let object = ErrorObject::from_raw(&raw).unwrap();
            assert_eq!(verdict(&Evidence::Error(&object), tried), expected, "{error}");
        }
    }

    /// B-ERA-12: silence means legacy; so does an end, but on a server started again.
    #[test]
    fn silence_and_death_mean_legacy() {
        assert_eq!(verdict(&Evidence::Silence, &[OURS]), Verdict::Legacy(On::ThisConnection));
        assert_eq!(verdict(&Evidence::Gone, &[OURS]), Verdict::Legacy(On::NewConnection));
    }

    /// Over HTTP: what a status without a message means.
    #[test]
    fn a_status_means_legacy_unless_it_would_come_again() {
        let here = || Verdict::Legacy(On::ThisConnection);
        for status in [301, 400, 404, 405, 406, 415, 422, 500, 501] {
            assert_eq!(verdict(&Evidence::Status(status), &[OURS]), here(), "{status}");
        }
        for status in [401, 403, 407, 429, 502, 503, 504] {
            assert_eq!(verdict(&Evidence::Status(status), &[OURS]), Verdict::Fatal, "{status}");
        }
    }

    /// Row 13 of what the specification asks for: a version that is refused later.
    #[test]
    fn a_version_that_is_no_longer_taken_is_replaced_by_another_shared_one() {
        let preferred = [OURS.into(), OLDER.into()];
        let refused = Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION);
        let cases = [
            (refused, json!({"supported": [OLDER]}), Some(OLDER)),
            (refused, json!({"supported": [OURS]}), None),
            (refused, json!({"supported": ["2025-11-25"]}), None),
            (refused, json!({}), None),
            (Some(ErrorCode::INTERNAL_ERROR), json!({"supported": [OLDER]}), None),
            (None, json!({"supported": [OLDER]}), None),
        ];
        for (code, data, expected) in cases {
            let found = reselect(code, Some(&data), &preferred, &OURS.into());
            assert_eq!(found.as_ref().map(ProtocolVersion::as_str), expected, "{data}");
        }
        assert_eq!(reselect(refused, None, &preferred, &OURS.into()), None);
    }
}
