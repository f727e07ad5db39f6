//! Quotes, escapes, comments, and what ends a word.

mod commands;

use commands::bash;

#[test]
fn quotes_are_text_and_never_hide_a_command() {
    bash(&[
        (r#"'git' "st"'at'us"#, "git status"),
        (r#"git commit -m "a \"b\" \$c \x""#, r#"git commit -m 'a␣"b"␣$c␣\x'"#),
        ("git log --format='%h $(x) `y`'", "git log '--format=%h␣$(x)␣`y`'"),
        (r#"git log\;rm"#, "git log;rm"),
        (r#"g\it status"#, "git status"),
        (r#"\git status"#, "git status"),
        ("git 'a'\u{301}; rm x", "git a\u{301} ; rm x"),
        ("git ' '; rm x", "git ␣ ; rm x"),
        ("git\u{a0}rm; ls", "git\u{a0}rm ; ls"),
        (r#"git log "a\"; rm -rf x; \"b""#, r#"git log a";␣rm␣-rf␣x;␣"b"#),
        (r#"echo ''  "" a''b"#, "echo '' '' ab"),
        ("'' x", "?NoProgram x"),
        (r#"echo a\"#, r#"?Unterminated ; echo a\"#),
    ]);
}

/// W-01, W-02, W-03.
#[test]
fn a_comment_hides_nothing_after_its_line() {
    bash(&[
        (r#"git log a#b '#c' \#d #e 'f"#, "git log a#b #c #d"),
        ("git status # it's\nrm x # \"\nls", "git status ; rm x ; ls"),
        ("git status #\\\nrm x", "git status ; rm x"),
    ]);
}

#[test]
fn escapes_of_c_are_read_and_translations_are_not() {
    bash(&[
        (r#"echo $'a\tb\'c' $'\x72m' $'\u00e9' $'\q'"#, "echo a\tb'c rm … \\q"),
        (r#"$'r\x6d' x"#, "rm x"),
        (r#"$'r\0m' x"#, "?Escape x"),
        (r#"echo $"hello" $"$(rm)""#, "rm ; echo …hello ……"),
        (r#"echo "$'$(rm)'""#, "rm ; echo $'…'"),
        (
            r#"echo $'a\nb' $'\101\x41\u0041\U00000041' $'\\\'\"\?' $'\cA' $'\400'"#,
            r#"echo a⏎b AAAA '\'"?' … …"#,
        ),
    ]);
}

/// W-16, and every place where two letters mean more than each.
#[test]
fn a_line_may_go_on_behind_a_backslash() {
    bash(&[
        ("git sta\\\ntus", "git status"),
        ("git \\\n  status", "git status"),
        ("git status\r\nrm x\r\n", "git status\r ; rm x\r"),
        ("echo \"$\\\n(rm)\"", "?Quoting ; echo '$(rm)'"),
        ("ti\\\nme -p rm x", "rm x"),
        ("git log &\\\n& rm x", "git log ; rm x"),
        ("git >\\\n> out", "git >>out"),
        ("cat <\\\n<E\nrm\nE\nls", "cat <<rm⏎ ; ls"),
        ("echo $\\\nx", "?Quoting ; echo '$x'"),
        ("echo $\\\n{x@P}", "?Quoting ; echo …*"),
        ("echo ${\\\nx@P}", "?Parameter ; ?Quoting ; ?EvaluatedPrompt ; echo …*"),
        ("echo $((x)\\\n)", "?Quoting ; x ; echo …*"),
        ("(\\\n(x))", "?Quoting ; x"),
    ]);
}

#[test]
fn what_does_not_end_is_unknown() {
    bash(&[
        (r#"echo "unterminated"#, "?Unterminated"),
        ("echo 'unterminated", "?Unterminated"),
        ("echo $'a", "?Unterminated"),
        ("echo ${x", "?Parameter ; ?Unterminated"),
        ("echo $(rm", "rm ; ?Unterminated"),
        ("echo `rm", "?Unterminated"),
        ("echo $((1", "?Unterminated"),
        (r#"git log "$(rm 'x)""#, "?Unterminated"),
    ]);
}

#[test]
fn braces_patterns_and_tildes_are_gaps() {
    bash(&[
        ("rm {a,b} x{1..3}y {c} {} {a,b", "rm …* x…y* {c} {} {a,b"),
        ("{git,rm} x", "?Brace x"),
        (r#"rm "{a,b}" {a\,b}"#, "rm {a,b} {a,b}"),
        (r#"ls *.rs a?b [ab]c "*" \*"#, "ls *.rs* a?b* [ab]c* '*' '*'"),
        (r#"ls ~ ~/x ~root/y a~ "~" x=~/y"#, "ls ~ ~/x ~root/y 'a~' '~' x=~/y"),
        ("~/bin/tool x", "~/bin/tool x"),
        ("/bin/r? x", "?Glob x"),
        ("./git status", "./git status"),
        (r#"C:\bin\git.EXE x"#, "C:bingit x"),
    ]);
}
