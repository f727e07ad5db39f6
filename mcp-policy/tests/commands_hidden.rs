//! Options that run something, in variables and among names that arrive.

mod commands;

use commands::{Row, bash};

/// What a script gives a variable tells whether an option hides in it.
#[test]
fn options_in_variables_are_looked_for() {
    const ROWS: &[Row] = &[
        (r#"x="$HOME/p"; sort "$x""#, "x=$HOME/p - ; sort $x"),
        (r#"for i in 1 2; do f="p-$i"; sort "$f"; done"#, "f=p-$i - ; sort $f"),
        (r#"y=-o; x="$y"; sort "$x""#, "y=-o - ; x=$y - ; sort $x ; ?HiddenOption"),
        (r#"t=$(mktemp); sort "$t""#, "mktemp ; t=…* - ; sort $t"),
        (r#"t=$(mktemp -p -o); sort "$t""#, "mktemp -p -o ; t=…* - ; sort $t ; ?HiddenOption"),
        (r#"sed -i s/a/b/ $(grep -rl a src)"#, "grep -rl a src ; sed -i s/a/b/ …*"),
        (r#"ls() { rm; }; sort $(ls)"#, "rm ; ls ; sort …* ; ?HiddenOption"),
        (r#"p="$p $!"; wait $p"#, "p=$p␣$! - ; wait $p*"),
        (r#"make -j$(nproc)"#, "nproc ; make -j…*"),
        (r#"gcc -I"$d" -o "$o" a.c"#, "gcc -I$d -o $o a.c"),
        (r#"gcc -B"$d" a.c"#, "gcc -B$d a.c #inline"),
        (r#"tar --exclude="$x" -C"$d" -cf a b"#, "tar --exclude=$x -C$d -cf a b"),
        (r#"tar -v"$x" -cf a b"#, "tar -v$x -cf a b #inline"),
        (r#"x=SHELL=rm; make "$x""#, "x=SHELL=rm - ; make $x ; ?HiddenOption"),
        (r#"make -- "$(cat b)""#, "cat b ; make -- … #inline"),
        (r#"x=+!rm; vim "$x""#, "x=+!rm - ; vim $x ; ?HiddenOption"),
        (r#"kubectl -n "$n" get pods"#, "kubectl -n $n get pods"),
        (r#"docker compose -f "$f" ps"#, "docker compose -f $f ps"),
        (r#"docker compose "$(cat b)" a"#, "cat b ; docker compose … a #inline"),
        (r#"date -d "$(cat b)""#, "cat b ; date -d …"),
        (r#"printf "$(date)\n""#, r#"date ; printf …\n"#),
        (r#"printf $u -v 'x[$(rm)]' y"#, "?EvaluatedName ; printf $u* -v 'x[$(rm)]' y"),
        (r#"wait $u -p 'x[$(rm)]' 1"#, "?EvaluatedName ; wait $u* -p 'x[$(rm)]' 1"),
        (r#"find . "$!-exec" rm {} +"#, "?WrapperOption ^find ; find . $!-exec rm {} +"),
        (
            r#"find . "$(seq 0)-exec" rm {} \;"#,
            "seq 0 ; ?WrapperOption ^find ; find . …-exec rm {} ;",
        ),
        (r#"env -u"$(seq 0)" echo rm"#, "seq 0 ; ?WrapperOption ^env ; env -u… echo rm"),
        (r#"find . <()-exec rm {} \;"#, "?WrapperOption ^find ; find . …-exec* rm {} ;"),
        (r#"git submodule update --init "$p""#, "git submodule update --init $p"),
        (r#"git clone --branch="$b" u"#, "git clone --branch=$b u"),
        (r#"go build -ldflags "-X a=$v""#, "go build -ldflags -X␣a=$v"),
        (r#"tar -cf b -I"./ef$x" f"#, "tar -cf b -I./ef$x f #inline"),
        (r#"scp -S"./il$x" f h:g"#, "scp -S./il$x f h:g #inline"),
        (r#"gcc -s"$x" a.c"#, "gcc -s$x a.c #inline"),
        (
            r#"go build -ldflags "-X a=$v -extld=./b""#,
            "go build -ldflags -X␣a=$v␣-extld=./b #inline",
        ),
        (r#"git push --branch "$(cat b)" c"#, "cat b ; git push --branch … c #inline"),
        (r#"git grep "$((0-1))O./b" a"#, "git grep …O./b a #inline"),
        (r#"x='A:=$(shell rm)'; make "$x""#, "x='A:=$(shell␣rm)' - ; make $x ; ?HiddenOption"),
        (r#"pytest -- "$(cat b)""#, "cat b ; pytest -- … #inline"),
        (r#"kubectl --namespace=n logs "$p""#, "kubectl --namespace=n logs $p"),
        (r#"f() { g; }; sort $(ls)"#, "g ; ls ; sort …*"),
        (r#"cargo test -p "$(cat b)""#, "cat b ; cargo test -p … #inline"),
        (r#"bun test "$(cat b)""#, "cat b ; bun test … #inline"),
        (r#"tar -xf a "$x""#, "tar -xf a $x"),
        (r#"x=b; tar -xf a "$x""#, "x=b - ; tar -xf a $x"),
        (r#"x=-Irm; tar -xf a "$x""#, "x=-Irm - ; tar -xf a $x ; ?HiddenOption"),
        (r#"x=$(cat b); tar -xf a "$x""#, "cat b ; x=…* - ; tar -xf a $x ; ?HiddenOption"),
        (r#"x=$(cat b); tar -xf "$x""#, "cat b ; x=…* - ; tar -xf $x"),
        (r#"x=b; tar -xf a "$x"-Irm"#, "x=b - ; tar -xf a $x-Irm #inline"),
        (r#"x='b -Irm'; tar -xf a $x"#, "x=b␣-Irm - ; tar -xf a $x* ; ?HiddenOption"),
        (r#"tar -xf a -- "$(cat b)""#, "cat b ; tar -xf a -- …"),
        (r#"tar -xf a "$1""#, "tar -xf a $1 #inline"),
        (r#"for f in *.tar a; do tar -xf "$f"; done"#, "tar -xf $f"),
        (r#"for f in -Irm; do tar -x "$f"; done"#, "tar -x $f ; ?HiddenOption"),
        (r#"read f; sort "$f""#, "read f ; sort $f ; ?HiddenOption"),
        (r#"read; sort "$REPLY""#, "read ; sort $REPLY #inline"),
        (r#"sort "$PWD""#, "sort $PWD"),
        (r#"sort -k "$(nproc)" -t "$(cat b)""#, "nproc ; cat b ; sort -k … -t …"),
        ("tar -cf a *", "tar -cf a ** #inline"),
        ("sort *.txt", "sort *.txt*"),
        (r#"curl -d "$(cat b)" u"#, "cat b ; curl -d … u"),
        (r#"curl -s "$(cat b)""#, "cat b ; curl -s … #inline"),
        (r#"git push origin "$b""#, "git push origin $b"),
        (
            r#"b=$(cat b); git push origin "$b""#,
            "cat b ; b=…* - ; git push origin $b ; ?HiddenOption",
        ),
        (r#"git log "$(cat b)""#, "cat b ; git log …"),
        (r#"find "$d" -name x -exec rm {} \;"#, "find $d -name x -exec rm {} ; ; rm … ^find"),
        (r#"d=-exec; find . "$d" rm \;"#, "d=-exec - ; find . $d rm ; ; ?HiddenOption"),
        (r#"d=$(cat b); find . "$d" out"#, "cat b ; d=…* - ; find . $d out ; ?HiddenOption"),
        (
            r#"find . -exec cp "$a" "$b" \;"#,
            "?WrapperOption ^find ; find . -exec cp $a $b ; ; cp $a $b ^find",
        ),
    ];
    bash(ROWS);
}

/// Names of files that arrive are no options, but where names are known to be taken for them.
#[test]
fn what_arrives_may_be_options() {
    const ROWS: &[Row] = &[
        ("ls | xargs rg x", "ls ; xargs rg x ; rg x …* ^xargs"),
        ("ls | sort | head -3 | xargs rg x", "ls ; sort ; head -3 ; xargs rg x ; rg x …* ^xargs"),
        ("ls | xargs tar -cf a", "ls ; xargs tar -cf a ; tar -cf a …* #inline ^xargs"),
        (
            "grep -rl a src | xargs sed -i s/a/b/",
            "grep -rl a src ; xargs sed -i s/a/b/ ; sed -i s/a/b/ …* ^xargs",
        ),
        (
            "grep -rh a src | xargs sed -i s/a/b/",
            "grep -rh a src ; xargs sed -i s/a/b/ ; sed -i s/a/b/ …* #inline ^xargs",
        ),
        ("echo --pre=rm | xargs rg x", "echo --pre=rm ; xargs rg x ; rg x …* #inline ^xargs"),
        ("ls | grep -o b | xargs rg x", "ls ; grep -o b ; xargs rg x ; rg x …* #inline ^xargs"),
        ("ls | xargs -a b rg x", "ls ; xargs -a b rg x ; rg x …* #inline ^xargs"),
        ("ls | xargs rg x <b", "ls ; xargs rg x <b ; rg x …* #inline ^xargs"),
        ("git diff -l | xargs rg x", "git diff -l ; xargs rg x ; rg x …* #inline ^xargs"),
        ("git ls-files | xargs rg x", "git ls-files ; xargs rg x ; rg x …* ^xargs"),
        (
            "find . -printf -x | xargs rg x",
            "find . -printf -x ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        ("find . | xargs rg x", "find . ; xargs rg x ; rg x …* ^xargs"),
        (
            r"find . -exec rg x --pre={} \;",
            "find . -exec rg x --pre={} ; ; rg x --pre=… #inline ^find",
        ),
        (
            r"find . -exec git grep -O{} a \;",
            "find . -exec git grep -O{} a ; ; git grep -O… a #inline ^find",
        ),
        (
            "ls | xargs -I{} git grep -O./{} x",
            "ls ; xargs -I{} git grep -O./{} x ; git grep -O./… x #inline ^xargs",
        ),
        ("ls | xargs -I{} rg a {} x{}y", "ls ; xargs -I{} rg a {} x{}y ; rg a … x…y ^xargs"),
        (
            "ls -l --time-style=+--pre=a | xargs rg x",
            "ls -l --time-style=+--pre=a ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (
            "git ls-files --format=--pre=a | xargs rg x",
            "git ls-files --format=--pre=a ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (
            "git log --format=--pre=a -- ls-files | xargs rg x",
            "git log --format=--pre=a -- ls-files ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (
            "grep -l --label=--pre=a x | xargs rg x",
            "grep -l --label=--pre=a x ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (r#"find . -exec rg a "$x{}" \;"#, "find . -exec rg a $x{} ; ; rg a … #inline ^find"),
        (r#"ls | xargs -I{} rg a "$x{}""#, "ls ; xargs -I{} rg a $x{} ; rg a … #inline ^xargs"),
        (
            "ls | xargs -I-x rg a --pre=./-x",
            "ls ; xargs -I-x rg a --pre=./-x ; rg a --pre=./… #inline ^xargs",
        ),
        (r#"ls | xargs -I"$p" rg a x"#, "ls ; ?WrapperOption ^xargs ; xargs -I$p rg a x"),
        (
            "ls | sort <<<--pre=a | xargs rg x",
            "ls ; sort <<--pre=a ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        ("ls | tail 1 | xargs rg x", "ls ; tail 1 ; xargs rg x ; rg x …* #inline ^xargs"),
        ("ls | tail -1 | xargs rg x", "ls ; tail -1 ; xargs rg x ; rg x …* ^xargs"),
        ("ls | tail -n 1 | xargs rg x", "ls ; tail -n 1 ; xargs rg x ; rg x …* ^xargs"),
        ("ls f$y | xargs rg x", "ls f$y* ; xargs rg x ; rg x …* #inline ^xargs"),
        (r#"ls "f$y" *.c ~/d | xargs rg x"#, "ls f$y *.c* ~/d ; xargs rg x ; rg x …* ^xargs"),
        (
            "grep --exclude -l x L | xargs rg x",
            "grep --exclude -l x L ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        ("rg -rl x f | xargs rg x", "rg -rl x f ; xargs rg x ; rg x …* #inline ^xargs"),
        (
            "git diff --name-only a -- src | xargs rg x",
            "git diff --name-only a -- src ; xargs rg x ; rg x …* ^xargs",
        ),
        ("ls | xargs -d. rg x", "ls ; xargs -d. rg x ; rg x …* #inline ^xargs"),
        (r"ls | xargs -d '\n' rg x", r#"ls ; xargs -d \n rg x ; rg x …* ^xargs"#),
        (
            "ls | grep f* | xargs sed -n p a",
            "ls ; grep f** ; xargs sed -n p a ; sed -n p a …* #inline ^xargs",
        ),
        ("ls | head -n 1* | xargs rg x", "ls ; head -n 1** ; xargs rg x ; rg x …* #inline ^xargs"),
        ("ls | head -n5 | xargs rg x", "ls ; head -n5 ; xargs rg x ; rg x …* ^xargs"),
        ("ls | tail -n +2 | xargs rg x", "ls ; tail -n +2 ; xargs rg x ; rg x …* ^xargs"),
        (
            "grep -l x a |& xargs sed -n p",
            "grep -l x a ; xargs sed -n p ; sed -n p …* #inline ^xargs",
        ),
        (
            "x=XO./b; ls | xargs -IX git grep \"$x\" a",
            "x=XO./b - ; ls ; xargs -IX git grep $x a ; git grep … a #inline ^xargs",
        ),
        (
            "grep -rL a src | xargs sed -i s/a/b/",
            "grep -rL a src ; xargs sed -i s/a/b/ ; sed -i s/a/b/ …* ^xargs",
        ),
        ("git grep -l a -- src | xargs rg x", "git grep -l a -- src ; xargs rg x ; rg x …* ^xargs"),
        (
            "git grep -l a 'HEAD^{/b c}' | xargs rg x",
            "git grep -l a HEAD^{/b␣c} ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (
            "find . -files0-from f -exec rg a {} +",
            "?WrapperOption ^find ; find . -files0-from f -exec rg a {} + ; rg a …* ^find",
        ),
        ("grep -e -l f | xargs rg x", "grep -e -l f ; xargs rg x ; rg x …* #inline ^xargs"),
        ("ls | sort f | xargs rg x", "ls ; sort f ; xargs rg x ; rg x …* #inline ^xargs"),
        (
            r#"find . -print"$()"f a | xargs rg x"#,
            "find . -print…f a ; xargs rg x ; rg x …* #inline ^xargs",
        ),
        (
            "ls() { cat b; }; ls | xargs rg x",
            "cat b ; ls ; xargs rg x ; rg x …* ^xargs ; ?HiddenOption",
        ),
        (r"find . -exec rg x {} \;", "find . -exec rg x {} ; ; rg x … ^find"),
    ];
    bash(ROWS);
}

/// What a value may be, for programs that want more than a dash.
#[test]
fn values_are_told_by_what_they_may_be() {
    const ROWS: &[Row] = &[
        (r#"n=$((0-1)); git grep "${n}O./b" a"#, "n=…* - ; git grep $nO./b a ; ?HiddenOption"),
        (r#"n=$((0-1)); sort "$n.txt""#, "n=…* - ; sort $n.txt"),
        (r#"x=O./b; git grep "$((0-1))$x" a"#, "x=O./b - ; git grep …$x a #inline"),
        ("sort {1..3}.txt", "sort ….txt*"),
        (
            r#"x='A:='; y='$(shell rm)'; make "$x$y""#,
            "x=A:= - ; y='$(shell␣rm)' - ; make $x$y ; ?HiddenOption",
        ),
        (r#"y='$(shell rm)'; make "A:=$y""#, "y='$(shell␣rm)' - ; make A:=$y ; ?HiddenOption"),
        (r#"p='a=$b'; rg "$p""#, "p='a=$b' - ; rg $p"),
        (r#"f=A.java; java "$f""#, "f=A.java - ; java $f ; ?HiddenOption"),
        (r#"for f in *.java; do sed -i s/a/b/ "$f"; done"#, "sed -i s/a/b/ $f"),
        ("x='*'; tar -cf a $x", "x='*' - ; tar -cf a $x* ; ?HiddenOption"),
        (r#"x='*'; tar -cf a "$x""#, "x='*' - ; tar -cf a $x"),
        ("f=$(ls); tar -cf a $f", "ls ; f=…* - ; tar -cf a $f* ; ?HiddenOption"),
        ("OLDPWD=-Irm; tar -cf a ~- f", "OLDPWD=-Irm - ; tar -cf a ~- f ; ?HiddenOption"),
        ("tar -cf a ~- f", "tar -cf a ~- f"),
        (
            r#"w='a -extld=./b'; go build -ldflags "$v -$w""#,
            "w=a␣-extld=./b - ; go build -ldflags $v␣-$w ; ?HiddenOption",
        ),
        (
            r#"set -T; trap 'echo a' DEBUG; sed -n p $(ls)"#,
            "set -T ; trap echo␣a DEBUG ; ls ; sed -n p …* ; echo a ^trap ; ?HiddenOption",
        ),
        ("scp -ro ProxyCommand=rm f h:g", "scp -ro ProxyCommand=rm f h:g #inline"),
        ("scp -oStrictHostKeyChecking=no f h:g", "scp -oStrictHostKeyChecking=no f h:g"),
        ("make -sf- a", "make -sf- a #inline"),
        ("less -Rkf", "less -Rkf #inline"),
        ("psql -qfx", "psql -qfx #inline"),
        ("mysql -e'system rm'", "mysql -esystem␣rm #inline"),
        ("bun run test src/a.test.ts", "bun run test src/a.test.ts"),
        ("bun --cwd . ./a.ts", "bun --cwd . ./a.ts #script"),
        ("pytest -Wignore::DeprecationWarning -xvs", "pytest -Wignore::DeprecationWarning -xvs"),
        ("wget -Ajpeg -qO- u", "wget -Ajpeg -qO- u"),
        (r#"gcc -std="$s" -O2 -Wall -lm a.c"#, "gcc -std=$s -O2 -Wall -lm a.c"),
        (
            "go build -ldflags -X=a/node-exporter/v.V=1",
            "go build -ldflags -X=a/node-exporter/v.V=1",
        ),
    ];
    bash(ROWS);
}
