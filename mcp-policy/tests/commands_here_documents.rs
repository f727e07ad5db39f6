//! Here-documents and here-strings.

mod commands;

use commands::bash;

/// W-06, W-117.
#[test]
fn a_body_ends_where_shells_end_it() {
    bash(&[
        ("cat <<EOF\nit's $x $(rm)\nEOF\nls", "cat <<…* ; ls ; rm"),
        ("cat <<'EOF'\nit's $x $(rm)\nEOF\nls", "cat <<'it's␣$x␣$(rm)⏎' ; ls"),
        ("cat <<\\EOF\n$(rm)\nEOF\nls", "cat <<'$(rm)⏎' ; ls"),
        ("cat <<\"E F\"\n$(rm)\nE F\nls", "cat <<'$(rm)⏎' ; ls"),
        ("cat <<-EOF\n\thello\n\tEOF\nls", "cat <<hello⏎ ; ls"),
        ("cat <<EOF\n  EOF\nrm x\nEOF", "cat <<␣␣EOF⏎rm␣x⏎"),
        ("cat <<A <<B\na\nA\nb\nB\nls", "cat <<a⏎ <<b⏎ ; ls"),
        ("cat <<E && rm x\nbody\nE\nls", "cat <<body⏎ ; rm x ; ls"),
        ("git commit -F - <<'E'\nfix: it's (done\nE", "git commit -F - <<fix:␣it's␣(done⏎"),
        (
            "git commit -m \"$(cat <<'E'\nit's (done)\nE\n)\"",
            "cat <<it's␣(done)⏎ ; git commit -m …",
        ),
        ("echo $(cat <<E\nfoo)\nE\n)", "cat <<foo)⏎ ; echo …*"),
        ("echo $(cat <<E)\nfoo\nE\nls", "?HereDocument ; cat <<foo⏎ ; echo …* ; ls"),
        ("cat <<E\n$(cat <<F\nx\nF\n)\nE\nls", "cat <<…* ; ls ; cat <<x⏎"),
        ("cat <<E\n\\$(rm) \\`rm\\` \\$x\nE\nls", "cat <<…* ; ls"),
        ("cat <<E\na\\\nE\nrm x\nE\nls", "cat <<aE⏎rm␣x⏎ ; ls"),
        ("cat <<E\nfoo", "cat <<foo⏎"),
        ("cat <<E # comment\nrm x\nE\nls", "cat <<rm␣x⏎ ; ls"),
        ("cat <<$x\nrm\n$x\nls", "?HereDocument ; cat <?…*"),
        ("cat <<E;ls\r\nrm\r\nE\r\nx", "cat <<rm\r⏎E\r⏎x⏎ ; ls\r"),
        ("cat <<git\ngit '$(rm -rf /)'\ngit", "cat <<…* ; rm -rf /"),
        ("cat <<E\n\"$(rm \"a\")\"\nE", "cat <<…* ; rm a"),
        ("if cat <<E; then\nx\nE\nrm y; fi", "cat <<x⏎ ; rm y"),
        (r#"cat <<< 'rm x'; cat <<< "$(rm)""#, "cat <<rm␣x ; rm ; cat <<…"),
        ("cat <<''\nrm x\n\nls", "cat <<rm␣x⏎ ; ls"),
        ("cat <<E\n$((x[$(rm)]))\nE", "cat <<…* ; rm ; ?EvaluatedNumber"),
        ("f() { cat <<E\nx\nE\n}; f", "cat <<x⏎ ; f"),
        ("cat <<E\n${x:-'$(rm)'}\nE", "cat <<…* ; ?Quoting ; rm"),
    ]);
}

/// W-35, W-36.
#[test]
fn a_body_for_a_shell_is_code_only_on_its_standard_input() {
    bash(&[
        ("cat <<E | bash\nrm -rf x\nE", "cat <<rm␣-rf␣x⏎ ; bash #input"),
        ("bash <<'E'\nrm -rf x\nE", "- <<rm␣-rf␣x⏎ ; rm -rf x ^bash"),
        ("bash <<E\nrm -rf x\nE", "- <<rm␣-rf␣x⏎ ; rm -rf x ^bash"),
        ("bash <<E\nrm $x\nE", "?Code ^bash ; bash <<…* #input"),
        ("bash -s -- a <<'E'\nrm x\nE", "- <<rm␣x⏎ ; rm x ^bash"),
        ("env bash <<'E'\nrm x\nE", "- <<rm␣x⏎ ^env ; rm x ^env ^bash"),
        ("bash <<'E' < other\ngit status\nE", "bash <<git␣status⏎ <other #input"),
        ("bash 3<<'E'\ngit status\nE", "bash <<git␣status⏎ #input"),
        ("bash 0<<'E'\nrm x\nE", "- <<rm␣x⏎ ; rm x ^bash"),
        ("{ bash; } <<'E'\nrm x\nE", "bash #input ; - <<rm␣x⏎"),
        ("bash <<< 'rm x'", "- <<rm␣x ; rm x ^bash"),
        (r#"bash <<< "$x""#, "?Code ^bash ; bash <<$x #input"),
    ]);
}
