//! Shells: their options, and the languages they read.

mod commands;

use commands::{argv, sh};

/// W-41 to W-48.
#[test]
fn options_of_shells_are_read_exactly() {
    argv(&[
        ("bash -c git_status;_rm_x", "git status ^bash ; rm x ^bash"),
        ("bash -lc git_status", "git status ^bash"),
        ("bash -ec rm_x", "rm x ^bash"),
        ("bash -ce rm_x", "rm x ^bash"),
        ("bash -c -e rm_x", "rm x ^bash"),
        ("bash -c -- rm_x", "rm x ^bash"),
        ("bash -o pipefail -c rm_x", "rm x ^bash"),
        ("bash +x -c rm_x", "rm x ^bash"),
        ("bash -x -o errexit -c rm_x", "rm x ^bash"),
        ("bash --norc --noprofile -c rm_x", "rm x ^bash"),
        ("bash --rcfile f -c rm_x", "bash --rcfile f -c rm␣x #script ; rm x ^bash"),
        ("bash -norc -c rm_x", "?WrapperOption ^bash ; bash -norc -c rm␣x #inline"),
        ("bash -login -c rm_x", "?WrapperOption ^bash ; bash -login -c rm␣x #inline"),
        ("bash -n -c rm_x", "bash -n -c rm␣x"),
        ("bash -n +n -c rm_x", "rm x ^bash"),
        ("bash -in -c rm_x", "rm x ^bash"),
        ("bash -o noexec +o noexec -c rm_x", "rm x ^bash"),
        ("bash -O extglob -c rm_x", "?ShellOption ^bash ; rm x ^bash"),
        ("bash -q -c rm_x", "?WrapperOption ^bash ; bash -q -c rm␣x #inline"),
        ("bash -c", "?NoProgram ^bash"),
        ("bash -c _", "?NoProgram ^bash"),
        ("bash", "bash #input"),
        ("bash -s", "bash -s #input"),
        ("bash -", "bash - #input"),
        ("bash x.sh a", "bash x.sh a #script"),
        ("bash -x x.sh", "bash -x x.sh #script"),
        ("bash --version", "bash --version"),
        ("bash5 -c rm_x", "rm x ^bash5"),
        ("sh -c rm_x", "rm x ^sh"),
        ("dash -c rm_x", "rm x ^dash"),
        ("ksh -c rm_x", "rm x ^ksh"),
        ("fish -c rm_x", "?ForeignShell ; fish -c rm␣x #inline"),
        ("pwsh -Command rm_x", "?ForeignShell ; pwsh -Command rm␣x #inline"),
        ("fish --version", "fish --version"),
        ("/bin/bash -c rm_x", "rm x ^bash"),
        ("./bash -c rm_x", "./bash -c rm␣x ; rm x ^bash"),
        ("BASH -c rm_x", "BASH -c rm␣x ; rm x ^bash"),
        ("eval rm x", "rm x ^eval"),
        ("bash -c bash_-c_'rm_x'", "rm x ^bash ^bash"),
        ("bash.exe -c rm_x", "rm x ^bash"),
    ]);
}

/// W-14, W-19: what one of them reads is not hidden by what the other does.
#[test]
fn a_sh_may_be_dash_or_bash() {
    sh(&[
        ("git &>out rm x", "git ; rm x >out ; git rm x >out"),
        ("{git,rm} x", "{git,rm} x ; ?Brace x"),
        ("diff <(git log) x", "?Syntax ; git log ; diff … x"),
        ("cat <<< 'rm x'", "?Syntax ; cat <<rm␣x"),
        ("[[ -f x ]] && rm y", "[[ -f x ]] ; rm y"),
        ("function f { rm x; }", "function f { rm x ; ?Syntax ; rm x"),
        ("select x in a; do rm; done", "select x in a ; ?Syntax ; rm"),
        ("time rm x", "rm x ^time ; rm x"),
        ("time -p rm x", "rm x ^time"),
        ("coproc rm x", "rm x ^coproc ; rm x"),
        ("((rm x))", "rm x"),
        ("((x = 1))", "x = 1"),
        ("a=(rm x)", "?Syntax ; a=… -"),
        ("a[x + 1]=2 git", "a[x + 1]=2 git ; a=2 git"),
        ("A+=1 rm x", "'A+=1' rm x ; A=1 rm x"),
        (
            r#"echo $'a\'; rm x; echo \'b'"#,
            r#"?Quoting ; echo '$a\' ; rm x ; ?Unterminated ; echo a';␣rm␣x;␣echo␣'b"#,
        ),
        (r#"echo $"a""#, "echo '$a' ; echo …a"),
        (r#"echo "$[x]""#, "echo '$[x]' ; echo …"),
        ("git 12>out x", "git 12 x >out ; git x >out"),
        ("git {fd}>out x", "git {fd} x >out ; git x >out"),
        (">&-rm x", "x >-rm ; rm x >&"),
        ("echo @(a|b)", "?Syntax ; echo @()*"),
        ("for ((;;)); do rm; done", "?Syntax ; rm"),
        ("source x", "source x #script"),
        ("git |& rm x", "git ; rm x"),
        ("f() { ls; }; f", "ls ; f"),
        ("if ls; then git log; fi", "ls ; git log"),
        ("echo $(git log) `ls`", "git log ; echo …* …* ; ls"),
        ("exec -a git rm x", "-a git rm x ; ?WrapperOption ^exec ; rm x ^exec"),
        ("let x=1; declare y=2", "let x=1 ; y=2 declare y=2"),
        ("cat <<E\n${x:-\"$(rm)\"}\nE", "cat <<…* ; ?Quoting ; rm"),
        (r#"echo "${x:-"$(rm)"}""#, "?Quoting ; rm ; echo …"),
        ("c {x[1]}>o", "?Quoting ; c {x[1]}* >o"),
        ("alias g=rm", "?Alias ; alias g=rm"),
    ]);
}

/// W-39.
#[test]
fn what_only_zsh_reads_is_unknown() {
    argv(&[
        ("zsh -c git_status_&&_rm_x", "git status ^zsh ; rm x ^zsh"),
        ("zsh -c noglob_rm_x", "rm x ^zsh ^noglob"),
        ("zsh -c =rm_x", "?Syntax ^zsh ; '=rm' x ^zsh"),
        ("zsh -c -_rm_x", "?WrapperOption ^zsh ; zsh -c -␣rm␣x #inline"),
        ("zsh -c repeat_3_rm", "?Syntax ^zsh ; repeat 3 rm ^zsh"),
        ("zsh -c echo_*(e:'rm':)", "?Syntax ^zsh ; echo *()* ^zsh"),
        ("zsh -c cat_=(rm)", "?Syntax ^zsh"),
        ("zsh -c functions[git]=rm;_git", "?Syntax ^zsh ; functions=rm - ^zsh ; git ^zsh"),
        ("zsh -c echo_a_>!_b", "?Syntax ^zsh ; echo a b >! ^zsh"),
        ("zsh -c echo_${(e)x}", "?Parameter ^zsh ; echo …* ^zsh"),
        ("zsh -c git_#_it's", "?Quoting ^zsh ; git ^zsh"),
        ("zsh -c for_x_(a_b)_rm", "?Syntax ^zsh"),
        ("zsh -lc git_status", "git status ^zsh"),
        ("zsh -D -c rm", "?WrapperOption ^zsh ; zsh -D -c rm #inline"),
        ("zsh -c [_x_-eq_'a[$(rm)]'_]", "?EvaluatedName ^zsh ; [ x -eq 'a[$(rm)]' ] ^zsh"),
        ("ksh -c [_x_-eq_'a[$(rm)]'_]", "?EvaluatedName ^ksh ; [ x -eq 'a[$(rm)]' ] ^ksh"),
        ("zsh -c f()_{_rm;_}", "rm ^zsh"),
        ("zsh -c printf_%d_'a[$(rm)]'", "?EvaluatedName ^zsh ; printf %d 'a[$(rm)]' ^zsh"),
        (r#"zsh -c printf_%s_"$x""#, "printf %s $x ^zsh"),
        ("zsh -c exit_'a[$(rm)]'", "?EvaluatedName ^zsh ; exit 'a[$(rm)]' ^zsh"),
        ("ksh -c shift_'a[$(rm)]'", "?EvaluatedName ^ksh ; shift 'a[$(rm)]' ^ksh"),
        ("bash -c exit_1;_shift_2", "exit 1 ^bash ; shift 2 ^bash"),
    ]);
}
