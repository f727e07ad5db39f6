//! The fixtures as a program: a server over stdin and stdout.

use std::io::Write;
use std::process::ExitCode;

use tokio::io::{stdin, stdout};

use crate::{ServeEra, Server, fixtures, serve};

/// Runs the fixture server with these arguments, without the program's name, to its end.
///
/// `--era both|modern|legacy`, `--page-size N`, `--legacy-version V` (the only one it speaks),
/// `--no-discover` (a legacy server that has never heard of it), `--many N` (that many tools
/// more).  A program can run itself as the server: this needs nothing but stdin and stdout.
pub fn fixture_server_main(args: impl IntoIterator<Item = String>) -> ExitCode {
    let run = || -> Result<(), String> {
        let (server, era) = configure(args)?;
        let runtime = tokio::runtime::Runtime::new().map_err(|error| error.to_string())?;
        let served = runtime.block_on(serve(server, era, stdin(), stdout()));
        // A read of stdin cannot be cancelled, and must not keep the process.
        runtime.shutdown_background();
        served.map_err(|error| error.to_string())
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "fixture-server: {message}");
            ExitCode::from(2)
        }
    }
}

fn configure(args: impl IntoIterator<Item = String>) -> Result<(Server, ServeEra), String> {
    let mut server = fixtures::process_server("fixture-server", "0.1.0");
    let mut era = ServeEra::Both;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let (option, inline) = match arg.split_once('=') {
            Some((option, value)) => (option, Some(value.to_owned())),
            None => (&*arg, None),
        };
        if option == "--no-discover" {
            server = server.without_discover();
            continue;
        }
        let value =
            inline.or_else(|| args.next()).ok_or_else(|| format!("{option} needs a value"))?;
        let number =
            || value.parse().map_err(|_| format!("{option} needs a number, not {value:?}"));
        match option {
            "--era" => era = parse_era(&value)?,
            "--legacy-version" => server = server.legacy_versions(&[&value]),
            "--many" => {
                fixtures::many_tools(number()?)
                    .into_iter()
                    .for_each(|it| server.tools().insert(it));
            }
            "--page-size" => server = server.page_size(number()?),
            _ => return Err(format!("unknown option {option:?}")),
        }
    }
    Ok((server, era))
}

fn parse_era(era: &str) -> Result<ServeEra, String> {
    match era {
        "both" => Ok(ServeEra::Both),
        "modern" => Ok(ServeEra::Modern),
        "legacy" => Ok(ServeEra::Legacy),
        _ => Err(format!("an era is both, modern or legacy, not {era:?}")),
    }
}
