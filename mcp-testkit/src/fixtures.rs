//! Tools, prompts and resources that tests share, and servers made of them.

mod args;
mod input;
mod process;
mod read;
mod report;
mod shapes;
mod words;

pub use input::{asking_prompt, asking_resource, input_kit};
pub use process::process_kit;
pub use read::read_kit;
pub use report::{change_kit, progress_kit};
pub use shapes::shape_kit;
pub use words::{local_kit, many_tools, test_kit};

use serde_json::{Value, json};

use crate::{Prompt, Resource, Server, Toolkit};

/// The test kit as a server: its five tools, a prompt, and two resources.
///
/// * prompt `greeting(name)`: `Hello, <name>!`;
/// * `test://cached`: `cached body`, to be kept for an hour, by anyone;
/// * `test://volatile`: `volatile body`, not to be kept.
pub fn test_server() -> Server {
    offer(Server::new("test-kit", "0.1.0").toolkit(Toolkit::new().tools(test_kit(200))))
}

/// Every fixture that is safe in a process it shares with its tests.
///
/// Beside what [`test_server`] offers: all kits but the one for processes of their own, the
/// prompt `introduce` and the resource `test://asked`, which ask for a name, the template
/// `test://notes/{name}`, and completions of names.
pub fn server() -> Server {
    complete(Server::new("test-kit", "0.1.0").toolkit(toolkit(200)))
}

/// Every fixture, as the fixture server process offers them.
pub(crate) fn process_server(name: &str, version: &str) -> Server {
    let tools = toolkit(250);
    let counters = tools.counters().clone();
    complete(Server::new(name, version).toolkit(tools.tools(process_kit(&counters))))
}

fn toolkit(slow_ms: u64) -> Toolkit {
    let tools = Toolkit::new();
    let changing = change_kit(&tools);
    tools
        .tools(test_kit(slow_ms))
        .tools(progress_kit())
        .tools(input_kit())
        .tools(read_kit())
        .tools(shape_kit())
        .tools(local_kit())
        .tools(changing)
}

fn complete(server: Server) -> Server {
    let note = Resource::new("test://notes/{name}", "note", |arguments, _| async move {
        let uri = args::text(&arguments, "uri", "");
        format!("the note {}", uri.rsplit('/').next().unwrap_or_default())
    });
    offer(server)
        .prompt(asking_prompt())
        .resource(asking_resource())
        .resource(note.template())
        .completion(|params, _| async move { names(params.get("argument")) })
        .instructions("Made for tests.")
}

fn offer(server: Server) -> Server {
    let greeting = Prompt::new("greeting", |arguments, _| async move {
        format!("Hello, {}!", args::text(&arguments, "name", "stranger"))
    });
    let cached = Resource::new("test://cached", "cached", |_, _| async { "cached body" });
    let volatile = Resource::new("test://volatile", "volatile", |_, _| async { "volatile body" });
    server
        .prompt(greeting.description("Greets somebody").argument("name", true))
        .resource(cached.cache(3_600_000, "public"))
        .resource(volatile)
}

fn names(argument: Option<&Value>) -> Value {
    let start = argument.and_then(|it| it["value"].as_str()).unwrap_or_default();
    let values: Vec<_> =
        ["Ada", "Alan", "Grace"].into_iter().filter(|it| it.starts_with(start)).collect();
    json!({ "completion": { "total": values.len(), "values": values, "hasMore": false } })
}
