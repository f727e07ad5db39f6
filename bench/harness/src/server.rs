//! The server on the other side.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::client::{Failure, Target};
use crate::options::{Options, Work};

/// A server over HTTP, for as long as this lives; one over stdio is started by its client.
pub(crate) struct Server {
    pub(crate) target: Target,
    child: Option<Child>,
}

impl Server {
    pub(crate) fn start(options: &Options) -> Result<Self, Failure> {
        let mut args = vec![if options.is_http { "http" } else { "stdio" }.to_owned()];
        if let Work::List { tools, page } = options.work {
            args.extend(
                ["--tools", &tools.to_string(), "--page", &page.to_string()].map(Into::into),
            );
        }
        if options.as_events {
            args.push("--sse".to_owned());
        }
        if !options.is_http {
            let target = Target::Stdio { program: options.server.clone(), args };
            return Ok(Self { target, child: None });
        }
        let mut child = Command::new(&options.server)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", options.server.display()))?;
        let output = child.stdout.take();
        let mut server = Self { target: Target::Http { url: String::new() }, child: Some(child) };
        let mut line = String::new();
        if let Some(output) = output {
            BufReader::new(output).read_line(&mut line)?;
        }
        let port = line.trim().strip_prefix("listening ").ok_or("the server says no port")?;
        server.target = Target::Http { url: format!("http://127.0.0.1:{port}/mcp") };
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
