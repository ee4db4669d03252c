//! The walls that the child raises around itself. Each one stands alone, and none may be missing.

use super::Plan;
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, RestrictionStatus, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter,
};
use std::collections::BTreeMap;

/// Room beyond what code may use: libraries, and memory that is only reserved.
const SLACK: u64 = 1 << 30;
const FILES: u64 = 256;

pub(super) fn confine(plan: &Plan) -> Result<(), String> {
    let text = |error: rustix::io::Errno| error.to_string();
    // The child dies with its parent.
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(text)?;
    // A new session has no terminal to type into and gets none of its signals. Fails harmlessly if it is already a
    // leader.
    let _ = rustix::process::setsid();
    rustix::process::chdir(&plan.work).map_err(|error| format!("the folder cannot be entered: {error}"))?;
    let limits = [
        ("core files", Resource::Core, 0),
        ("processor time", Resource::Cpu, plan.seconds),
        ("file size", Resource::Fsize, plan.file),
        ("open files", Resource::Nofile, FILES),
        ("memory", Resource::As, plan.memory.saturating_add(SLACK)),
    ];
    for (name, resource, most) in limits {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|error| format!("the limit on {name} was refused: {error}"))?;
    }
    let status = files(plan).map_err(|error| format!("Landlock cannot be had: {error}"))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("Landlock cannot be had: this kernel does not hold to it".to_owned());
    }
    calls().map_err(|error| format!("system calls cannot be filtered: {error}"))
}

/// Allows the files of the plan, and nothing else in the file system.
fn files(plan: &Plan) -> Result<RestrictionStatus, RulesetError> {
    let newer = AccessFs::from_all(ABI::V6);
    let rules = first_landlock()?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(newer)?
        .handle_access(AccessNet::from_all(ABI::V6))?
        .scope(Scope::from_all(ABI::V6))?;
    restrict(plan, rules, newer)
}

/// What every kernel with Landlock can do. The filter of calls closes what only newer ones cover.
fn first_landlock() -> Result<Ruleset, RulesetError> {
    let rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    rules.handle_access(AccessFs::from_all(ABI::V1))
}

fn restrict(
    plan: &Plan,
    rules: Ruleset,
    handled: BitFlags<AccessFs>,
) -> Result<RestrictionStatus, RulesetError> {
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = read
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir;
    rules
        .create()?
        .add_rules(path_beneath_rules(&plan.read, read))?
        .add_rules(path_beneath_rules(&plan.start, AccessFs::ReadFile | AccessFs::Execute))?
        .add_rules(path_beneath_rules(&plan.write, write & handled))?
        .restrict_self()
}

/// Allows the calls that Python needs for files and memory. No call may reach another process or the network. Landlock
/// does not cover the mode, times and attributes of a file: calls that change those do nothing and say that it is done,
/// since libraries make them in passing.
fn calls() -> Result<(), String> {
    let arch = std::env::consts::ARCH;
    let target = TargetArch::try_from(arch).map_err(|_| format!("there is no filter for {arch}"))?;
    let filter = |rules, otherwise, matched| -> Result<(), String> {
        let filter =
            SeccompFilter::new(rules, otherwise, matched, target).map_err(|error| error.to_string())?;
        let program = BpfProgram::try_from(filter).map_err(|error| error.to_string())?;
        apply_filter(&program).map_err(|error| error.to_string())
    };
    let all = |calls: &[&[i64]]| -> BTreeMap<i64, Vec<SeccompRule>> {
        calls.concat().into_iter().map(|call| (call, Vec::new())).collect()
    };
    // Of what two filters say, the stricter counts: "done" is stricter than "allowed".
    filter(all(&[&PRETENDED, &OLD_PRETENDED]), SeccompAction::Allow, SeccompAction::Errno(0))?;
    let mut rules = all(&[&CALLS, &OLD_CALLS, &PRETENDED, &OLD_PRETENDED]);
    let only = |argument: u8, values: &[u64]| -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
        let rule = |value: &u64| {
            let equals = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *value)?;
            SeccompRule::new(vec![equals])
        };
        values.iter().map(rule).collect()
    };
    let text = |error: seccompiler::BackendError| error.to_string();
    let pid = u64::from(std::process::id());
    // Allows threads but no processes.
    let thread = libc::CLONE_THREAD.unsigned_abs().into();
    let is_thread = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), thread)
        .map_err(text)?;
    rules.insert(libc::SYS_clone, vec![SeccompRule::new(vec![is_thread]).map_err(text)?]);
    // Code may ask about a terminal, but not type into one.
    rules.insert(libc::SYS_ioctl, only(1, &IOCTLS).map_err(text)?);
    rules.insert(libc::SYS_fcntl, only(1, &FCNTLS).map_err(text)?);
    // An abort signals the process itself.
    rules.insert(libc::SYS_tgkill, only(0, &[pid]).map_err(text)?);
    // Before its third version, Landlock lets code truncate a file that it opens only for reading.
    let opens = |argument: u8| -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
        let flags = |mask: i32, value: i32| {
            let masked = SeccompCmpOp::MaskedEq(mask.unsigned_abs().into());
            let value = value.unsigned_abs().into();
            SeccompRule::new(vec![SeccompCondition::new(argument, SeccompCmpArgLen::Dword, masked, value)?])
        };
        Ok(vec![
            flags(libc::O_TRUNC, 0)?,
            flags(libc::O_ACCMODE, libc::O_WRONLY)?,
            flags(libc::O_ACCMODE, libc::O_RDWR)?,
        ])
    };
    rules.insert(libc::SYS_openat, opens(2).map_err(text)?);
    #[cfg(target_arch = "x86_64")]
    rules.insert(libc::SYS_open, opens(1).map_err(text)?);
    // Limits may be read but not set.
    let null = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0).map_err(text)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![null]).map_err(text)?]);
    // Look like a system without the call: libraries then do without it.
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    filter(rules, refuse, SeccompAction::Allow)
}

/// Calls that change the mode, times and attributes of a file.
const PRETENDED: [i64; 10] = [
    libc::SYS_utimensat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    // fchmodat2, which libc has no name for on every architecture.
    452,
    libc::SYS_setxattr,
    libc::SYS_fsetxattr,
    libc::SYS_lsetxattr,
    // No attributes are there to be read.
    libc::SYS_listxattr,
    libc::SYS_flistxattr,
    libc::SYS_llistxattr,
];

/// The same calls by their older names.
#[cfg(target_arch = "x86_64")]
const OLD_PRETENDED: [i64; 4] = [libc::SYS_utime, libc::SYS_utimes, libc::SYS_futimesat, libc::SYS_chmod];
#[cfg(not(target_arch = "x86_64"))]
const OLD_PRETENDED: [i64; 0] = [];

const IOCTLS: [u64; 6] = [
    0x5401, // TCGETS
    0x5413, // TIOCGWINSZ
    0x541B, // FIONREAD
    0x5421, // FIONBIO
    0x5450, // FIONCLEX
    0x5451, // FIOCLEX
];

/// Duplicates, flags and locks of its own files.
const FCNTLS: [u64; 9] = [0, 1, 2, 3, 4, 5, 6, 7, 1030];

const CALLS: [i64; 85] = [
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_fstatfs,
    libc::SYS_lseek,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_madvise,
    libc::SYS_msync,
    libc::SYS_brk,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_chdir,
    libc::SYS_fchdir,
    libc::SYS_getdents64,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_mkdirat,
    libc::SYS_ftruncate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_umask,
    libc::SYS_ppoll,
    libc::SYS_pselect6,
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_getcpu,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_times,
    libc::SYS_getrusage,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getresuid,
    libc::SYS_getresgid,
    libc::SYS_getgroups,
    libc::SYS_getsid,
    libc::SYS_getpgid,
    libc::SYS_uname,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending,
    libc::SYS_sigaltstack,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Landlock only lets Python itself be executed, behind the same walls.
    libc::SYS_execve,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_membarrier,
    libc::SYS_getrandom,
];

/// The same calls by their older names.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: [i64; 18] = [
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_dup2,
    libc::SYS_getdents,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_select,
    libc::SYS_time,
    libc::SYS_getpgrp,
    libc::SYS_arch_prctl,
    libc::SYS_getrlimit,
    libc::SYS_creat,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: [i64; 0] = [];

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File, OpenOptions};
    use std::os::unix::fs::OpenOptionsExt;

    #[test]
    fn the_first_landlock_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        let [own, library, secret] = ["own", "library", "secret"].map(|name| folder.path().join(name));
        for place in [&own, &library, &secret] {
            fs::create_dir(place).unwrap();
            fs::write(place.join("file"), "words").unwrap();
        }
        let plan = Plan {
            python: library.clone(),
            read: vec![library.clone()],
            start: Vec::new(),
            write: vec![own.clone()],
            work: own.clone(),
            spare: own.clone(),
            memory: 0,
            seconds: 0,
            file: 0,
        };
        let places = [own.clone(), library.clone(), secret];
        // The walls stand around this thread alone.
        let attempts = std::thread::spawn(move || {
            let rules = first_landlock().map_err(|error| error.to_string())?;
            restrict(&plan, rules, AccessFs::from_all(ABI::V1)).map_err(|error| error.to_string())?;
            calls()?;
            Ok::<_, String>(places.map(|place| {
                let truncated =
                    OpenOptions::new().read(true).custom_flags(libc::O_TRUNC).open(place.join("file"));
                (
                    File::open(place.join("file")).is_ok(),
                    truncated.is_ok(),
                    File::create(place.join("new")).is_ok(),
                )
            }))
        });
        match attempts.join().unwrap() {
            Ok(attempts) => {
                assert_eq!(attempts, [(true, false, true), (true, false, false), (false, false, false)]);
                assert_eq!(fs::read_to_string(library.join("file")).unwrap(), "words");
            }
            Err(error) => eprintln!("skipped: {error}"),
        }
    }
}
