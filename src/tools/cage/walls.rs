//! The walls that the child raises around itself. Each one stands alone, and none may be missing.

use super::Plan;
use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
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
    files(plan).map_err(|error| format!("Landlock cannot be had: {error}"))?;
    calls().map_err(|error| format!("system calls cannot be filtered: {error}"))
}

/// Allows the files of the plan, and nothing else in the file system.
fn files(plan: &Plan) -> Result<(), String> {
    let text = |error: landlock::RulesetError| error.to_string();
    let read = AccessFs::ReadFile | AccessFs::ReadDir;
    let write = read
        | AccessFs::WriteFile
        | AccessFs::Truncate
        // No folders: a million nested ones could be neither measured nor deleted.
        | AccessFs::MakeReg
        | AccessFs::RemoveFile;
    let status = Ruleset::default()
        // Older kernels let code truncate a file it cannot write.
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V3))
        .map_err(text)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V6))
        .and_then(|rules| rules.handle_access(AccessNet::from_all(ABI::V6)))
        .and_then(|rules| rules.scope(Scope::from_all(ABI::V6)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(&plan.read, read)))
        .and_then(|rules| {
            rules.add_rules(path_beneath_rules(&plan.start, AccessFs::ReadFile | AccessFs::Execute))
        })
        .and_then(|rules| rules.add_rules(path_beneath_rules(&plan.write, write)))
        .and_then(landlock::RulesetCreated::restrict_self)
        .map_err(text)?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("this kernel does not hold to it".to_owned());
    }
    Ok(())
}

/// Allows the calls that Python needs for files and memory. No call may reach another process, the network, or the
/// mode, owner or times of a file, which Landlock does not cover.
fn calls() -> Result<(), String> {
    let arch = std::env::consts::ARCH;
    let target = TargetArch::try_from(arch).map_err(|_| format!("there is no filter for {arch}"))?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        CALLS.iter().chain(&OLD_CALLS).map(|call| (*call, Vec::new())).collect();
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
    // Limits may be read but not set.
    let null = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0).map_err(text)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![null]).map_err(text)?]);
    // Look like a system without the call: libraries then do without it.
    let refuse = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, target).map_err(text)?;
    let program = BpfProgram::try_from(filter).map_err(text)?;
    apply_filter(&program).map_err(|error| error.to_string())
}

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
    libc::SYS_openat,
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
];

/// The same calls by their older names.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: [i64; 19] = [
    libc::SYS_open,
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
