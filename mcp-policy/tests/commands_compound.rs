//! Lists, compound commands and functions.

mod commands;

use commands::bash;

/// W-110, W-112, W-124.
#[test]
fn compound_commands_are_seen_through() {
    bash(&[
        (
            "if git diff; then git log; elif ls; then rm x; else cat y; fi",
            "git diff ; git log ; ls ; rm x ; cat y",
        ),
        ("if git diff\nthen git log\nelse ls\nfi", "git diff ; git log ; ls"),
        (r#"while read -r l; do rm "$l"; done < f"#, "read -r l ; rm $l ; - <f"),
        ("until git pull; do sleep 1; done &", "git pull ; sleep 1"),
        (r#"for f in a b; do git log "$f"; done"#, "git log $f"),
        ("for f; do ls; done", "ls"),
        ("for f in a \\\n b\ndo\nls\ndone", "ls"),
        (r#"for f in $(ls); { rm "$f"; }"#, "ls ; rm $f"),
        ("for ((i=0; i<3; i++)); do ls; done", "ls"),
        ("for ((i=$(rm); ; )); { ls; }", "rm ; ?EvaluatedNumber ; ls"),
        ("for PATH in a b; do git; done", "?EvaluatedVariable ; git"),
        (r#"select x in a b; do rm "$x"; break; done"#, "rm $x ; break"),
        ("case $x in (a|b) git;; c) rm;& *) ls;; esac", "git ; rm ; ls"),
        ("case x in $(rm)) ls;; esac", "rm ; ls"),
        ("case x in\n  a)\n    git ;;\n  *)\n    rm\nesac\nls", "git ; rm ; ls"),
        ("case x in esac; ls", "ls"),
        ("case in in in) rm;; esac", "rm"),
        ("{ git status; rm x; } > out", "git status ; rm x ; - >out"),
        ("( (ls) )", "ls"),
        ("! git diff && ! { rm x; }", "git diff ; rm x"),
        ("git log & rm x & wait", "git log ; rm x ; wait"),
        ("git log |& rm x", "git log ; rm x"),
    ]);
}

#[test]
fn a_reserved_time_is_no_program() {
    bash(&[
        ("time git status; time -p ls; time -- rm", "git status ; ls ; rm"),
        ("time -\\\np rm x", "rm x"),
        ("ls | time rm", "ls ; rm ^time"),
    ]);
}

#[test]
fn conditions_run_only_what_they_substitute() {
    bash(&[
        ("[ -f x ] && [[ -d y || $z == a* ]] && git status", "[ -f x ] ; git status"),
        ("[[ $a =~ ^(a|b)[[:space:]]$ ]] && ls", "ls"),
        ("[[ $(rm) == x ]]", "rm"),
        ("[[ x -eq 0 ]]; x='a[$(rm)]'", "x='a[$(rm)]' - ; ?EvaluatedNumber"),
        ("[[ 'a[$(rm)]' -eq 0 ]]", "?EvaluatedName"),
        ("[[ -v 'a[$(rm)]' ]]", "?EvaluatedName"),
        ("[[ ( -f a ) && ! -f b ]] || rm", "rm"),
    ]);
}

#[test]
fn bodies_of_functions_are_commands() {
    bash(&[
        ("f() { rm x; }; f y", "rm x ; f y"),
        ("function f { rm x; }; f", "rm x ; f"),
        ("function f() ( rm x )", "rm x"),
        ("f()\n{\n  ls\n}\nf", "ls ; f"),
        ("git() { rm x; }; git status", "rm x ; git status"),
        ("f() { f; }; f", "f ; f"),
        (":(){ :|:& };:", ": ; : ; :"),
        (r#"f() { "$@"; }; f rm"#, "?Variable ; f rm"),
        ("coproc rm x", "rm x"),
        ("coproc { rm x; ls; }", "rm x ; ls"),
        ("coproc N { rm x; }", "N { rm x ; ?Syntax"),
        ("coproc N while :; do rm; done", "N while : ; ?Syntax"),
    ]);
}

#[test]
fn what_is_no_grammar_is_unknown() {
    bash(&[
        ("git status;; rm", "git status ; ?Syntax"),
        ("then rm x", "?Syntax"),
        ("git status; fi", "git status ; ?Syntax"),
        ("if git; then rm", "git ; rm ; ?Unterminated"),
        ("(rm", "rm ; ?Unterminated"),
        ("echo a; }", "echo a ; ?Syntax"),
        ("git log && || rm", "git log ; rm"),
        ("if if git; then ls; fi; then rm; fi", "git ; ls ; rm"),
        ("echo if then rm", "echo if then rm"),
        ("{ rm x }", "rm x } ; ?Unterminated"),
    ]);
}

/// W-108.
#[test]
fn a_change_of_the_folder_holds_for_what_comes_after_it() {
    bash(&[
        ("(cd /tmp && rm x) && ls", "cd /tmp ; rm x @/tmp ; ls"),
        (
            "while :; do cd ..; rm -rf y; done",
            ": @?Repeated ; cd .. @?Repeated ; rm -rf y @?Repeated",
        ),
        (r#"for d in */; do (cd "$d" && make); done"#, "cd $d ; make @$d"),
        ("f() { rm -rf x; }; cd /; f", "rm -rf x @?Repeated ; cd / @?Repeated ; f @?Repeated"),
        (
            "cd build && cmake .. && cd - && rm x",
            "cd build ; cmake .. @build ; cd - @build ; rm x @?Variable",
        ),
        (
            "cd; rm x; cd -- a; pushd b; popd; ls",
            "cd ; rm x @~ ; cd -- a @~ ; pushd b @~ @a ; popd @~ @a @b ; ls @?Variable",
        ),
        ("command -p cd /; rm -rf x", "cd / ^command ; rm -rf x @/"),
        ("eval 'cd /'; rm x", "rm x @?Code ; cd / ^eval"),
    ]);
}
