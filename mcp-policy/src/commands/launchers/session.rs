//! `su`, `script`, `flock` and their like: a program, or code for a shell, among options and operands.

use crate::commands::launchers::script;
use crate::commands::options;
use crate::commands::reader::{Dialect, Reader};
use crate::commands::resolve::{Call, Step};
use crate::commands::{Cause, Code, Token, ViaKind};

const SU: &str = "-c=@code --command=@code --session-command=@code -f --fast -g= --group= -G= \
    --supp-group= -l --login -m -p --preserve-environment -P --pty -T --no-pty -s=@unknown \
    --shell=@unknown -u=@user --user=@user -w= --whitelist-environment= -h@quit --help@quit \
    -V@quit --version@quit";
const SCRIPT: &str = "-a --append -B= --log-io= -c=@code --command=@code -E= --echo= -e --return -f \
    --flush --force -I= --log-in= -m= --logging-format= -O= --log-out= -o= --output-limit= -q \
    --quiet -T= --log-timing= -t? --timing? -h@quit --help@quit -V@quit --version@quit";
const SG: &str = "-c=@code";

/// Looks through a call of `su`, `runuser`, `script` or `sg`: options may stand after operands.
pub(crate) fn step(reader: &mut Reader, call: Call, name: &str) -> Step {
    let kind = if name == "script" { ViaKind::Launcher } else { ViaKind::Privilege };
    let mut inner = Call { scene: call.scene.through(name, kind), ..call.clone() };
    let table = match name {
        "script" => SCRIPT,
        "sg" => SG,
        _ => SU,
    };
    let Ok((given, operands)) = options::permuted(table, call.arguments()) else {
        reader.unknown(Cause::WrapperOption, &inner.scene, &inner.scene.directory);
        return Step::Plain(call, None);
    };
    let has = |effect: &str| given.iter().any(|it| it.effect == effect);
    if has("quit") {
        return Step::Plain(call, None);
    }
    let mut known = false;
    for option in given.iter().filter(|it| it.effect == "code") {
        known = true;
        code(reader, &inner, option.value.as_ref());
    }
    if has("unknown") {
        reader.unknown(Cause::WrapperOption, &inner.scene, &inner.scene.directory);
    }
    // `su - user` and a login; the operands after the user are for the shell.
    let login = operands.first().is_some_and(|word| word.as_text() == Some("-"));
    let rest = operands.get(usize::from(login)..).unwrap_or(&[]);
    match (name, rest) {
        ("runuser", [_, ..]) if has("user") && !known => {
            inner.words = rest.to_vec();
            inner.redirections = Vec::new();
            inner.quoted = false;
            let program = call.program();
            reader.push(call.command(program, None));
            return Step::Inner(inner);
        }
        // Where `script` has no `-c`, a command follows the file.
        ("script", [_, words @ ..]) if !words.is_empty() => {
            inner.words = words.to_vec();
            inner.redirections = Vec::new();
            inner.quoted = false;
            let program = call.program();
            reader.push(call.command(program, None));
            return Step::Inner(inner);
        }
        ("sg", [_, word, ..]) if !known => {
            known = true;
            code(reader, &inner, Some(word));
        }
        ("su" | "runuser", [_, _, ..]) if !known => {
            reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory);
        }
        _ => (),
    }
    Step::Plain(call, (!known).then_some(Code::Input))
}

/// Code that a shell reads.
fn code(reader: &mut Reader, inner: &Call, text: Option<&Token>) {
    match text.and_then(Token::as_text) {
        Some(text) => {
            let scene = inner.scene.through("sh", ViaKind::Shell);
            let inner = Call { scene, ..inner.clone() };
            script(reader, &inner, text.to_owned(), Dialect::Either);
        }
        None => reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory),
    }
}

/// `flock FILE command…`, `flock FILE -c code`, `flock NUMBER`.
pub(crate) fn flock(reader: &mut Reader, call: Call) -> Step {
    const OPTIONS: &str = "-s --shared -x --exclusive -e -u --unlock -n --nb --nonblock -w= --wait= \
        --timeout= -E= --conflict-exit-code= -o --close -F --no-fork --verbose --fcntl -h@quit \
        --help@quit -V@quit --version@quit";
    let mut inner = Call { scene: call.scene.through("flock", ViaKind::Launcher), ..call.clone() };
    let words = call.arguments();
    let Ok((given, next)) = options::read(OPTIONS, words) else {
        reader.unknown(Cause::WrapperOption, &inner.scene, &inner.scene.directory);
        return Step::Plain(call, None);
    };
    if given.iter().any(|it| it.effect == "quit") {
        return Step::Plain(call, None);
    }
    let rest = words.get(next + 1..).unwrap_or(&[]);
    match rest.first().map(Token::as_text) {
        None => return Step::Plain(call, None),
        Some(Some("-c" | "--command")) => {
            code(reader, &inner, rest.get(1));
            return Step::Plain(call, None);
        }
        Some(_) => (),
    }
    inner.words = rest.to_vec();
    inner.quoted = false;
    inner.redirections = Vec::new();
    let program = call.program();
    reader.push(call.command(program, None));
    Step::Inner(inner)
}
