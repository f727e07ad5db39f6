//! What real shells ran, and was read wrongly once.

mod commands;

use commands::{argv, bash, sh};

#[test]
fn what_bash_ran_is_read() {
    bash(&[
        ("c {x[}>o", "c {x[} >o"),
        (r#"h "${?%<(m)}""#, "?Process ; h …"),
        ("e $(<<'E'\nE=)\nE\n)", "?HereDocument ; - <<E=)⏎ ; e …*"),
        ("t ${@%${}${[}]}}", "?Parameter ; t …}*"),
        (
            "(({\np\n}\n#'\n))\nwhile e;do x;done<<'E'\n')'\nE\ni",
            "?Quoting ; p ; e ; x ; - <<')'⏎ ; i",
        ),
        ("t $((#'\ne '$''\\') )", "e '$\\' ; ?Quoting ; t …*"),
        ("t x[]=~", "?Quoting ; t …*"),
        ("t <()", "t …*"),
        ("t <(\\\n) <(#\n) <(a)", "a ; t …* …* …"),
        ("p $((case x in\n\\;);;*)esac<<E\nE\n))z", "?HereDocument ; - <<'' ; ?Quoting ; p …z*"),
        ("p $((ls #)\n) | b)", "ls ; b ; ?Quoting ; p …*"),
        ("t \"$\u{7f}(\n)\"", "?Quoting ; t '$\u{7f}(⏎)'"),
        ("p a=~==~", "?Quoting ; p 'a=~==~'"),
        ("p a=~/x=~ ~/x=~ ~=~", "p a=~/x=~ ~/x=~ ~=~"),
        ("p a=b~=~ ~==~", "p 'a=b~=~' '~==~'"),
        ("p a=~$x=~", "?Quoting ; p a=~$x=~*"),
        ("p $((ls) | b)", "ls ; b ; p …*"),
        ("t <(m)", "m ; t …"),
        (r#"h "${x/<(m)/y}""#, "?Process ; h …"),
        ("cat <<E\n${x#>(m)}\nE", "cat <<…* ; ?Process"),
        (r#"x ''\"#, r#"?Unterminated ; x \"#),
        ("find . -exec git {} +", "find . -exec git {} + ; git …* #inline ^find"),
        (r#"] {,$}a\b"#, "?Brace ; ] …*"),
        (
            "true >&'$(touch INJECTED; echo q)'",
            "?EvaluatedName ; true >'$(touch␣INJECTED;␣echo␣q)'",
        ),
        ("true >&$x", "true >?$x*"),
        ("x=$(cat f); true >&$x", "cat f ; x=…* - ; true >?$x* ; ?EvaluatedNumber"),
        ("true 1>&$(cat f)", "cat f ; ?EvaluatedName ; true >?…*"),
        ("s [{],}", "s …*"),
        ("e {,{,$}}", "?Brace ; e …*"),
        ("RANDOM='a[$(m)]'", "RANDOM='a[$(m)]' - ; ?EvaluatedNumber"),
        ("export RANDOM='a[$(m)]'", "RANDOM='a[$(m)]' export 'RANDOM=a[$(m)]' ; ?EvaluatedNumber"),
        ("for SECONDS in 'a[$(m)]'; do :; done", ": ; ?EvaluatedNumber"),
        ("RANDOM=1", "RANDOM=1 -"),
        (
            "bash <<'E'\nexec<data\nls\nE",
            "- <<exec<data⏎ls⏎ ; ?Code ^bash ; - <data ^bash ^exec ; ls ^bash",
        ),
        ("bash <<< 'exec < data'", "- <<exec␣<␣data ; ?Code ^bash ; - <data ^bash ^exec"),
        (
            "bash <<'E'\nhead -c 6\necho '; rm x; echo '\nE",
            "- <<head␣-c␣6⏎echo␣';␣rm␣x;␣echo␣'⏎ ; ?Code ^bash ; head -c 6 ^bash ; echo ;␣rm␣x;␣echo␣ ^bash",
        ),
        (
            "bash <<'E'\ncd /tmp\nls | head -n 3\nrm x\nE",
            "- <<cd␣/tmp⏎ls␣|␣head␣-n␣3⏎rm␣x⏎ ; cd /tmp ^bash ; ls @/tmp ^bash ; head -n 3 @/tmp ^bash ; rm x @/tmp ^bash",
        ),
        ("bash <<'E'\nrm -i x\nls\nE", "- <<rm␣-i␣x⏎ls⏎ ; ?Code ^bash ; rm -i x ^bash ; ls ^bash"),
        ("bash -c 'head -c 6\nls'", "head -c 6 ^bash ; ls ^bash"),
        ("x='a[$(m)]';o ${@:x}", "x='a[$(m)]' - ; o …* ; ?EvaluatedNumber"),
        ("x='a[$(m)]';o ${*:1:x} ${1:x} ${#:x}", "x='a[$(m)]' - ; o …* …* …* ; ?EvaluatedNumber"),
        (
            "bash <<'E'\necho `head -c 6`\necho '; rm x; echo '\nE",
            "- <<echo␣`head␣-c␣6`⏎echo␣';␣rm␣x;␣echo␣'⏎ ; echo …* ^bash ; echo ;␣rm␣x;␣echo␣ ^bash ; ?Code ^bash ; head -c 6 ^bash",
        ),
        ("bash <<< 'head -c 6'", "- <<head␣-c␣6 ; head -c 6 ^bash"),
        ("x='($(m))'; declare -a y=$x", "x='($(m))' - ; y=$x* declare -a y=$x* ; ?EvaluatedNumber"),
        (
            r#"declare -a y; x='($(m))'; declare y="$x""#,
            "declare -a y ; x='($(m))' - ; y=$x declare y=$x ; ?EvaluatedNumber",
        ),
        (r#"local x=$1 y="$2""#, "x=$1* y=$2 local x=$1* y=$2"),
        ("x \"$${\"\\\n\"}\"", "?Quoting ; x …*"),
        ("é {,{$(),}}", "é …*"),
        ("]\t$'\\c\\'}\n#'", "?Unterminated"),
        ("set 'a[$(m)]';t ${!1}", "set 'a[$(m)]' ; ?EvaluatedNumber ; t …*"),
        ("t ${!#}", "t …*"),
        ("(m)<<t\n$(e '\\\n'\"\")", "m ; - <<…* ; e ''"),
        ("cat <<E\na\\\\\nb\\\nc\nE", "cat <<a\\⏎bc⏎"),
        ("b a=~=~ ~=~:~", "b a=~=~ ~=~:~"),
        ("p\t$(a=(\\;)\n''$)''", "?Quoting ; a=… - ; $ ; p …*"),
        ("a=(\\;)", "a=… -"),
        ("f>\\\n(m)", "?Quoting ; ?Syntax"),
        ("$'\\\u{1}'", "?Quoting ; ?Escape"),
        ("cat <<E\nm \\", "?HereDocument ; cat <<m␣"),
        ("coproc g [[ -v a ]]", "?Syntax ; g [[ -v a ]]"),
        ("coproc t x=({,})", "?Syntax ; t x=…"),
        ("declare -a x=({a,b})", "x=… declare -a x=… ; ?EvaluatedNumber"),
        ("t\t$x\\\n1", "?Quoting ; t …*"),
        ("t ~\\\nroot", "?Quoting ; t '~root'"),
        ("t `w 'a\\\nb'`", "t …* ; w ab"),
        ("c ~:x ~root:x ~=~ ~=~/a", "c ~:x ~root:x ~=~ ~=~/a"),
    ]);
}

#[test]
fn braces_expand_as_bash_expands_them() {
    bash(&[
        ("c\t$x{1..2}y", "c …*"),
        ("c ${x}{1..2}y", "c $x…y*"),
        ("t {b},}", "t …*"),
        ("c x{},a}", "c …*"),
        ("c a{b},c {d..} @{u}..@{1}", "c a{b},c …* @{u}..@{1}"),
        ("c \"${x:-\"{a,b}\"}\"", "?Brace ; c …*"),
        ("c \"`e \"a{b,c}\"`\"", "?Brace ; c …* ; e a{b,c}"),
        ("c \"$(e \"{b,c}\")\" \"${x:-\"d\"}\"", "e {b,c} ; c … …"),
        ("c ~{root,x}", "c …*"),
        ("c {[a,b}]", "c …*"),
        ("x='a[$(m)]'; c {$,b}[x]", "x='a[$(m)]' - ; ?Brace ; c …*"),
        ("x1='a[$(m)]'; c $[x{1,2}]", "x1='a[$(m)]' - ; ?EvaluatedNumber ; ?Brace ; c …*"),
        ("a=({1..3} {a,b})", "a=… -"),
        ("a=({$,b}[x])", "?Brace ; a=… -"),
        ("cp $DIR/{a,b} \"$(dirname \"${x}\")\"/{c,d} .", "dirname $x ; cp $DIR/…* …/…* ."),
    ]);
}

#[test]
fn a_here_document_in_a_substitution_joins_what_follows_it() {
    bash(&[
        ("x=$(cat <<E\nhi\nE\n)", "cat <<hi⏎ ; x=…* -"),
        ("x=$(cat <<E | jq .\nhi\nE\n)", "cat <<hi⏎ ; jq . ; x=…* -"),
        ("x=$(cat <<E\nhi\nE\necho a; rm b)", "cat <<hi⏎ ; echo a ; ?HereDocument ; rm b ; x=…* -"),
        ("c <(cat <<E && a; b\nhi\nE\n)", "?HereDocument ; cat <<hi⏎ ; a ; b ; c …"),
        ("c $(<<''>o\ng)\n\n)''", "?HereDocument ; - <<g)⏎ >o ; c …*"),
        ("cat <<E; a; b\nhi\nE", "cat <<hi⏎ ; a ; b"),
    ]);
}

#[test]
fn what_a_sh_ran_is_read() {
    sh(&[
        ("sh -ic '|git'", "sh -ic |git #input ; git ^sh"),
        ("bash -ic ls", "ls ^bash"),
        ("sh -sc a", "sh -sc a #input ; a ^sh"),
        ("<<-E\n$(cat '\n\t')\nE", "?HereDocument ; - <<…* ; cat ⏎"),
        ("<<-E\n\t$(cat)\n\t(x\nE", "- <<…* ; cat"),
        ("t \"$(('''$(rm)') ))\"", "?Quoting ; $(rm) ; t …)"),
        ("t {,}", "t {,} ; t …*"),
        ("m {$(),}", "m {…,}* ; m …*"),
        ("{,m}", "{,m} ; ?Brace"),
        (r#"c&>! "x""#, "c ; x >! ; c x >!"),
        ("c {x[1]}>o", "?Quoting ; c {x[1]}* >o"),
        ("g {1..2}", "g {1..2} ; g …*"),
        ("g {a..c}", "g {a..c} ; g …*"),
        (r#"time -f- $'te\x65'"#, r#"$te\x65 ^time ; tee ^time"#),
        ("rm ${-:}}", "?Parameter ; rm …}*"),
        ("t ${x-<(m)}", "t …* ; m"),
        ("s\t$'\\x{'", r#"s '$\x{' ; s …"#),
        ("[[ ''[[:alpha:]] ]]", "[[ [[:alpha:]]* ]]"),
        ("d ''[[:alpha:]] [[:alpha:]] [[x]]", "d [[:alpha:]]* [[:alpha:]]* [[x]]*"),
    ]);
}

#[test]
fn what_launchers_ran_is_read() {
    argv(&[
        ("setarch -R touch x", "setarch -R touch x #inline"),
        (
            "find d -name -exec -o -exec git ;",
            "?WrapperOption ^find ; find d -name -exec -o -exec git ; ; -o -exec git ^find",
        ),
        ("taskset -p 1 touch 0", "taskset -p 1 touch 0 ; touch 0 ^taskset"),
        ("flock L -c _", "flock L -c ␣ ; - ^flock ^sh"),
        ("choom -n1 rm", "choom -n1 rm #inline"),
        ("choom = -n1", "choom = -n1 #inline"),
        ("env --s=git --s=", "git --s= ^env"),
    ]);
}

/// bash looks for the end of what begins like arithmetic by counting parentheses.
#[test]
fn what_bash_counts_wrongly_is_not_understood() {
    bash(&[
        (
            "echo \"$((echo ${x:-)} B) ; echo \" ; touch evil ; echo \" )\"",
            "echo …* B ; echo ␣;␣touch␣evil␣;␣echo␣ ; ?Quoting ; echo …",
        ),
        (
            "\"$(([[ a =~ [)] ]]; echo) ; echo \" ; touch evil ; echo \" )\"",
            "echo ; echo ␣;␣touch␣evil␣;␣echo␣ ; ?Quoting ; ?Number",
        ),
        (
            "\"$((x[1)]=1; echo) ; echo \" ; touch evil ; echo \" )\"",
            "x=1 - ; echo ; echo ␣;␣touch␣evil␣;␣echo␣ ; ?Quoting ; ?Number",
        ),
        (
            "\"$((ca\\\nse x in x) ls;; esac) ; echo \" ; touch evil ; echo \" )\"",
            "ls ; echo ␣;␣touch␣evil␣;␣echo␣ ; ?Quoting ; ?Number",
        ),
        (
            "\"$((cat <\\\n<E\n)\nE\n) ; echo \" ; touch evil ; echo \" )\"",
            "cat <<)⏎ ; echo ␣;␣touch␣evil␣;␣echo␣ ; ?Quoting ; ?Number",
        ),
        ("((echo ${x:-)} ; touch evil ${y:-(} ))", "?Quoting"),
        ("echo $((${x:-)}; touch evil; ${y:-(}))", "?Quoting ; echo …*"),
        ("cat <<E\n$((echo ${x:-)} ; touch e ${y:-(} ))\nE", "cat <<…* ; ?Quoting"),
        ("a[$((echo ${x:-)} ; touch e ${y:-(} ))]=1", "?Quoting ; a=1 -"),
        ("((${?-)}))", "?Quoting"),
        ("t {,}~", "t …*"),
        ("t $() {,}~ {a,b}/~", "t …* …* …*"),
    ]);
}
