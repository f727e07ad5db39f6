//! The programs that run another program, and how they are told which.

use crate::commands::ViaKind;

/// A program that runs another.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// Its name, or its names, parted by blanks; with a subcommand after a `/`.
    pub(crate) names: &'static str,
    pub(crate) kind: ViaKind,
    /// Its options; see [`crate::commands::options`].
    pub(crate) options: &'static str,
    /// How many words stand between the options and the command.
    pub(crate) operands: usize,
    /// What follows.
    pub(crate) rest: Rest,
}

/// How the command is given.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Rest {
    /// A program and its arguments.
    Command,
    /// Variables may be set before them.
    Assignments,
    /// Words that are joined and read by a shell.
    Shell,
    /// More arguments arrive on standard input.
    Arriving,
    /// A package that may be fetched first.
    Package,
}

const fn wrapper(names: &'static str, operands: usize, options: &'static str) -> Launcher {
    Launcher { names, kind: ViaKind::Wrapper, options, operands, rest: Rest::Command }
}

const fn launcher(names: &'static str, operands: usize, options: &'static str) -> Launcher {
    Launcher { names, kind: ViaKind::Launcher, options, operands, rest: Rest::Command }
}

const fn package(names: &'static str, options: &'static str) -> Launcher {
    Launcher { names, kind: ViaKind::Launcher, options, operands: 0, rest: Rest::Package }
}

/// Every launcher that is understood; options of GNU coreutils 9, util-linux 2.38 and findutils 4.9,
/// and of the others as their manuals give them.
pub(crate) const LAUNCHERS: &[Launcher] = &[
    Launcher {
        names: "env genv",
        kind: ViaKind::Wrapper,
        options: "-i --ignore-environment -0 --null -u= --unset= -C=@dir --chdir=@dir -S=@split! \
                  --split-string=@split! -v --debug --block-signal? --default-signal? \
                  --ignore-signal? --list-signal-handling -a=@name --argv0=@name --help@quit --version@quit",
        operands: 0,
        rest: Rest::Assignments,
    },
    wrapper(
        "timeout gtimeout",
        1,
        "-f --foreground -k= --kill-after= -p --preserve-status -s= --signal= -v --verbose \
         --help@quit --version@quit",
    ),
    wrapper(
        "time gtime",
        0,
        "-a --append -f= --format= -o=@file --output=@file -p --portability -q --quiet -v \
         --verbose -V@quit --version@quit --help@quit",
    ),
    wrapper("nice gnice", 0, "-n= --adjustment= -# --help@quit --version@quit"),
    wrapper("nohup gnohup", 0, "--help@quit --version@quit"),
    wrapper(
        "stdbuf gstdbuf",
        0,
        "-i= --input= -o= --output= -e= --error= --help@quit --version@quit",
    ),
    wrapper(
        "ionice",
        0,
        "-c= --class= -n= --classdata= -p=@quit --pid=@quit -P=@quit --pgid=@quit -t --ignore \
         -u=@quit --uid=@quit -h@quit --help@quit -V@quit --version@quit",
    ),
    wrapper(
        "setsid",
        0,
        "-c --ctty -f --fork -w --wait -h@quit --help@quit -V@quit --version@quit",
    ),
    wrapper("exec", 0, "-c -l -a=@name"),
    wrapper("command", 0, "-p -v@quit -V@quit"),
    wrapper("builtin", 0, ""),
    wrapper("coproc", 0, ""),
    wrapper("noglob nocorrect", 0, ""),
    wrapper("busybox toybox", 0, "--list@quit --list-full@quit --help@quit --long@quit"),
    wrapper("caffeinate", 0, "-d -i -m -s -u -t= -w=@quit"),
    wrapper("chronic", 0, "-v -e"),
    wrapper("unbuffer", 0, "-p"),
    Launcher {
        names: "sudo",
        kind: ViaKind::Privilege,
        options: "-A --askpass -B --bell -b --background -C= --close-from= -D=@dir --chdir=@dir -E \
                  --preserve-env? -e@edit --edit@edit -g= --group= -H --set-home -h= --host= -i@login \
                  --login@login -K@quit --remove-timestamp@quit -k --reset-timestamp -l@quit \
                  --list@quit -N --no-update -n --non-interactive -P --preserve-groups -p= \
                  --prompt= -R=@unknown --chroot=@unknown -r= --role= -S --stdin -s@login \
                  --shell@login -T= --command-timeout= -t= --type= -U= --other-user= -u= --user= \
                  -V@quit --version@quit -v@quit --validate@quit --help@quit",
        operands: 0,
        rest: Rest::Assignments,
    },
    Launcher {
        names: "doas",
        kind: ViaKind::Privilege,
        options: "-a= -C=@quit -L@quit -n -s@login -u=",
        operands: 0,
        rest: Rest::Command,
    },
    Launcher {
        names: "pkexec",
        kind: ViaKind::Privilege,
        options: "--user= -u= --disable-internal-agent --keep-cwd --version@quit --help@quit",
        operands: 0,
        rest: Rest::Command,
    },
    Launcher {
        names: "run0",
        kind: ViaKind::Privilege,
        options: "-u= --user= -g= --group= --nice= -D=@dir --chdir=@dir --setenv=@variable --background= \
                  --no-ask-password --unit= --property= --description= --slice= \
                  --slice-inherit --help@quit -h@quit --version@quit",
        operands: 0,
        rest: Rest::Command,
    },
    Launcher {
        names: "gosu su-exec",
        kind: ViaKind::Privilege,
        options: "--help@quit --version@quit",
        operands: 1,
        rest: Rest::Command,
    },
    Launcher {
        names: "setpriv",
        kind: ViaKind::Privilege,
        options: "-d@quit --dump@quit --groups= --init-groups --clear-groups --keep-groups \
                  --inh-caps= --ambient-caps= --bounding-set= --list-caps@quit --no-new-privs --rgid= \
                  --regid= --egid= --ruid= --reuid= --euid= --securebits= --pdeathsig= \
                  --selinux-label= --apparmor-profile= --reset-env --help@quit -h@quit -V@quit \
                  --version@quit",
        operands: 0,
        rest: Rest::Command,
    },
    launcher(
        "taskset",
        1,
        "-a --all-tasks -c --cpu-list -p --pid -h@quit --help@quit -V@quit --version@quit",
    ),
    launcher(
        "chrt",
        1,
        "-a --all-tasks -b --batch -d --deadline -f --fifo -i --idle -m@quit --max@quit -o --other \
         -p@quit --pid@quit -P= --sched-period= -D= --sched-deadline= -R --reset-on-fork -r --rr \
         -T= --sched-runtime= -v --verbose -h@quit --help@quit -V@quit --version@quit",
    ),
    launcher(
        "uclampset",
        0,
        "-m= -M= -a --all-tasks -p=@quit --pid=@quit -s@quit --system@quit -R --reset-on-fork -v \
         --verbose -h@quit --help@quit -V@quit --version@quit",
    ),
    launcher(
        "pipesz",
        0,
        "-g@quit --get@quit -s= --set= -f= --file= -n= --fd= -i --stdin -o --stdout -e --stderr -c \
         --check -q --quiet -v --verbose -h@quit --help@quit -V@quit --version@quit",
    ),
    launcher(
        "prlimit",
        0,
        "-p=@quit --pid=@quit --noheadings --raw --verbose -o= --output= -c? --core? -d? --data? \
         -e? --nice? -f? --fsize? -i? --sigpending? -l? --memlock? -m? --rss? -n? --nofile? -q? \
         --msgqueue? -r? --rtprio? -s? --stack? -t? --cpu? -u? --nproc? -v? --as? -x? --locks? -y? \
         --rttime? -h@quit --help@quit -V@quit --version@quit",
    ),
    launcher(
        "unshare",
        0,
        "-i? --ipc? -m? --mount? -n? --net? -p? --pid? -u? --uts? -U? --user? -C? --cgroup? -T? \
         --time? -f --fork --kill-child? --mount-proc? --map-user= --map-group= -r --map-root-user \
         -c --map-current-user --map-auto --map-users= --map-groups= --propagation= --setgroups= \
         --keep-caps -R=@unknown --root=@unknown -w=@dir --wd=@dir -S= --setuid= -G= --setgid= \
         --monotonic= --boottime= -h@quit --help@quit -V@quit --version@quit",
    ),
    Launcher {
        names: "nsenter",
        kind: ViaKind::Elsewhere,
        options: "-a --all -t= --target= -m? --mount? -u? --uts? -i? --ipc? -n? --net? -p? --pid? -U? \
                  --user? -C? --cgroup? -T? --time? -S? --setuid? -G? --setgid? \
                  --preserve-credentials -r? --root? -w? --wd? -W? --wdns? -F --no-fork -Z \
                  --follow-context -h@quit --help@quit -V@quit --version@quit",
        operands: 0,
        rest: Rest::Command,
    },
    Launcher {
        names: "chroot",
        kind: ViaKind::Elsewhere,
        options: "--groups= --userspec= --skip-chdir --help@quit --version@quit",
        operands: 1,
        rest: Rest::Command,
    },
    launcher(
        "systemd-run",
        0,
        "--user --system --scope -u= --unit= -p= --property= --description= --slice= \
         --slice-inherit -r --remain-after-exit --send-sighup --service-type= --uid= --gid= --nice= \
         --working-directory=@dir -d --same-dir -E=@variable --setenv=@variable -t --pty -P --pipe -q --quiet -G \
         --collect --wait --no-block --no-ask-password -h@quit --help@quit --version@quit",
    ),
    launcher(
        "strace ltrace",
        0,
        "-c -C -d -f --follow-forks -h@quit -i -k -n -q -r -t -T -v -V@quit -w -x -X= -y -Y -z -Z \
         -a= -b= -e= -E=@variable -I= -o=@pipe --output=@pipe -O= -p=@quit -P= -s= --string-limit= -S= -u= -U= \
         --trace= -l= -L -A=",
    ),
    Launcher {
        names: "xargs gxargs",
        kind: ViaKind::Launcher,
        options: "-0 --null -a=@input --arg-file=@input -d=@delimiter --delimiter=@delimiter -E= -e? --eof? -I=@template -i?@template \
                  --replace?@template -L=@lines -l?@lines --max-lines?@lines -n=@number --max-args=@number -o --open-tty -P= \
                  --max-procs= -p --interactive --process-slot-var=@variable -r --no-run-if-empty -s= \
                  --max-chars= --show-limits -t --verbose -x --exit --help@quit --version@quit",
        operands: 0,
        rest: Rest::Arriving,
    },
    Launcher {
        names: "watch",
        kind: ViaKind::Launcher,
        options: "-b --beep -c --color -C --no-color -d? --differences? -e --errexit -g --chgexit -n= \
                  --interval= -p --precise -q= --equexit= -r --no-rerun -s= --shotsdir= -t --no-title \
                  -w --no-wrap -x@argv --exec@argv -h@quit --help@quit -v@quit --version@quit",
        operands: 0,
        rest: Rest::Shell,
    },
    Launcher {
        names: "ssh",
        kind: ViaKind::Elsewhere,
        options: "-4 -6 -A -a -B= -b= -C -c= -D= -E=@file -e= -F=@code -f -G@quit -g -I=@code -i= -J= -K -k \
                  -L= -l= -M -m= -N@still -n -O= -o=@ssh -P= -p= -Q=@quit -q -R= -S= -s -T -t -V@quit -v -W= -w= \
                  -X -x -Y -y",
        operands: 1,
        rest: Rest::Shell,
    },
    package(
        "npx npm/exec npm/x pnpx pnpm/dlx pnpm/exec yarn/dlx yarn/exec bunx",
        "-y --yes --no --no-install -p= --package= -c=@shell --call=@shell -q --quiet --silent \
         --prefer-offline --prefer-online --offline --ignore-existing --bun -w= --workspace= \
         -s --shell-mode -h@quit --help@quit -v@quit --version@quit",
    ),
    package(
        "uvx uv/tool/run pipx/run",
        "--from= --with= --with-editable= --with-requirements= -p= --python= --spec= --isolated \
         --no-cache -n --offline -q --quiet -v --verbose --refresh -U --upgrade --no-config \
         --index-url= -i= --no-progress --reinstall --pip-args= -h@quit --help@quit -V@quit \
         --version@quit",
    ),
    launcher(
        "uv/run",
        0,
        "--with= --with-editable= --with-requirements= -p= --python= --extra= --all-extras --no-dev \
         --dev --only-dev --group= --no-group= --no-default-groups --all-groups --isolated --active \
         --no-sync --locked --frozen --no-project --package= --all-packages --directory=@dir \
         --project= --env-file=@code --no-env-file -q --quiet -v --verbose --offline --no-cache -n \
         --no-progress -m=@code --module=@code -s=@code --script=@code -h@quit --help@quit \
         -V@quit --version@quit",
    ),
    launcher(
        "poetry/run pipenv/run hatch/run pdm/run rye/run bundle/exec bundle/exe bundle/ex bundle/e",
        0,
        "-h@quit --help@quit",
    ),
    launcher(
        "conda/run mamba/run micromamba/run",
        0,
        "-n= --name= -p= --prefix= -v --verbose --dev --debug-wrapper-scripts --cwd=@dir \
         --no-capture-output --live-stream -h@quit --help@quit",
    ),
];
