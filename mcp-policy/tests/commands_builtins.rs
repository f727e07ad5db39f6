//! Builtins, and variables that decide what runs.

mod commands;

use commands::bash;

/// W-20, W-25 to W-28, W-34.
#[test]
fn builtins_that_run_or_keep_code_are_read() {
    bash(&[
        ("trap 'rm x' EXIT; git status", "trap rm␣x EXIT ; git status ; rm x ^trap"),
        ("trap rm EXIT", "trap rm EXIT ; rm ^trap"),
        ("trap -- 'rm x' INT", "trap -- rm␣x INT ; rm x ^trap"),
        ("trap - EXIT; trap '' INT; trap", "trap - EXIT ; trap '' INT ; trap"),
        (r#"trap "$x" EXIT"#, "?Code ^trap ; trap $x EXIT"),
        ("eval rm x", "rm x ^eval"),
        (r#"eval "rm $x""#, "?Code ^eval"),
        (r#"eval -- "rm x""#, "rm x ^eval"),
        (r#"eval "$x""#, "?Code ^eval"),
        ("eval", "eval"),
        ("A=1 eval rm x > out", "A=1 - >out ; rm x ^eval"),
        ("source x.sh; . ./y", "source x.sh #script ; . ./y #script @?Code"),
        ("alias g=rm", "?Alias ; alias g=rm"),
        ("alias -p", "alias -p"),
        ("set -k; set -a", "?ShellOption ; set -k ; ?ShellOption ; set -a"),
        ("set -- a b; set -e", "set -- a b ; set -e"),
        ("set -o keyword", "?ShellOption ; set -o keyword"),
        ("set $x", "?ShellOption ; set $x*"),
        ("set -eo pipefail", "set -eo pipefail"),
        ("shopt -s nullglob", "shopt -s nullglob"),
        ("shopt -s expand_aliases", "?ShellOption ; shopt -s expand_aliases"),
        ("shopt -s compat42", "?ShellOption ; shopt -s compat42"),
        ("enable -f x y", "?ShellOption ; enable -f x y"),
        ("enable -n echo", "?ShellOption ; enable -n echo"),
        ("hash -p /tmp/x git", "?ShellOption ; hash -p /tmp/x git"),
        ("hash -r", "hash -r"),
        (r#"bind -x '"a": rm'"#, r#"?ShellOption ; bind -x "a":␣rm"#),
        ("complete -C rm x", "?ShellOption ; complete -C rm x"),
        ("compgen -W '$(rm)'", "?ShellOption ; compgen -W '$(rm)'"),
        ("compgen -c", "compgen -c"),
        ("jobs -x rm", "?ShellOption ; jobs -x rm"),
        ("fc -s", "?ShellOption ; fc -s"),
        ("builtin cd x; builtin eval rm", "cd x ^builtin ; rm @x ^builtin ^eval"),
        ("command eval rm", "rm ^command ^eval"),
        ("exec rm x", "rm x ^exec"),
        ("exec", "- ^exec"),
        (". <(rm)", "rm ; . … #script"),
    ]);
}

/// W-29, W-30.
#[test]
fn builtins_evaluate_the_names_they_are_given() {
    bash(&[
        ("let 'a[$(rm)]=1'", "?EvaluatedName ; let 'a[$(rm)]=1'"),
        ("let n=1+2", "let n=1+2"),
        ("let n=$x", "let n=$x*"),
        ("x='b[$(rm)]'; let n=x", "x='b[$(rm)]' - ; let n=x ; ?EvaluatedNumber"),
        ("printf -v 'a[$(rm)]' x", "?EvaluatedName ; printf -v 'a[$(rm)]' x"),
        ("printf -v a x", "printf -v a x"),
        (r#"printf "$a" "$b""#, "printf $a $b"),
        (r#"a=-v; printf "$a" "$b""#, "a=-v - ; printf $a $b ; ?HiddenOption"),
        (r#"printf '%s' "$x""#, "printf %s $x"),
        ("read 'a[$(rm)]'", "?EvaluatedName ; read 'a[$(rm)]'"),
        (r#"read -r line; read -p "$x" y"#, "read -r line ; read -p $x y"),
        ("read $x", "?EvaluatedName ; read $x*"),
        ("read PATH", "PATH!=…* read PATH"),
        ("test -v 'a[$(rm)]'", "?EvaluatedName ; test -v 'a[$(rm)]'"),
        (r#"[ -v "$x" ]"#, "?EvaluatedName ; [ -v $x ]"),
        (r#"[ "$x" = y -a -f z ]"#, "[ $x = y -a -f z ]"),
        (r#"[ "$x" "$y" ]"#, "[ $x $y ]"),
        ("[ $x = y ]", "[ $x* = y ]"),
        ("x='-v a'; [ $x ]", "x=-v␣a - ; [ $x* ] ; ?EvaluatedNumber"),
        ("[ $# -eq 0 ]; [ $? -ne 0 ]", "[ $#* -eq 0 ] ; [ $?* -ne 0 ]"),
        ("[ $(id -u) -eq 0 ]", "id -u ; [ …* -eq 0 ]"),
        ("unset 'a[$(rm)]'; unset x", "?EvaluatedName ; unset 'a[$(rm)]' ; unset x"),
        ("mapfile -C rm -c 1 x", "?Code ; mapfile -C rm -c 1 x"),
        ("mapfile -t x < f", "mapfile -t x <f"),
        ("declare -i n='a[$(rm)]'", "?EvaluatedName ; n='a[$(rm)]' declare -i 'n=a[$(rm)]'"),
        ("declare -i n; n='a[$(rm)]'", "declare -i n ; n='a[$(rm)]' - ; ?EvaluatedNumber"),
        ("declare -n r=x", "?EvaluatedName ; r=x declare -n r=x"),
        ("declare -a 'x=($(rm))'", "?EvaluatedName ; x='($(rm))' declare -a 'x=($(rm))'"),
        ("declare -x A=1 B=$x", "A=1 B=$x* declare -x A=1 B=$x*"),
        ("declare -f f; declare -p", "declare -f f ; declare -p"),
        ("export A=1 PATH=/tmp", "A=1 PATH!=/tmp export A=1 PATH=/tmp"),
        ("export A; export -n B", "A=$A export A ; B=$B export -n B"),
        ("local x=$1; readonly y=2", "x=$1* local x=$1* ; y=2 readonly y=2"),
        (r#"typeset "$x""#, "?EvaluatedName ; typeset $x"),
        ("getopts ab x", "getopts ab x"),
        ("wait -p 'a[$(rm)]'", "?EvaluatedName ; wait -p 'a[$(rm)]'"),
    ]);
}

/// W-21 to W-24, W-32, W-53.
#[test]
fn assignments_are_no_programs_and_some_are_code() {
    bash(&[
        ("PATH=/tmp git", "PATH!=/tmp git"),
        ("A=/x/git rm -rf x", "A=/x/git rm -rf x"),
        ("A=1 B=2", "A=1 B=2 -"),
        ("A+=1 rm", "A=1 rm"),
        (
            "LD_PRELOAD=x git; LC_ALL=C sort; TZ=UTC date",
            "LD_PRELOAD!=x git ; LC_ALL~=C sort ; TZ~=UTC date",
        ),
        (
            "GIT_PAGER=cat git log; GIT_PAGER=rm git log; GIT_SSH_COMMAND=rm git fetch",
            "GIT_PAGER~=cat git log ; GIT_PAGER!=rm git log ; GIT_SSH_COMMAND!=rm git fetch",
        ),
        ("PS4='$(rm)'; set -x", "?EvaluatedVariable ; PS4!='$(rm)' - ; set -x"),
        ("PROMPT_COMMAND=rm", "?EvaluatedVariable ; PROMPT_COMMAND!=rm -"),
        ("BASH_ENV=x bash -c ls", "?EvaluatedVariable ; BASH_ENV!=x - ; ls ^bash"),
        (
            "ENV=x; BASHOPTS=x; POSIXLY_CORRECT=1",
            "?EvaluatedVariable ; ENV!=x - ; ?EvaluatedVariable ; BASHOPTS!=x - ; ?EvaluatedVariable ; POSIXLY_CORRECT!=1 -",
        ),
        ("IFS=i; NODE_OPTIONS=x node y.js", "IFS!=i - ; NODE_OPTIONS!=x node y.js #script"),
        ("FOO=$(rm) git", "rm ; FOO=…* git"),
        ("x=1 bash -c 'echo $((x))'", "x=1 - ; echo …* ^bash"),
        ("x='a[$(rm)]' bash -c 'echo $((x))'", "x='a[$(rm)]' - ; echo …* ^bash ; ?EvaluatedNumber"),
        (
            "env x='a[$(rm)]' bash -c 'echo $((x))'",
            "x='a[$(rm)]' - ^env ; echo …* ^env ^bash ; ?EvaluatedNumber",
        ),
        (r#""A=1" git"#, "'A=1' git"),
        (r#"A"=1" git"#, "'A=1' git"),
        (r#"A\=1 git"#, "'A=1' git"),
        ("1A=1 git", "'1A=1' git"),
        ("exec {PATH}>10; git", "?EvaluatedVariable ; - >10 ^exec ; git"),
        ("exec {fd}>10; git", "- >10 ^exec ; git"),
        (
            "((PATH=10)); git; $((IFS++)); echo $((x=PATH))",
            "?EvaluatedVariable ; git ; ?Number ; echo …*",
        ),
        ("((i+=1)); echo $((HOME))", "echo …*"),
    ]);
}
