//! How the calls of one batch are run: one after another, or several at a time.

use std::collections::HashMap;

use mcp_protocol::ToolAnnotations;

/// What the scheduler has to know about one call.
#[derive(Debug)]
pub(crate) struct Slot {
    /// Whether the tool says that calling it at any time, any number of times, does no harm.
    pub(crate) is_safe: bool,
    /// What makes two calls the same call; nothing where a call is like no other.
    pub(crate) key: Option<String>,
}

/// The order of a batch.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Plan {
    /// One after another: an order that the model wrote may matter.
    Serial,
    /// At the same time.
    Wide {
        /// The calls that run, in order.
        leaders: Vec<usize>,
        /// The calls that are answered with a copy: each with the call that runs for it.
        copies: Vec<(usize, usize)>,
    },
}

/// Plans a batch of which `concurrency` calls may run at a time.
///
/// One call that is not safe makes the whole batch a sequence: a model that asked for a write and
/// a read in one turn has described an order.
pub(crate) fn plan(slots: &[Slot], concurrency: usize) -> Plan {
    if concurrency < 2 || slots.len() < 2 || !slots.iter().all(|slot| slot.is_safe) {
        return Plan::Serial;
    }
    let (mut leaders, mut copies) = (Vec::new(), Vec::new());
    let mut first = HashMap::new();
    for (index, slot) in slots.iter().enumerate() {
        let leader = slot.key.as_deref().map_or(index, |key| *first.entry(key).or_insert(index));
        if leader == index {
            leaders.push(index);
        } else {
            copies.push((index, leader));
        }
    }
    Plan::Wide { leaders, copies }
}

/// Whether a tool may be called at any time, any number of times: only if it says so twice.
pub(crate) fn is_safe(annotations: Option<&ToolAnnotations>) -> bool {
    annotations
        .is_some_and(|it| it.read_only_hint == Some(true) && it.idempotent_hint == Some(true))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slots(slots: &[(bool, Option<&str>)]) -> Vec<Slot> {
        let slot =
            |&(is_safe, key): &(bool, Option<&str>)| Slot { is_safe, key: key.map(Into::into) };
        slots.iter().map(slot).collect()
    }

    /// B-BATCH-3, B-BATCH-5, B-BATCH-11.
    #[test]
    fn a_batch_is_wide_only_if_every_call_is_safe() {
        let wide = |leaders: &[usize], copies: &[(usize, usize)]| Plan::Wide {
            leaders: leaders.to_vec(),
            copies: copies.to_vec(),
        };
        let (a, b) = (Some("a"), Some("b"));
        let cases = [
            (vec![], 4, Plan::Serial),
            (vec![(true, a)], 4, Plan::Serial),
            (vec![(true, a), (true, b)], 4, wide(&[0, 1], &[])),
            (vec![(true, a), (true, b)], 1, Plan::Serial),
            (vec![(true, a), (false, b), (true, a)], 4, Plan::Serial),
            (vec![(true, a), (true, b), (true, a), (true, a)], 2, wide(&[0, 1], &[(2, 0), (3, 0)])),
            (vec![(true, None), (true, None), (true, a)], 4, wide(&[0, 1, 2], &[])),
        ];
        for (calls, concurrency, expected) in cases {
            assert_eq!(plan(&slots(&calls), concurrency), expected, "{calls:?}");
        }
    }

    /// B-BATCH-1.
    #[test]
    fn a_tool_is_safe_only_if_it_says_so_twice() {
        let cases = [
            (json!({"readOnlyHint": true, "idempotentHint": true}), true),
            (json!({"readOnlyHint": true}), false),
            (json!({"idempotentHint": true}), false),
            (json!({"readOnlyHint": "true", "idempotentHint": "true"}), false),
            (json!({"readOnlyHint": true, "idempotentHint": null}), false),
            (json!({}), false),
        ];
        for (annotations, expected) in cases {
            let read: ToolAnnotations = serde_json::from_value(annotations.clone()).unwrap();
            assert_eq!(is_safe(Some(&read)), expected, "{annotations}");
        }
        assert!(!is_safe(None));
    }
}
