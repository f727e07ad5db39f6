//! Listings in pages.

use mcp_testkit::{Server, Toolkit, fixtures};
use serde_json::{Value, json};

use crate::wire::Wire;

async fn all_pages(wire: &mut Wire, method: &str, key: &str) -> (Vec<usize>, Vec<Value>) {
    let (mut sizes, mut items, mut params) = (Vec::new(), Vec::new(), json!({}));
    loop {
        let answer = wire.request(method, params.clone()).await;
        let page = answer["result"][key].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        sizes.push(page.len());
        items.extend(page);
        match answer["result"].get("nextCursor") {
            Some(cursor) => params = json!({ "cursor": cursor }),
            None => return (sizes, items),
        }
    }
}

#[tokio::test]
async fn every_listing_comes_in_pages() {
    let cases = [
        ("tools/list", "tools", 2, vec![2, 2, 1]),
        ("tools/list", "tools", 5, vec![5]),
        ("tools/list", "tools", 4, vec![4, 1]),
        ("resources/list", "resources", 1, vec![1, 1]),
        ("prompts/list", "prompts", 1, vec![1]),
        ("resources/templates/list", "resourceTemplates", 1, vec![0]),
    ];
    for has_empty_cursor in [false, true] {
        for (method, key, size, expected) in &cases {
            let server = fixtures::test_server().page_size(*size);
            let server = if has_empty_cursor { server.empty_cursor() } else { server };
            let mut wire = Wire::modern(server, json!({}));
            let (sizes, _) = all_pages(&mut wire, method, key).await;
            assert_eq!(&sizes, expected, "{method} {size}");
        }
    }
}

#[tokio::test]
async fn the_empty_string_is_a_cursor_where_it_is_told_to_be() {
    let mut wire = Wire::modern(fixtures::test_server().page_size(2).empty_cursor(), json!({}));
    let first = wire.request("tools/list", json!({})).await;
    assert_eq!(first["result"]["nextCursor"], "");
    let second = wire.request("tools/list", json!({ "cursor": "" })).await;
    assert_eq!(second["result"]["tools"][0]["name"], "echo");

    let mut wire = Wire::modern(fixtures::test_server().page_size(2), json!({}));
    for cursor in [json!(""), json!("2"), json!(2), Value::Null] {
        let answer = wire.request("tools/list", json!({ "cursor": cursor })).await;
        assert_eq!(answer["error"]["code"], -32602, "{cursor}");
    }
}

#[tokio::test]
async fn many_tools_are_all_listed_once() {
    let tools = Toolkit::new().tools(fixtures::many_tools(10_000));
    let mut wire = Wire::modern(Server::new("many", "1").toolkit(tools).page_size(999), json!({}));
    let (sizes, items) = all_pages(&mut wire, "tools/list", "tools").await;
    assert_eq!(sizes.len(), 11);
    let names: Vec<_> =
        items.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    let expected: Vec<_> = (0..10_000).map(|index| format!("tool_{index:05}")).collect();
    assert_eq!(names, expected);
}
