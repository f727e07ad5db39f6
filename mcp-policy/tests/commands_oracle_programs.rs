//! What real shells ran through other programs, shells and builtins, and was read wrongly once.

mod commands;

use commands::{bash, sh};

#[test]
fn options_of_builtins_that_change_the_language_are_seen() {
    bash(&[
        ("set -oo errexit keyword; git a=b", "?ShellOption ; set -oo errexit keyword ; git a=b"),
        ("set -o -k; git a=b", "?ShellOption ; set -o -k ; git a=b"),
        ("set -eo -k", "?ShellOption ; set -eo -k"),
        ("set -o '' -k", "?ShellOption ; set -o '' -k"),
        ("set -oo errexit pipefail", "set -oo errexit pipefail"),
        ("set -euo pipefail; set -o; set +o", "set -euo pipefail ; set -o ; set +o"),
        ("set + -k", "?ShellOption ; set + -k"),
        ("set +o interactive-comments", "?ShellOption ; set +o interactive-comments"),
        ("shopt -u interactive_comments", "?ShellOption ; shopt -u interactive_comments"),
        (
            "shopt -s autocd; shopt -s cdspell",
            "?ShellOption ; shopt -s autocd ; ?ShellOption ; shopt -s cdspell",
        ),
        (
            "compgen -aC rm; compgen -aCrm",
            "?ShellOption ; compgen -aC rm ; ?ShellOption ; compgen -aCrm",
        ),
        ("compgen -W '<(rm)'", "?ShellOption ; compgen -W <(rm)"),
        ("compgen -W 'a b' -- a; compgen -A function", "compgen -W a␣b -- a ; compgen -A function"),
        ("enable -n eval; eval rm", "?ShellOption ; enable -n eval ; rm ^eval"),
    ]);
}

/// Shells inside have them in place of builtins, and read what bash made of their text.
#[test]
fn exported_functions_are_unknown() {
    bash(&[
        (
            "f() { coproc git; }; export -f f; bash -c f",
            "git ; ?ShellOption ; export -f f ; f ^bash",
        ),
        ("export -nf f", "?ShellOption ; export -nf f"),
        (
            "export A=-f; export PATH=$PATH:x; export -p",
            "A=-f export A=-f ; PATH!=$PATH:x* export PATH=$PATH:x* ; export -p",
        ),
    ]);
}

#[test]
fn options_of_shells_are_what_the_shell_takes_them_for() {
    sh(&[
        ("bash -c + git", "?WrapperOption ^bash ; bash -c + git #inline"),
        ("bash --pretty-print -c git", "git ^bash"),
        ("bash +s x.sh", "?WrapperOption ^bash ; bash +s x.sh #inline"),
        ("bash -i +O interactive_comments -c 'git #'", "?ShellOption ^bash ; git ^bash"),
        ("bash -i -c git", "git ^bash"),
        (
            "bash -i <<'E'\nrm\ntouch !$\nE",
            "?ShellOption ^bash ; - <<'rm⏎touch␣!$⏎' ; rm ^bash ; touch '!$' ^bash",
        ),
        ("MAILPATH='m?$(rm)' bash", "?EvaluatedVariable ; MAILPATH!='m?$(rm)' bash #input"),
        ("bash -i x.sh; bash -i", "bash -i x.sh #script ; bash -i #input"),
    ]);
}

#[test]
fn names_and_variables_that_launchers_give_are_seen() {
    sh(&[
        (
            "xargs --process-slot-var=POSIXLY_CORRECT bash -c 'time -p git'",
            "xargs --process-slot-var=POSIXLY_CORRECT bash -c time␣-p␣git ; POSIXLY_CORRECT!=…* - ^xargs ; git ^xargs ^bash",
        ),
        (
            "xargs --process-slot-var=SLOT -P 4 git",
            "xargs --process-slot-var=SLOT -P 4 git ; SLOT=…* git …* #inline ^xargs",
        ),
        (
            "systemd-run --setenv=BASH_ENV=x ls",
            "systemd-run --setenv=BASH_ENV=x ls ; BASH_ENV!=x ls ^systemd-run",
        ),
        ("strace -E \"$x\" ls", "?WrapperOption ^strace ; strace -E $x ls"),
        ("strace -E \"A=$x\" ls", "strace -E A=$x ls ; A=$x ls ^strace"),
        ("env --argv0=sh bash -c 'time -p git'", "?WrapperOption ^env ; git ^env ^bash"),
        (
            "command exec -a sh bash -c 'time -p git'",
            "-a sh bash -c time␣-p␣git ^command ; ?WrapperOption ^command ^exec ; git ^command ^exec ^bash",
        ),
    ]);
}

#[test]
fn scripts_on_standard_input_may_write_more_of_it() {
    bash(&[
        (
            "bash <<'E'\necho rm >/dev/stdin\nE",
            "- <<echo␣rm␣>/dev/stdin⏎ ; ?Code ^bash ; echo rm >& ^bash",
        ),
        (
            "bash <<< 'echo rm >>/dev/fd/0'",
            "- <<echo␣rm␣>>/dev/fd/0 ; ?Code ^bash ; echo rm >>& ^bash",
        ),
        (
            "bash <<< 'echo rm >/proc/$$/fd/0'",
            "- <<'echo␣rm␣>/proc/$$/fd/0' ; ?Code ^bash ; echo rm >?/proc/$$/fd/0* ^bash",
        ),
        ("bash <<< 'cp x /dev/stdin'", "- <<cp␣x␣/dev/stdin ; ?Code ^bash ; cp x /dev/stdin ^bash"),
        ("bash <<< 'cd /dev/fd'", "- <<cd␣/dev/fd ; ?Code @/dev/fd ^bash ; cd /dev/fd ^bash"),
        (
            "bash <<< ': {x}<<<rm; exec 0>&$x'",
            "- <<':␣{x}<<<rm;␣exec␣0>&$x' ; : <<rm ^bash ; ?Code ^bash ; - >?$x* ^bash ^exec",
        ),
        ("bash <<< 'exec 3<&0 >&2'", "- <<exec␣3<&0␣>&2 ; ?Code ^bash ; - <& >& ^bash ^exec"),
        ("bash <<< 'echo rm >$f'", "- <<'echo␣rm␣>$f' ; ?Code ^bash ; echo rm >?$f* ^bash"),
        (
            "bash <<'E'\necho a >&2 2>&-\nls >$d/x.txt 2>/dev/null\nls >~/n\nE",
            "- <<'echo␣a␣>&2␣2>&-⏎ls␣>$d/x.txt␣2>/dev/null⏎ls␣>~/n⏎' ; echo a >& >& ^bash ; ls >?$d/x.txt* >null ^bash ; ls >~/n ^bash",
        ),
        ("echo rm >/dev/stdin", "echo rm >&"),
    ]);
}

#[test]
fn an_option_may_have_nothing_in_it() {
    bash(&[
        (r#"find -exec"$()" git {} +"#, "?WrapperOption ^find ; find -exec… git {} +"),
        (
            r#"find data -name -exec -o "``"-exec git \;"#,
            "?WrapperOption ^find ; find data -name -exec -o …-exec git ; ; -o …-exec git ^find ; -",
        ),
        (
            r"find data -execdir git {}{,} \;",
            "find data -execdir git {}…* ; ; git …* #inline ^find",
        ),
        (r#"env -u"$()" git rm"#, "?WrapperOption ^env ; env -u… git rm"),
        (r#"printf -"$()"v'x[$(m)]' {"#, "?EvaluatedName ; printf -…vx[$(m)] {"),
        (r#"[ -"``"v 'x[$(m)]' ]"#, "?EvaluatedName ; [ -…v 'x[$(m)]' ] ; -"),
        (r#"[ "$a" = "$b" ]"#, "[ $a = $b ]"),
        (r#"p=$!; wait "$p""#, "p=$!* - ; wait $p"),
        (r#"f=%s; printf "$f" a"#, "f=%s - ; printf $f a"),
    ]);
    sh(&[("time -''a cp", "cp ^time"), ("time '-a' cp", "cp ^time ; -a cp")]);
}
