//! Disks, rights, power, and what runs later.

use crate::commands::Command;
use crate::floor::delete::lists_vital;
use crate::floor::options::{is_one_of, operands, program, texts};
use crate::floor::spot::{Home, Rest, Spot};
use crate::floor::write::written;
use crate::truth::Truth;

/// Whether the command writes to a disk below its files.
pub(super) fn disk(home: &Home, command: &Command, _: &[Command]) -> Truth {
    let is_tool = program(command).is_some_and(|name| {
        ["mkfs", "newfs"].iter().any(|it| name.starts_with(it)) || DISK_TOOLS.contains(&&*name)
    });
    (is_tool || written(home, command).iter().any(is_device)).into()
}

/// Whether the spot is a device other than the harmless ones.
fn is_device(spot: &Spot) -> bool {
    match &*spot.segments {
        [dev, name, ..] if spot.is_absolute && dev == "dev" => !HARMLESS_DEVICES.contains(&&**name),
        _ => false,
    }
}

/// Whether the command runs with other rights.
pub(super) fn privilege(_: &Home, command: &Command, _: &[Command]) -> Truth {
    let is_shell = is_one_of(command, &["machinectl"]) && texts(command).any(|it| it == "shell");
    (is_shell || is_one_of(command, PRIVILEGE)).into()
}

/// Whether the command stops the machine, or every program.
pub(super) fn power(home: &Home, command: &Command, _: &[Command]) -> Truth {
    let first = || texts(command).find(|it| !it.starts_with('-'));
    let stops = match program(command).as_deref() {
        Some("shutdown" | "reboot" | "halt" | "poweroff" | "kexec" | "killall5") => true,
        Some("systemctl" | "loginctl") => first().is_some_and(|it| POWER_WORDS.contains(&it)),
        Some("init" | "telinit") => {
            first().is_some_and(|it| ["0", "1", "6", "S", "s"].contains(&it))
        }
        // `-1` as a target is every process.
        Some("kill") => texts(command).enumerate().any(|(place, it)| place > 0 && it == "-1"),
        _ => false,
    };
    let is_trigger =
        |it: &Spot| it.is_absolute && it.segments.last().is_some_and(|it| it == "sysrq-trigger");
    (stops || written(home, command).iter().any(is_trigger)).into()
}

/// Whether the command gives rights away, or takes them from the system.
pub(super) fn rights(home: &Home, command: &Command, all: &[Command]) -> Truth {
    if !is_one_of(command, &["chmod", "chown", "chgrp", "setfacl"]) {
        return Truth::No;
    }
    let targets = operands(command);
    let is_vital =
        |it: &Spot| it.is_absolute && it.rest != Rest::Unknown && home.is_vital(&it.segments);
    let whole = targets.iter().any(|it| is_vital(&home.spot(it, command)));
    let is_mode = |it: &str| {
        let symbolic = it.split(',').any(|it| {
            let bits = it.split(['+', '=']).nth(1);
            bits.is_some_and(|it| it.contains('s'))
        });
        let octal = it.len() >= 4
            && it.bytes().all(|it| it.is_ascii_digit())
            && it.trim_start_matches('0').len() >= 4;
        symbolic || octal
    };
    let sets_id = is_one_of(command, &["chmod"]) && texts(command).any(is_mode);
    let is_fed = command.via.last().is_some_and(|it| ["find", "xargs"].contains(&&*it.name));
    (whole || sets_id || is_fed && lists_vital(home, all)).into()
}

/// Whether the command leaves something behind that runs later.
pub(super) fn later(_: &Home, command: &Command, _: &[Command]) -> Truth {
    match program(command).as_deref() {
        Some("crontab") => (!texts(command).any(|it| it == "-l")).into(),
        Some("at" | "batch") => (!texts(command).any(|it| it == "-l")).into(),
        Some("launchctl") => {
            texts(command).any(|it| ["load", "bootstrap", "submit"].contains(&it)).into()
        }
        Some("systemctl") => texts(command).any(|it| ["enable", "link"].contains(&it)).into(),
        _ => Truth::No,
    }
}

const DISK_TOOLS: &[&str] = &[
    "badblocks",
    "blkdiscard",
    "cfdisk",
    "cryptsetup",
    "dd",
    "diskutil",
    "fdisk",
    "gdisk",
    "hdparm",
    "lvremove",
    "mdadm",
    "mke2fs",
    "mkswap",
    "parted",
    "pvremove",
    "sfdisk",
    "sgdisk",
    "vgremove",
    "wipefs",
    "zpool",
];

const HARMLESS_DEVICES: &[&str] = &[
    "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty",
    "urandom", "zero",
];

const PRIVILEGE: &[&str] = &[
    "doas", "gosu", "gsudo", "newgrp", "pkexec", "please", "run0", "runas", "runuser", "setpriv",
    "sg", "su", "su-exec", "sudo", "sudoedit",
];

const POWER_WORDS: &[&str] = &[
    "emergency",
    "exit",
    "halt",
    "hibernate",
    "hybrid-sleep",
    "isolate",
    "kexec",
    "poweroff",
    "reboot",
    "rescue",
    "soft-reboot",
    "suspend",
];
