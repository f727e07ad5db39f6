//! Code among the arguments of a program.

mod commands;

use commands::argv;

/// W-71 to W-74, W-90.
#[test]
fn interpreters_run_code_files_or_their_input() {
    argv(&[
        ("python3 -c import_os", "python3 -c import␣os #inline"),
        ("python3 x.py", "python3 x.py #script"),
        ("python3 -m pytest -q", "python3 -m pytest -q"),
        ("python3 -", "python3 - #input"),
        ("python3", "python3 #input"),
        ("python3 --version", "python3 --version"),
        ("python3.11 -Wc x.py", "python3.11 -Wc x.py #script"),
        ("perl -ne print", "perl -ne print #inline"),
        ("perl -pi -e s/a/b/ f", "perl -pi -e s/a/b/ f #inline"),
        ("ruby -e puts", "ruby -e puts #inline"),
        ("node -e x", "node -e x #inline"),
        ("node --eval=x", "node --eval=x #inline"),
        ("node x.js", "node x.js #script"),
        ("node --version", "node --version"),
        ("php -r x", "php -r x #inline"),
        ("lua -e x", "lua -e x #inline"),
        ("deno eval x", "deno eval x #inline"),
        ("deno run x.ts", "deno run x.ts #script"),
        ("deno test", "deno test"),
        ("bun x cowsay", "bun x cowsay #package"),
        ("bun run build", "bun run build"),
        ("bun run x.ts", "bun run x.ts #script"),
        ("bun install", "bun install"),
        ("osascript -e x", "osascript -e x #inline"),
        ("python3 -m timeit x", "python3 -m timeit x #inline"),
        ("python3 -m http.server", "python3 -m http.server"),
        ("python3 -m coverage run x.py", "python3 -m coverage run x.py #inline"),
        ("java -jar x.jar", "java -jar x.jar #script"),
        ("java -version", "java -version"),
        ("java X.java", "java X.java #script"),
    ]);
}

/// W-75.
#[test]
fn awk_may_only_read() {
    argv(&[
        ("awk {print_$1} f", "awk '{print␣$1}' f"),
        (r#"awk BEGIN{system("rm")}"#, r#"awk BEGIN{system("rm")} #inline"#),
        (r#"awk {print>"out"} f"#, r#"awk {print>"out"} f #inline"#),
        (r#"awk {print|"rm"} f"#, r#"awk {print|"rm"} f #inline"#),
        ("awk -f x.awk f", "awk -f x.awk f #script"),
        ("awk /a|b/ f", "awk /a|b/ f"),
        ("awk -F: {print_$1} /etc/passwd", "awk -F: '{print␣$1}' /etc/passwd"),
        ("awk /a|b/{print_$1} f", "awk '/a|b/{print␣$1}' f"),
        ("awk $1/2>3{print_$1} f", "awk '$1/2>3{print␣$1}' f"),
        ("awk !/x/{print}_END{print_n/2} f", "awk !/x/{print}␣END{print␣n/2} f"),
        (r#"awk {print_/"/|"rm"_/"/} f"#, r#"awk {print␣/"/|"rm"␣/"/} f #inline"#),
        (r#"awk {x++_/1|"rm";/x/} f"#, r#"awk {x++␣/1|"rm";/x/} f #inline"#),
        (r#"awk (x)/"/|"rm"_/"/ f"#, r#"awk (x)/"/|"rm"␣/"/ f #inline"#),
        ("awk {print_$1}_#_it's f", "awk '{print␣$1}␣#␣it's' f"),
        (r#"awk {print_"a|b>c"} f"#, r#"awk {print␣"a|b>c"} f"#),
        ("awk NR==FNR{a[$1]=$2;next}_$1_in_a f", "awk 'NR==FNR{a[$1]=$2;next}␣$1␣in␣a' f"),
    ]);
}

/// W-76.
#[test]
fn sed_may_only_edit() {
    argv(&[
        ("sed s/a/b/ f", "sed s/a/b/ f"),
        ("sed -n 1,5p f", "sed -n 1,5p f"),
        ("sed -i.bak -e s/a/b/g -e /x/d f", "sed -i.bak -e s/a/b/g -e /x/d f"),
        ("sed s/a/rm/e f", "sed s/a/rm/e f #inline"),
        ("sed s/a/b/w_out f", "sed s/a/b/w␣out f #inline"),
        ("sed 1e_rm f", "sed 1e␣rm f #inline"),
        ("sed w_out f", "sed w␣out f #inline"),
        ("sed -f x.sed f", "sed -f x.sed f #script"),
        (r#"sed $!N;s/\n/_/;P;D f"#, r#"sed '$!N;s/\n/␣/;P;D' f"#),
        ("sed --expression=s/a/b/e f", "sed --expression=s/a/b/e f #inline"),
        ("sed -ne /a/{p;q} f", "sed -ne /a/{p;q} f"),
        ("sed bx;e_rm;:x f", "sed bx;e␣rm;:x f #inline"),
        (r#"sed :a;N;$!ba;s/\n/_/g f"#, r#"sed ':a;N;$!ba;s/\n/␣/g' f"#),
        ("sed -e :a -e s/x//;ta f", "sed -e :a -e s/x//;ta f"),
    ]);
}

/// W-79 to W-85.
#[test]
fn settings_of_git_are_code() {
    argv(&[
        ("git status", "git status"),
        ("git -C /x log", "git -C /x log"),
        ("git -c core.pager=cat log", "git -c core.pager=cat log"),
        ("git -c core.pager=rm log", "git -c core.pager=rm log #inline"),
        ("git -c color.ui=never status", "git -c color.ui=never status"),
        ("git -c alias.x=!rm x", "git -c alias.x=!rm x #inline"),
        ("git --exec-path=/tmp log", "git --exec-path=/tmp log #inline"),
        ("git --config-env=a=b log", "git --config-env=a=b log #inline"),
        ("git rebase -x rm main", "git rebase -x rm main #inline"),
        ("git rebase --exe rm main", "git rebase --exe rm main #inline"),
        ("git rebase main", "git rebase main"),
        ("git difftool -y -x rm", "git difftool -y -x rm #inline"),
        ("git grep -Orm x", "git grep -Orm x #inline"),
        ("git grep -n x", "git grep -n x"),
        ("git bisect run rm", "git bisect run rm #inline"),
        ("git submodule foreach rm", "git submodule foreach rm #inline"),
        ("git submodule update", "git submodule update"),
        ("git clone ext::sh x", "git clone ext::sh x #inline"),
        ("git clone https://x/y", "git clone https://x/y"),
        ("git clone -u rm x", "git clone -u rm x #inline"),
        ("git fetch --upload-pack=rm", "git fetch --upload-pack=rm #inline"),
        ("git config alias.x !rm", "git config alias.x !rm #inline"),
        ("git config user.name x", "git config user.name x"),
        ("git config --get alias.x", "git config --get alias.x"),
        ("git config -l", "git config -l"),
        ("git config core.editor list", "git config core.editor list #inline"),
        ("git config list", "git config list"),
        ("git config alias.x get", "git config alias.x get #inline"),
    ]);
}

/// W-89.
#[test]
fn package_managers_are_read_by_their_subcommand() {
    argv(&[
        ("npm run x", "npm run x"),
        ("npm run build", "npm run build"),
        ("npm test", "npm test"),
        ("npm exec x", "npm exec x #package ; x ^npm"),
        ("npm x cowsay", "npm x cowsay #package ; cowsay ^npm"),
        ("npm init -y", "npm init -y"),
        ("npm init foo", "npm init foo #package"),
        ("npm --prefix web run build", "npm --prefix web run build"),
        ("npm --prefix web exec rm", "npm --prefix web exec rm #package"),
        ("npm run build -- --script-shell=x", "npm run build -- --script-shell=x"),
        ("npm --script-shell=x run build", "npm --script-shell=x run build #inline"),
        ("npm config set x y", "npm config set x y #inline"),
        ("pnpm dlx x", "pnpm dlx x #package ; x ^pnpm"),
        ("pnpm -r test", "pnpm -r test"),
        ("pnpm --filter x test", "pnpm --filter x test #package"),
        ("yarn build", "yarn build"),
        ("yarn dlx x", "yarn dlx x #package ; x ^yarn"),
        ("go test ./...", "go test ./..."),
        ("go run .", "go run . #script"),
        ("go build -toolexec=rm", "go build -toolexec=rm #inline"),
        ("cargo build", "cargo build"),
        ("cargo --config x=y build", "cargo --config x=y build #inline"),
    ]);
}

/// W-77, W-78, W-86 to W-88, W-93.
#[test]
fn options_carry_code() {
    argv(&[
        ("tar xf a.tar", "tar xf a.tar"),
        ("tar xf a --to-command=rm", "tar xf a --to-command=rm #inline"),
        (
            "tar cf a x --checkpoint-action=exec=rm",
            "tar cf a x --checkpoint-action=exec=rm #inline",
        ),
        ("tar -I zstd -xf a", "tar -I zstd -xf a"),
        ("tar -Irm -xf a", "tar -Irm -xf a #inline"),
        ("rsync -a x y", "rsync -a x y"),
        ("rsync -e rm x h:", "rsync -e rm x h: #inline"),
        ("scp x h:", "scp x h:"),
        ("scp -S rm x h:", "scp -S rm x h: #inline"),
        ("scp -oProxyCommand=x y h:", "scp -oProxyCommand=x y h: #inline"),
        ("make build", "make build"),
        ("make SHELL=/tmp/x", "make SHELL=/tmp/x #inline"),
        ("make --eval=x", "make --eval=x #inline"),
        ("make -f -", "make -f - #inline"),
        ("make CFLAGS=-O2", "make CFLAGS=-O2"),
        ("vim f", "vim f"),
        ("vim +10 f", "vim +10 f"),
        ("vim -c !rm f", "vim -c !rm f #inline"),
        ("vim +!rm f", "vim +!rm f #inline"),
        ("less f", "less f"),
        ("less +!rm f", "less +!rm f #inline"),
        ("man ls", "man ls"),
        ("man -P rm ls", "man -P rm ls #inline"),
        ("psql -c select_1", "psql -c select␣1"),
        (r#"psql -c \!_rm"#, r#"psql -c \!␣rm #inline"#),
        ("sqlite3 x.db select_1", "sqlite3 x.db select␣1"),
        ("sqlite3 x.db .shell_rm", "sqlite3 x.db .shell␣rm #inline"),
        ("curl -fsSL https://x", "curl -fsSL https://x"),
        ("curl -K f", "curl -K f #inline"),
        ("rg --pre rm x", "rg --pre rm x #inline"),
        ("sort --compress-program=rm f", "sort --compress-program=rm f #inline"),
        ("docker ps", "docker ps"),
        ("kubectl get pods", "kubectl get pods"),
        ("kubectl exec p -- rm", "kubectl exec p -- rm #inline"),
        ("jq . f", "jq . f"),
        ("crontab f", "crontab f #script"),
        ("crontab -l", "crontab -l"),
        ("at now", "at now #script"),
        ("sqlite3 x.db .shell_rm", "sqlite3 x.db .shell␣rm #inline"),
        ("sqlite3 x.db .schema", "sqlite3 x.db .schema"),
        ("sqlite3 -cmd x y", "sqlite3 -cmd x y #inline"),
        ("mysql -e system_rm", "mysql -e system␣rm #inline"),
    ]);
}
