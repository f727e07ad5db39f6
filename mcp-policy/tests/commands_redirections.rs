//! Redirections by kind.

mod commands;

use commands::bash;

#[test]
fn redirections_are_files_descriptors_or_unreadable() {
    bash(&[
        ("git log > out 2>&1 < in >> log 3<> rw", "git log >out >& <in >>log <>rw"),
        ("git log >| out &> both &>> more >& old", "git log >out >both >>more >old"),
        ("git log >/dev/null 2>/dev/stderr 3<&- 4>&1 5<&0-", "git log >null >& <& >& <&"),
        ("> a > b rm c", "rm c >a >b"),
        (r#"git log 2> "$x" > $y > *.txt > ~/z"#, "git log >?$x >?$y* >?*.txt* >~/z"),
        ("git 2>x 12>y {fd}>z {fd}>&-", "git >x >y >z >&"),
        ("git {x[}>o; git {x[1]}>o", "git {x[} >o ; ?Quoting ; git {x[1]}* >o #inline"),
        ("> out", "- >out"),
        ("exec > out 2>&1", "- >out >& ^exec"),
        ("exec 3< in; ls", "- <in ^exec ; ls"),
        ("ls >(rm) > >(tee x)", "rm ; tee x ; ls … >?…"),
        ("while :; do ls; done > out 2>&1", ": ; ls ; - >out >&"),
        ("echo x >&'$(rm)'", "?EvaluatedName ; echo x >'$(rm)'"),
        ("f=1; echo >&$f", "f=1 - ; echo >?$f*"),
        ("f='$(rm)'; echo >&$f", "f='$(rm)' - ; echo >?$f* ; ?EvaluatedNumber"),
        ("git log >", "?Syntax"),
        ("git log > > x", "?Syntax"),
        ("echo a>b 2 >c 3>d", "echo a 2 >b >c >d"),
        ("[ a > b ]; [[ a > b ]]", "[ a ] >b"),
        ("echo 1>&2 text", "echo text >&"),
        ("echo > \\\n out", "echo >out"),
    ]);
}
