//! Words of which not all is known: no command, file or option that runs something hides in them.

use mcp_policy::commands::{
    Arguments, Cause, Command, Decomposition, Invocation, Part, Token, decompose_words,
};

/// Calls that run or write something besides their program; `_` is a blank inside a word.
const CALLS: &[&str] = &[
    "env A=1 B=2 rm x",
    "env -u A rm x",
    "env -iC /x rm x",
    "env -S rm_-rf",
    "nice -n5 rm x",
    "nice -n 5 rm x",
    "nice -5 rm x",
    "timeout -k 1 2 rm x",
    "timeout --signal=9 2 rm x",
    "stdbuf -oL -e 0 rm",
    "ionice -c2 -n 1 rm x",
    "setsid -w rm",
    "nohup rm x",
    "command -p rm",
    "builtin eval rm",
    "exec rm x",
    "eval rm x",
    "busybox rm x",
    "time -f %e -ao log rm x",
    "sudo -u root -D /x rm y",
    "doas -u root rm x",
    "runuser -u nobody -- rm x",
    "su -c rm_x",
    "su root -c rm_x",
    "script -c rm_x f",
    "flock -w 5 f rm x",
    "flock -n f -c rm_x",
    "chroot / rm x",
    "chrt -f 1 rm x",
    "taskset -c 0 rm",
    "prlimit --nofile=1 rm",
    "setpriv --reuid=1 rm",
    "unshare -w /x rm",
    "nsenter -t 1 -m rm x",
    "strace -f -e trace=file -o log rm x",
    "watch -n 1 rm x",
    "ssh -p 22 h rm x",
    "ssh -o ProxyCommand=rm h",
    "xargs -0 -n 1 -I{} rm -rf {} y",
    "xargs -P4 -n 2 rm -f",
    "xargs -i rm {} y",
    "find . -exec rm {} ;",
    "find . -name x -exec rm {} +",
    "find . -execdir sh -c rm_$1 _ {} ;",
    "find . -ok rm {} ; -delete",
    "find . -fprintf o %p",
    "find . -fprint out",
    "fd -e txt x -x rm {} ; -e rs",
    "fd -Hx rm",
    "fd x --exec=rm",
    "npx -y rm x",
    "npx -c rm_x",
    "uvx --from a rm x",
    "uv run --with a rm",
    "poetry run rm x",
    "poetry -q run rm x",
    "bundle exec rm",
    "conda run -n a rm x",
    "bash -c rm_x",
    "bash -o pipefail -lc rm_x",
    "dash -ec rm_x",
    "zsh -c rm_x",
    "bash -s",
    "git -c alias.x=!rm x",
    "git -C d -c core.pager=rm log",
    "git --exec-path=/x status",
    "git config --global alias.x !rm",
    "git grep -nOrm x",
    "git rebase -x rm main",
    "git difftool -y -x rm",
    "git bisect run rm",
    "git submodule foreach rm",
    "git clone -u rm x",
    "git fetch --upload-pack=rm",
    "tar xf a -I rm",
    "tar -xIrm -f a",
    "tar xfI a rm",
    "tar --to-command=rm -xf a",
    "tar cf a x --checkpoint-action=exec=rm",
    "rsync -avze rm a b",
    "rsync -av --rsync-path=rm a b",
    "sort -u --compress-program=rm f",
    "split --filter=rm x",
    "rg -n --pre=rm x",
    "curl -sK x",
    "wget --execute=x",
    "scp -S rm x h:",
    "scp -oProxyCommand=x y h:",
    "zip -T a",
    "man -P rm ls",
    "man -Hrm x",
    "make -j4 SHELL=rm",
    "make --eval x",
    "make -f -",
    "vim -es -c !rm f",
    "vim +!rm f",
    "less +!rm f",
    "docker -H x run a rm",
    "docker compose exec a rm",
    "kubectl -n x exec p -- rm",
    "go run x",
    "go test -exec rm",
    "go build -ldflags=-extld=rm",
    "npm exec rm",
    "npm init x",
    "npm config set a b",
    "pnpm dlx rm",
    "bun x rm",
    "bun run x.ts",
    "deno run x",
    "deno eval x",
    "python3 -Bc x",
    "python3 -m timeit x",
    "perl -i -pe x",
    "ruby -e x",
    "node --import=x",
    "php -r x",
    "awk BEGIN{system(\"rm\")}",
    "gawk -e x",
    "sed -n -e 1e_rm",
    "sed --expression=e",
    "sed -i s/a/b/e f",
    "sqlite3 a .shell_rm",
    "psql -c \\!_rm",
    "java -jar x",
    "gdb --batch -ex x",
    "gcc -wrapper rm a.c",
    "pytest -p x",
    "cargo --config x build",
    "openssl -engine x",
    "nix-shell --run rm",
    "git grep -oO./rm x",
    "git rebase -fx./rm a",
    "git clone -su./rm r s",
    "sed -l 5 1e_rm f",
    "sed --line 5 1e_rm f",
    "tar -xI./rm -f a",
    "scp -rS./rm f h:g",
    "wget -qeuse_askpass=rm",
    "curl -sKcfg",
    "bun run --cwd . ./x.ts",
    "go build -ldflags -extld=rm",
    "fd -gx rm",
    "bun run --bun x.ts",
    "[ -v x[$(rm)] ]",
    "[ x[$(rm)] -eq 1 ]",
    "test -n a -a -v x[$(rm)]",
    "test 1 -lt x[$(rm)]",
    "printf -v x[$(rm)] a",
    "printf -vx[$(rm)] a",
    "printf %d x[$(rm)]",
    "read x[$(rm)]",
    "read -ra x[$(rm)]",
    "read -p a -t 1 x[$(rm)]",
    "declare -i y=x[$(rm)]",
    "declare -a x[$(rm)]=1",
    "declare -n y=x[$(rm)]",
    "export -f x",
    "export PATH=x",
    "readonly x[$(rm)]=1",
    "let x[$(rm)]",
    "unset x[$(rm)]",
    "unset -v x[$(rm)]",
    "mapfile -C rm -c 1 x",
    "mapfile -t x[$(rm)]",
    "wait -p x[$(rm)] 1",
    "getopts a x[$(rm)]",
    "shift x[$(rm)]",
    "trap rm EXIT",
    "trap -- rm EXIT",
    "enable -f x y",
    "enable -n test",
    "hash -p x y",
    "alias a=b",
    "set -o posix",
    "set -ek",
    "shopt -s extglob",
    "bind -x a",
    "complete -C rm a",
    "compgen -C rm",
    "jobs -x rm",
    "source x",
    "fc -s",
    "command eval rm",
    "exec -a y rm",
];

/// Wherever something that is empty is put into a word, what the call does stays known, or the
/// reading says that it is not.
#[test]
fn a_gap_in_a_word_hides_nothing() {
    check(|word, gap| {
        let splits = (1..=word.len()).filter(|at| word.is_char_boundary(*at));
        splits
            .flat_map(|at| {
                let (start, end) = word.split_at(at);
                let ended = [text(start), gap.clone(), text(end)];
                let ended = ended.into_iter().filter(|part| *part != text("")).collect();
                // Any text may be the rest, and what follows.
                let rest = || vec![text(start), gap.clone()];
                let any = [(rest(), Arguments::One), (rest(), Arguments::Any)];
                let any = any.into_iter().filter(|_| *gap == output());
                any.chain([(ended, Arguments::One)]).collect::<Gaps>()
            })
            .collect()
    });
}

/// The same where nothing is known of how a word begins.
#[test]
fn a_gap_before_a_word_hides_nothing() {
    check(|word, gap| vec![(vec![gap.clone(), text(word)], Arguments::One)]);
}

/// The same where nothing is known of a word.
#[test]
fn a_gap_in_place_of_a_word_hides_nothing() {
    check(|_, gap| match gap {
        _ if *gap == output() => {
            vec![(vec![gap.clone()], Arguments::One), (vec![gap.clone()], Arguments::Any)]
        }
        // These hold no options; that they may be nothing is what counts.
        _ => Vec::new(),
    });
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn output() -> Part {
    Part::Unreadable(Cause::Substitution)
}

type Gaps = Vec<(Vec<Part>, Arguments)>;

/// Checks every call with each of its words replaced by what `gaps` makes of it.
fn check(gaps: impl Fn(&str, &Part) -> Gaps) {
    let kinds = [
        output(),
        Part::Unreadable(Cause::Number),
        Part::Unreadable(Cause::Names),
        Part::Unreadable(Cause::Process),
        Part::Variable("x".to_owned()),
        Part::Variable("!".to_owned()),
    ];
    let mut tried = 0;
    for call in CALLS {
        let words: Vec<String> = call.split(' ').map(|word| word.replace('_', " ")).collect();
        let plain = decompose_words(&words);
        for (at, word) in words.iter().enumerate().skip(1) {
            for (parts, arguments) in kinds.iter().flat_map(|kind| gaps(word, kind)) {
                let mut tokens: Vec<Token> = words.iter().map(Token::new).collect();
                tokens[at] = Token::Gap { parts, arguments };
                let reading = Invocation::new(tokens.clone()).decompose();
                assert!(says_so(&reading) || covers(&reading, &plain), "{call}: {tokens:?}");
                tried += 1;
            }
        }
    }
    assert!(tried > 1_000, "{tried} tried");
}

/// Whether the reading says that something may run which it does not know.
fn says_so(reading: &Decomposition) -> bool {
    reading.commands.iter().any(|it| it.program.cause().is_some() || it.code.is_some())
}

/// Whether all that `plain` does is in the reading.
fn covers(reading: &Decomposition, plain: &Decomposition) -> bool {
    let same = |one: &Command, other: &Command| {
        one.program.name() == other.program.name()
            && one.redirections.len() >= other.redirections.len()
            && become_all(&one.tokens, &other.tokens)
    };
    plain.commands.iter().all(|command| {
        command.code.is_none() && reading.commands.iter().any(|it| same(it, command))
    })
}

/// Whether these words may become those.
fn become_all(words: &[Token], those: &[Token]) -> bool {
    match (words, those) {
        ([], []) => true,
        ([first, rest @ ..], _) if !first.is_one() => {
            become_all(rest, those) || (!those.is_empty() && become_all(words, &those[1..]))
        }
        ([first, rest @ ..], [that, others @ ..]) => {
            let becomes = match (first.as_text(), that.as_text()) {
                (None, Some(text)) => {
                    text.starts_with(first.start()) && text.ends_with(first.end())
                }
                (None, None) => that.is_one(),
                _ => first == that,
            };
            becomes && become_all(rest, others)
        }
        _ => false,
    }
}
