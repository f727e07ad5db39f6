//! The interpreters, and their options.

/// A program that runs the file it is given, or else its standard input.
#[derive(Debug)]
pub(crate) struct Interpreter {
    pub(crate) names: &'static str,
    /// As in [`crate::commands::options`]: `@code` carries code, `@script` names a file with code,
    /// `@module` names something installed, `@quit` runs nothing.
    pub(crate) options: &'static str,
}

const fn script(names: &'static str, options: &'static str) -> Interpreter {
    Interpreter { names, options }
}

/// Interpreters whose options stand before the script.
pub(crate) const INTERPRETERS: &[Interpreter] = &[
    script(
        "python pypy pythonw py ipython",
        "-b -B -c=@code! -d -E -h@quit -i -I -m=@module! -O -P -q -R -s -S -u -v -V@quit -W= -x -X= -? \
         --version@quit --help@quit --check-hash-based-pycs=",
    ),
    script(
        "perl",
        "-e=@code! -E=@code! -M=@code! -m=@code! -I= -n -p -i? -l? -0? -a -F= -w -W -X -c -s -S -t -T -u \
         -U -v@quit -V@quit -x? -C? -d?@code -D? -f -g -h@quit --help@quit --version@quit",
    ),
    script(
        "ruby jruby truffleruby",
        "-e=@code! -r=@code! -I= -n -p -i? -l -a -F= -w -W? -c -C= -d -E= -h@quit -K? -s -S -T? -v -x? -y \
         -0? -U --version@quit --help@quit --*",
    ),
    script(
        "node nodejs electron",
        "-e=@code! --eval=@code! -p@code! --print@code! -pe@code! -r=@code! --require=@code! \
         --import=@code! --loader=@code! --experimental-loader=@code! -c --check -i@code -v@quit \
         --version@quit -h@quit --help@quit -C= --conditions= --run=@script! --env-file= --env-file-if-exists= \
         --test-reporter= --inspect? --inspect-brk? --interactive@code --entry-url@code --title= --input-type= \
         --unhandled-rejections= --disable-warning= --test-name-pattern= --test-concurrency= --test-timeout= \
         --max-old-space-size= --stack-size= --watch-path= --test --test-only --test-force-exit --watch \
         --no-warnings --enable-source-maps --trace-warnings --trace-deprecation --trace-uncaught --expose-gc \
         --harmony --no-deprecation --throw-deprecation --preserve-symlinks --use-system-ca \
         --experimental-vm-modules --experimental-strip-types --experimental-transform-types \
         --experimental-test-coverage --abort-on-uncaught-exception",
    ),
    script(
        "php",
        "-r=@code! -R=@code! -B=@code! -E=@code! -f=@script! -F=@code! -d=@code! -c=@code! -n -a@code -i@quit \
         -l -m@quit -s -S=@script! -t= -v@quit -w -z=@code! -q -h@quit --version@quit --help@quit --run=@code!",
    ),
    script("lua luajit texlua", "-e=@code! -l=@code! -i@code -v -E -W -b -j= -O?"),
    script("osascript", "-e=@code! -i@code -l= -s="),
    script("rscript", "-e=@code! --version@quit --verbose --vanilla --no-save --*"),
    script("r", "-e=@code! -f=@script! --version@quit --vanilla --no-save --slave -q -s --*"),
    script(
        "julia",
        "-e=@code! -E=@code! --eval=@code! --print=@code! -L=@code! -i@code -q -v@quit --version@quit -h@quit \
         --help@quit -p= -t= --project? -O? --*",
    ),
    script("elixir iex", "-e=@code! --eval=@code! -r=@code! -S=@module! -v@quit --version@quit"),
    script("erl escript", "-eval=@code! -s@code"),
    script(
        "groovy scala kotlin kotlinc jshell clojure clj bb",
        "-e=@code! -version@quit --version@quit",
    ),
    script("tclsh wish expect", "-c=@code! -f=@script! -b= -d -n -v@quit -i@code"),
    script(
        "guile racket sbcl clisp chez scheme ocaml ghc runghc ghci swipl",
        "--version@quit -version@quit",
    ),
    script("emacs emacsclient", "--version@quit --help@quit"),
    script("irb pry", "--version@quit -v@quit"),
    script("bc dc", "--version@quit --help@quit -l -q -s -i -w"),
    script("ed red ex", "--version@quit --help@quit"),
    script("at batch", "-l@quit -V@quit -q= -m -M -v -t= -f=@script! -d@quit -r@quit -c@quit"),
    script("crontab", "-l@quit -u= -r@quit -i -e@code"),
    script("tmux screen dtach zellij", "-V@quit -v@quit"),
];
