//! Options and subcommands that run something, in all their spellings, and those that look like them.

use mcp_policy::commands::{Code, Decomposition, decompose_words};

fn read(line: &str) -> Decomposition {
    decompose_words(&["bash", "-c", line])
}

/// Whether an allow rule for the programs does not cover it.
fn runs(reading: &Decomposition) -> bool {
    let is_code =
        |code: Option<Code>| matches!(code, Some(Code::Inline | Code::Input | Code::Package));
    reading.commands.iter().any(|it| it.program.cause().is_some() || is_code(it.code))
}

#[test]
fn what_runs_something_is_seen_however_it_is_spelt() {
    let lines = [
        "git rebase --ex 'rm x' a",
        "git grep --op=./b a",
        "git clone --up ./b . x",
        "git clone --te t . x",
        "git ls-remote --up=./b .",
        "git foo/bar",
        "git bisect view foo/bar",
        "git cherry-pick --strategy=./b a",
        "git rebase -f -s ./b a",
        "git merge -s./b a",
        "git pull --strategy ./b",
        "git remote-ext x rm",
        "git submodule--helper foreach rm",
        "git merge-index ./b -a",
        "git config --comment --get core.fsmonitor ./b",
        "git config set --value --get core.fsmonitor ./b",
        "git config -- core.hooksPath --get-all",
        "node --title x -e a",
        "node --disable-warning x -e a",
        "node --interactive",
        "make a CC='rm x #'",
        "make MAKE=./b",
        "make CFLAGS='-wrapper ./b'",
        "make --mak=-",
        "make -f /dev/fd/0",
        "sed -f - a",
        "sed -nf /dev/stdin a",
        "sed --file=- a",
        "awk -f -",
        "awk -f /dev/stdin",
        "python3 /dev/stdin",
        "python3 /proc/self/fd/0",
        "awk 'BEGIN{print \"a\",\n\"b\" > \"c\"}'",
        "sqlite3 x \"select edit ('a','rm')\"",
        "sqlite3 x 'select \"writefile\"(1,2)'",
        "sqlite3 x .trace\\ f",
        "sqlite3 x \"vacuum into 'f'\"",
        "pip config edit --editor rm",
        "pip --python ./b list",
        "npm config edit --editor=./b",
        "npm install --git=./b x",
        "npm confi set script-shell ./b",
        "npm cre b",
        "yarn workspace x exec rm",
        "yarn plugin import u",
        "just -qc rm",
        "just --chooser rm",
        "rustc -Clinker=./b x.rs",
        "ctest --build-and-test . . --test-command rm",
        "mypy --python-executable=./b x",
        "go build -ldflags '-linkmode=external --extld=./b' .",
        "go build -ldflags all=-extld=./b .",
        "go env --w CC=./b",
        "go tool link -extld=./b x.a",
        "gcc -Wl,-plugin,./b a.c",
        "gcc --prefix=./b a.c",
        "gcc @b a.c",
        "python3 -m asyncio",
        "pytest --trace",
        "pytest -o addopts=-pb",
    ];
    let missed: Vec<&str> = lines.into_iter().filter(|line| !runs(&read(line))).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_looks_like_it_is_no_code() {
    let lines = [
        "git rebase main",
        "git merge -s ours a",
        "git merge --squash a",
        "git cherry-pick -s a",
        "git revert --signoff a",
        "git pull --rebase",
        "git bisect view",
        "git config --global --get user.name",
        "git config --global -l",
        "git config --show-origin --list",
        "make CC=clang CFLAGS='-O2 -g' -j4",
        "make -f build.mk all",
        "sqlite3 x 'select editor from writers'",
        "sqlite3 x .tables",
        "pip install -r requirements.txt --progress-bar off",
        "npm install --global x",
        "npm ci",
        "yarn workspace x build",
        "bundle install",
        "just -q build",
        "go build -ldflags '-s -w' ./...",
        "go env GOPATH",
        "gcc -O2 -Wall -Wl,-rpath,/x -o a a.c",
        "pytest -xvs tests",
        "curl --compressed -sSfL u",
        "sort --reverse a",
        "awk '{ print $1 }\n$2 > 3 { n++ }' f",
    ];
    let asked: Vec<&str> = lines.into_iter().filter(|line| runs(&read(line))).collect();
    assert!(asked.is_empty(), "{asked:#?}");
}
