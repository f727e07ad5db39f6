//! What real shells ran, and was read wrongly once: the language, and what it evaluates.

mod commands;

use commands::{bash, sh};

#[test]
fn names_that_are_put_together_are_not_known() {
    bash(&[
        ("x0='a[$(m)]';((x$?))", "x0='a[$(m)]' - ; ?EvaluatedNumber"),
        ("x1='a[$(m)]' y=1;[[ x$y -eq 1 ]]", "x1='a[$(m)]' y=1 - ; ?EvaluatedNumber"),
        ("ab='a[$(m)]';((${x:-a}b))", "ab='a[$(m)]' - ; ?EvaluatedNumber"),
        ("x0='a[$(m)]';: ${y:x\"$?\"}", "x0='a[$(m)]' - ; ?EvaluatedNumber ; : …*"),
        ("x=1;echo $((10#$x)) $((0x$x)) $((${x}00)) $((x+$x))", "x=1 - ; echo …* …* …* …*"),
    ]);
}

#[test]
fn arithmetic_sets_variables_that_decide_what_runs() {
    bash(&[
        (
            "let POSIXLY_CORRECT+=1\ntime -p git",
            "?EvaluatedVariable ; let POSIXLY_CORRECT+=1 ; git",
        ),
        ("[[ POSIXLY_CORRECT=1 -eq 1 ]]\ntime -p git", "?EvaluatedVariable ; git"),
        (
            "declare -i y=POSIXLY_CORRECT=1\ntime -p git",
            "?EvaluatedVariable ; y=POSIXLY_CORRECT=1 declare -i y=POSIXLY_CORRECT=1 ; git",
        ),
        ("unset 'x[IFS=1]'", "?EvaluatedVariable ; unset x[IFS=1]"),
    ]);
}

#[test]
fn what_is_evaluated_may_be_an_argument() {
    bash(&[
        ("bash -c '((a,$0))' 'a[$(m)]'", "?EvaluatedNumber ^bash"),
        ("bash -c 'test $0' '-v a[$(m)]'", "?EvaluatedName ^bash ; test $0* ^bash"),
        (
            "set 1 2 3 4 5 6 7 8 9 'a[$(m)]';let ${10}",
            "set 1 2 3 4 5 6 7 8 9 'a[$(m)]' ; ?EvaluatedNumber ; let $10*",
        ),
        ("set 'a[$(m)]';((${!#}))", "set 'a[$(m)]' ; ?EvaluatedNumber"),
        ("hBc='a[$(m)]';(($-))", "hBc='a[$(m)]' - ; ?EvaluatedNumber"),
        ("set 'a[$(m)]';for x do echo $((x));done", "set 'a[$(m)]' ; echo …* ; ?EvaluatedNumber"),
    ]);
}

#[test]
fn what_is_taken_out_of_quotes_in_arithmetic_is_expanded() {
    bash(&[
        ("((${x-a[\"$\"\"(m)\"]}))", "?Quoting ; ?EvaluatedNumber"),
        (": ${x['$'\"(m)\"]}", "?EvaluatedNumber ; : …*"),
        ("((${x-1}))", "-"),
    ]);
}

#[test]
fn arrays_are_given_lists_of_words() {
    bash(&[
        (": ${x[0]=a['$'\"(m)]\"};((x))", "?EvaluatedNumber ; : …* ; ?EvaluatedNumber"),
        (
            "x[0]= y='($(m))';declare x=$y",
            "x='' y='($(m))' - ; x=$y* declare x=$y* ; ?EvaluatedNumber",
        ),
        (
            "read -ax<<<1;y='($(m))';declare x=$y",
            "read -ax <<1 ; y='($(m))' - ; x=$y* declare x=$y* ; ?EvaluatedNumber",
        ),
        (
            "((x[0]=1));y='($(m))';declare x=$y",
            "y='($(m))' - ; x=$y* declare x=$y* ; ?EvaluatedNumber",
        ),
        (
            "y='($(m))';declare PIPESTATUS=$y",
            "y='($(m))' - ; PIPESTATUS=$y* declare PIPESTATUS=$y* ; ?EvaluatedNumber",
        ),
        ("y='($(m))';declare x=$y", "y='($(m))' - ; x=$y* declare x=$y*"),
        ("declare -a 'x=(<(m))'", "?EvaluatedName ; x=(<(m)) declare -a x=(<(m))"),
    ]);
}

#[test]
fn builtins_take_more_options_than_their_first() {
    bash(&[
        ("printf -vx -v'a[$(m)]' h", "?EvaluatedName ; printf -vx '-va[$(m)]' h"),
        ("y='-va[$(m)]';printf -vx $y h", "y='-va[$(m)]' - ; printf -vx $y* h ; ?HiddenOption"),
        ("printf -v x '%s' \"$y\"; printf -- \"-$y\"", "printf -v x %s $y ; printf -- -$y"),
        (
            "declare -i y;x='a[$(m)]' getopts -- x y -x",
            "declare -i y ; x='a[$(m)]' getopts -- x y -x ; ?EvaluatedNumber",
        ),
        (
            "f(){ coproc git;};declare -fx f;bash -c f",
            "git ; ?ShellOption ; f=$f declare -fx f ; f ^bash",
        ),
    ]);
}

#[test]
fn brackets_are_subscripts_only_where_bash_takes_them_for_it() {
    bash(&[
        ("declare x[a;git y]=1", "declare x[a ; git y]=1"),
        ("x=1 >f y[a;git y]=1", "?Syntax ; x=1 y=1 - >f"),
        ("coproc N x[a b]", "?Syntax ; N …x[]*"),
        ("ls | grep x[0-9]", "ls ; grep x[0-9]*"),
        ("a=(x[); git y; b=(y])", "a=… - ; git y ; b=… -"),
        ("a=([0]=x y[0-9])", "a=… -"),
        ("a ${x[1||x[}]]}", "?Parameter ; a …]]}*"),
        ("a ${x[$y]} ${x[\"]\"]} \"${x[${#x[@]}-1]}\"", "a …* …* …*"),
    ]);
}

#[test]
fn brackets_are_patterns_of_one_letter_too() {
    sh(&[
        ("t [!!] [^^] [!-] [[]", "t [!!]* [^^]* [!-]* [[]*"),
        ("t [!]] []] [^]x]", "t [!]]* []]* [^]x]*"),
        ("t [[==] [''[=]", "t …* …*"),
        ("t [''!]]", "t …*"),
        ("t [$n] [$n]y", "t [$n]* [$n]y*"),
        ("t [[.].]]", "t …*"),
        ("t x[0]=~ y", "t x[0]=~* y"),
        ("t x['']=~", "t x['']=~*"),
    ]);
}

#[test]
fn redirections_change_what_words_around_them_are() {
    bash(&[
        ("git 99999999999999999999>f", "?Quoting ; git >f"),
        ("x=$(>f ! git)", "?Syntax ; ! git >f ; x=…* -"),
        ("f(){ >x ! git;}", "?Syntax ; ! git >x"),
        (">f echo a", "echo a >f"),
        ("time>f -p", "-p >f"),
        ("time -p git >f", "git >f"),
    ]);
    sh(&[(": $(>f { git; >g })", "{ git >f ; } >g ; : …* ; ?Syntax")]);
}

#[test]
fn words_in_quotes_may_be_many() {
    bash(&[
        ("set a b;git \"${x-$@}\"", "set a b ; git …* #inline"),
        ("set 1 touch;nice -n\"${x-$@}\"", "set 1 touch ; ?WrapperOption ^nice ; nice -n…*"),
        ("git \"${x[0]:+${y[@]}}\"", "git …* #inline"),
        ("git \"${x%@*}\" \"${x:-a@b}\" \"${#x[@]}\"", "git … … …* #inline"),
    ]);
}

#[test]
fn backslashes_before_quotes_in_backquotes_are_not_certain() {
    sh(&[
        (": \"${x-`git \\\"; touch \\\"`}\"", "?Quoting ; : … ; git ;␣touch␣"),
        ("<<E\n${x-`git \\\"; touch \\\"`}\nE", "- <<…* ; ?Quoting ; git ;␣touch␣"),
        (": \"`git \\\"a b\\\"`\"", ": … ; git a␣b"),
    ]);
}

#[test]
fn a_condition_ends_before_the_next() {
    bash(&[
        ("[[ a == =~ && ( b == c # (\n) ]]; git y; [[ ( c == d # )\n ) ]]", "git y"),
        ("[[ a =~ (b|c) && d =~ ( e ) ]]; git", "git"),
    ]);
}

#[test]
fn a_here_document_may_end_with_its_tabs() {
    sh(&[
        ("<<-'\tE'\n\tE\ngit a", "?HereDocument ; - <<E⏎git␣a⏎"),
        ("cat <<-'E'\n\tx\n\tE\ngit a", "cat <<x⏎ ; git a"),
    ]);
}

#[test]
fn what_is_taken_for_numbers_may_be_mixed_with_other_text() {
    bash(&[
        (
            "bash='y[$(m)]' x=$(wc -l 2>&1 <nofile);((x))",
            "wc -l >& <nofile ; bash='y[$(m)]' x=…* - ; ?EvaluatedNumber",
        ),
        ("x=$(wc --help);((x))", "wc --help ; x=…* - ; ?EvaluatedNumber"),
        ("x=$(grep -c a f 2>/dev/null);((x))", "grep -c a f >null ; x=…* -"),
        (
            "set -T;trap \"echo 'y[\\$(m)]'\" DEBUG;x=$(wc -l);((x))",
            "set -T ; trap 'echo␣'y[$(m)]'' DEBUG ; wc -l ; x=…* - ; echo 'y[$(m)]' ^trap ; ?EvaluatedNumber",
        ),
        (
            "trap 'rm t' EXIT INT;x=$(wc -l <f);((x))",
            "trap rm␣t EXIT INT ; wc -l <f ; x=…* - ; rm t ^trap",
        ),
        (
            "command_not_found_handle(){ echo 'y[$(m)]';};x=$(nproc --all);((x))",
            "echo 'y[$(m)]' ; nproc --all ; x=…* - ; ?EvaluatedNumber",
        ),
        (
            "BASH_XTRACEFD=1;set -x;x=$(wc -l);((x))",
            "BASH_XTRACEFD!=1 - ; set -x ; wc -l ; x=…* - ; ?EvaluatedNumber",
        ),
    ]);
}

#[test]
fn what_touches_the_end_of_a_condition_is_a_redirection() {
    bash(&[
        ("[[ a ]]>|f", "- >f"),
        ("[[ a ]]<<'E'\n'\nE\nt\n'", "- <<'⏎ ; t ; ?Unterminated"),
        ("[[ a>b ]]; t", "t"),
    ]);
}

#[test]
fn tabs_in_an_expansion_stay_in_dash() {
    sh(&[
        ("<<-E\n())$(ls '\n\t')\nE", "?HereDocument ; - <<…* ; ls ⏎"),
        ("<<-E\n$(ls ')''\n\t')\nE", "?HereDocument ; - <<…* ; ls )⏎"),
        ("<<-E\n`ls '\\`\n\t'`\nE", "?HereDocument ; - <<…* ; ls `⏎"),
        ("<<-E\n$(ls)\n\ta\nE", "- <<…* ; ls"),
    ]);
}

#[test]
fn a_bracket_that_may_be_empty_may_end_later() {
    sh(&[
        ("a [``]}[$0]", "a …* ; -"),
        ("a [^''$y][]", "a …*"),
        ("a [[=dd=]", "a …*"),
        ("a [\\[:d:]", "a …*"),
        ("a [[:alpha:]][0-9]", "a [[:alpha:]][0-9]*"),
        ("a [0-9][a-z]", "a [0-9][a-z]*"),
    ]);
}

#[test]
fn the_end_of_a_file_of_commands_may_be_read_twice() {
    bash(&[
        ("bash <<<'a& b'", "- <<a&␣b ; ?Code ^bash ; a ^bash ; b ^bash"),
        ("bash <<E\na& b\nE", "- <<a&␣b⏎ ; a ^bash ; b ^bash"),
    ]);
}

#[test]
fn a_pattern_that_is_a_reserved_word_is_the_end_where_it_is_read_again() {
    bash(&[
        ("c <(case } in(esac);;*)esac|n {,})\"\"", "?Syntax ; n …* ; c …"),
        ("case a in(a|esac)n;;(esac)m;;esac", "?Syntax ; n ; m"),
        ("case a in a)n;;esac", "n"),
    ]);
}

#[test]
fn a_bracket_without_an_end_may_come_to_nothing() {
    bash(&[
        ("shopt -s nullglob;g [] [!]", "shopt -s nullglob ; g …* …*"),
        ("x=[] g -f[ ] ]", "x=[] g -f[ ] ]"),
        ("g x=[] x=[[:a:]", "g …* …*"),
        ("export x=[]", "x=[] export x=[]"),
        ("[ -f a ]; g [ b", "[ -f a ] ; g [ b"),
    ]);
}

#[test]
fn a_joined_line_may_stand_between_the_dots_of_a_sequence() {
    bash(&[("n {a.\\\n.c}\"\"", "?Brace ; n …*"), ("n {} \\\n a", "n {} a")]);
}

#[test]
fn what_is_no_parameter_is_not_understood() {
    bash(&[
        ("t \"${$''x[@]}\"", "?Parameter ; t …*"),
        ("t ${x''[@]} ${!''x[@]}", "?Parameter ; t …* …*"),
        (
            "t ${x} ${#x} ${!x} ${$} ${#} ${@:1} ${x,,} ${x~} ${!x@} ${#@}",
            "t $x* …* …* $$* $#* …* …* …* …* …*",
        ),
        ("t a\\\nb $x \\\n\"c\"", "t ab $x* c"),
        ("t $x\\\nb", "?Quoting ; t …*"),
    ]);
}

#[test]
fn a_document_of_a_compound_command_is_written_down_otherwise() {
    bash(&[
        ("p >((())<<E\n)\nE\n)", "?HereDocument ; - <<)⏎ ; p …"),
        ("((1))<<E\na\nE\nb", "- <<a⏎ ; b"),
        ("p $(cat <<E\na\nE\n)", "cat <<a⏎ ; p …*"),
    ]);
}
