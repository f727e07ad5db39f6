//! What stands behind a `$`, and what the shell evaluates.

mod commands;

use commands::bash;

#[test]
fn substitutions_are_commands_wherever_they_stand() {
    bash(&[
        (
            r#"echo $x "$x" ${x} "${x}" $1 $@ "$@" "$*" $? $$"#,
            "echo $x* $x $x* $x $1* $@* $@* $* $?* $$*",
        ),
        (r#"echo ${x:-a b} "${x:-$(rm)}" ${x:-`ls`} ${x#'}'}"#, "rm ; echo …* … …* …* ; ls"),
        (r#"echo "${x:-"$(rm)"}""#, "rm ; echo …"),
        (r#"echo "${x:-'$(rm)'}""#, "?Quoting ; rm ; echo …"),
        (r#"echo ${#x} ${x[0]} "${x[@]}" ${!x} ${x/$(rm)/y}"#, "rm ; echo …* …* …* …* …*"),
        ("echo ${x@P}", "?EvaluatedPrompt ; echo …*"),
        (r#"echo "${x@Q}""#, "echo …"),
        ("$x y", "?Variable y"),
        (r#""$x" y"#, "?Variable y"),
        ("$HOME/bin/git y", "?Variable y"),
        (r#""$HOME"/bin/git y"#, "$HOME/bin/git y"),
        (r#"echo $(git log) "$(git $(ls))""#, "git log ; ls ; git …* #inline ; echo …* …"),
        (r#"echo `git log` "`ls`""#, "echo …* … ; git log ; ls"),
        (r#"echo `echo \`rm\``"#, "echo …* ; echo …* ; rm"),
        ("echo $(case x in x) rm y;; esac)", "rm y ; echo …*"),
        ("diff <(git log) >(rm x)", "git log ; rm x ; diff … …"),
        ("cat a<(rm)", "rm ; cat a…"),
        ("echo ${x:=$(rm)} ${PATH:=/tmp}", "rm ; ?EvaluatedVariable ; echo …* …*"),
        ("echo ${ rm; }", "?Parameter ; echo …*"),
        (r#"git "$(rm""#, "?Unterminated"),
        ("echo $", "echo '$'"),
        ("echo $(\\\n(x))", "?Quoting ; x ; echo …*"),
        ("x=(a $(rm) [1]=b); x+=(c); git", "rm ; x=… - ; x=… - ; git"),
    ]);
}

/// W-11, W-12, W-18: a value `a[$(rm)]` is code where a number is expected.
#[test]
fn arithmetic_runs_what_its_values_hold() {
    bash(&[
        ("echo $((1+$(rm)))", "rm ; ?EvaluatedNumber ; echo …*"),
        ("git $((rm x) )", "rm x ; git …* #inline"),
        ("echo $((x+1)) $[y+1]", "echo …* …*"),
        ("x='a[$(rm)]'; echo $((x))", "x='a[$(rm)]' - ; echo …* ; ?EvaluatedNumber"),
        ("echo $((y)); read y", "echo …* ; read y ; ?EvaluatedNumber"),
        ("for i in 1 2; do echo $((i*2)); done", "echo …*"),
        ("n=$(wc -l < f); echo $((n+1))", "wc -l <f ; n=…* - ; echo …*"),
        ("wc() { cat f; }; echo $(($(wc -l)))", "cat f ; wc -l ; echo …* ; ?EvaluatedNumber"),
        ("echo $(($1))", "?EvaluatedNumber ; echo …*"),
        ("echo $((${1}))", "?EvaluatedNumber ; echo …*"),
        (": 'a[$(rm)]'; ((_))", ": 'a[$(rm)]' ; ?EvaluatedNumber"),
        ("read <<< 'a[$(rm)]'; ((REPLY))", "read <<'a[$(rm)]' ; ?EvaluatedNumber"),
        ("((i++)); ((a > b)) && ls", "ls"),
        ("((rm) )", "rm"),
        ("x=${x:0:7}; y=${x:$n:1}", "x=…* - ; y=…* -"),
        ("x='a[$(rm)]'; echo ${y:x:1}", "x='a[$(rm)]' - ; echo …* ; ?EvaluatedNumber"),
        ("a[$(rm)]=1 git", "rm ; ?EvaluatedNumber ; a=1 git"),
        ("a[i]=1; a[i+1]=2", "a=1 - ; a=2 -"),
        ("n=$(grep -c x f); echo $((n*2))", "grep -c x f ; n=…* - ; echo …*"),
        (
            "n=$(grep -c x f g); echo $((n*2))",
            "grep -c x f g ; n=…* - ; echo …* ; ?EvaluatedNumber",
        ),
    ]);
}
