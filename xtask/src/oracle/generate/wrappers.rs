//! Programs that run other programs.

use crate::generate::{list, nested, words};
use crate::random::Random;

/// A wrapper with options, some of which take a value that could be a program.
pub(crate) fn wrapper(random: &mut Random, depth: usize) -> String {
    let line = random.one_of(WRAPPERS);
    let (name, options) = line.split_once(' ').unwrap_or((line, ""));
    let options: Vec<&str> = options.split(',').collect();
    let mut text = name.to_owned();
    for _ in 0..random.below(3) {
        let option = random.one_of(&options);
        if !option.is_empty() {
            text = format!("{text} {option}");
        }
    }
    if random.percent(8) {
        text = format!("{text} {}", words::word(random, depth));
    }
    let operand = match name {
        "timeout" => random
            .one_of(&["5", "1.5s", "5 ", "-- 5", "$x 5", "rm", "5 --", "0.1", "-k 1 5", "'5'"]),
        "flock" => random.one_of(&["L", "L -c", "data", "9", "L --", "-n L", "d"]),
        "taskset" => random.one_of(&["1", "-c 0", "rm", "0x1", "-p 1"]),
        "chrt" => random.one_of(&["0", "-o 0", "-i 0 --"]),
        "setarch" => random.one_of(&["linux64", "-R", "x86_64 -R", ""]),
        "choom" => random.one_of(&["-n 1", "-n 1 --", "-n1"]),
        "find" => random.one_of(FIND),
        "xargs" => random.one_of(&[
            "<data",
            "",
            "-I{}",
            "-n 1 <data",
            "-I % <data",
            "-a data -n1",
            "-- ",
            "-0 <data",
            "-J % ",
        ]),
        _ => random.one_of(&["", "", "", "--", "x=1", "-"]),
    };
    let tail = match name {
        "find" => random.one_of(&[
            " \\;",
            " {} +",
            " ';'",
            " {} \\;",
            " \\; -exec rm {} \\;",
            " x{}y \\;",
            " ;",
            " +",
            " \\; -o -exec git {} +",
        ]),
        _ => "",
    };
    let inner = match random.below(6) {
        0 => wrapper_of(random, depth),
        1 => nested::shell(random, depth),
        _ => list::simple(random, depth),
    };
    format!("{text} {operand} {inner}{tail}")
}

fn wrapper_of(random: &mut Random, depth: usize) -> String {
    if depth == 0 { list::simple(random, 0) } else { wrapper(random, depth - 1) }
}

const FIND: &[&str] = &[
    ". -exec",
    ". -name a -o -exec",
    "data -execdir",
    "$x -exec",
    ". -ok",
    "d -type f -exec",
    ". -maxdepth 1 -name 'x*' -exec",
    "data -name git -exec",
    ". -path d -prune -o -exec",
    "data ( -name data ) -exec",
    "data \\( -name data \\) -exec",
    "-exec",
    "data -fprint o -exec",
    "data -newer x.txt -o -exec",
    "-L data -exec",
    "data -printf rm -exec",
    "data -regex a -o -exec",
];

const WRAPPERS: &[&str] = &[
    "env -i,-u git,--unset=rm,-C .,-u,--chdir .,--,A=1,-0,-v,--uns git,-iu rm,-,PATH=.,--chdir=d,-vS,-C d,--ignore-environment",
    "env -S,-S 'git a',-S'rm -f',--split-string=git,-S \"git 'a b'\",-vS'git x',-S 'A=1 rm',-S 'git\\_a',-S '-i rm',-iS rm,-S '${x}',-S 'a\\c b',-S '#x'",
    "timeout -s KILL,-k 1,--signal=KILL,--foreground,-v,--pres,-k,-vk 1,-sKILL,--kill-after 1,-s 9,--preserve-status",
    "nice -n 5,-5,--adjustment=3,-n,-n5,--adj 2,-n -1,--",
    "nohup --,",
    "stdbuf -o L,-oL,--output=0,-i 0,-eL,-oL -eL,--error L,-o",
    "ionice -c 3,-c3,-t,-n 7,--class idle,-tc 3,-c2 -n0",
    "setsid -w,-f,--wait,-c,--fork,-wf",
    "time -p,-o rm,-f x,-v,-a,-p --",
    "exec -a git,-c,-l,-la rm,-cl,--,-a",
    "command -p,--,-v,-V,-pv",
    "builtin --,",
    "coproc",
    "flock -n,-w 1,-x,-o,-s,-E 2,--nonblock,-F,--timeout 1,-e",
    "taskset -a,--all-tasks",
    "chrt -i,-b,-v,--batch",
    "prlimit --cpu=1,--noheadings,--nofile=50,-n100,--core=0:0",
    "setpriv --no-new-privs,--nnp,--ptracer any,--pdeathsig keep,-d",
    "choom",
    "setarch -R,-v,--verbose,-L",
    "xargs -r,-n 1,-0,-t,-I a,-P 2,-d x,-a data,-L1,-n1,-i,-l,-e,-E x,-s 100,--max-args=1,-x,-L 2,--arg-file data,-I{},-d '\\n',-rn1,--replace,-iX",
    "find -H,-L,-O2,-P",
    "!",
    "time",
    "eval --,",
];
