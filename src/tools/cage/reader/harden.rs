//! What the reader's child gives up before it reads a workbook.

use serde::{Deserialize, Serialize};

#[derive(Debug, thiserror::Error)]
pub(super) enum HardenError {
    #[error("the limit on {0} was refused: {1}")]
    Limit(&'static str, rustix::io::Errno),
    /// The kernel supports the filter but refused ours.
    #[cfg(target_os = "linux")]
    #[error("system calls cannot be filtered: {0}")]
    Filter(String),
}

/// The layers that confine the child.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// Limits on memory, time, files and processes, which every system has.
    pub limits: bool,
    pub seccomp: bool,
    /// Landlock blocks files and network; `None` if the kernel has no Landlock.
    pub landlock: Option<String>,
}

impl Layers {
    pub fn text(&self) -> String {
        let mut layers = Vec::new();
        if self.limits {
            layers.push("limits on memory, time, files and processes".to_owned());
        }
        if self.seccomp {
            layers.push("a filter of system calls (seccomp)".to_owned());
        }
        layers.push(match &self.landlock {
            Some(how) => format!("Landlock ({how})"),
            None => "no Landlock, which this kernel lacks".to_owned(),
        });
        layers.join(", ")
    }
}

/// Room beyond the workbook: the stack, the program itself, and what the allocator holds back.
#[cfg(target_os = "linux")]
const SLACK: u64 = 256 << 20;

/// How much processor time it may use, in seconds.
const SECONDS: u64 = 120;

/// Gives up files and network, bounds memory, processor time and processes, then gives up system calls.
pub(super) fn harden(memory: u64) -> Result<Layers, HardenError> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let mut layers = Layers::default();
    // Landlock opens a file itself, so it must come before the limit on open files.
    #[cfg(target_os = "linux")]
    {
        layers.landlock = linux::give_up_files();
    }
    let limits = [
        ("cores", Resource::Core, 0, 0),
        // The first limit sends SIGXCPU, which says why the child ended; only a child that survives it is killed.
        ("processor time", Resource::Cpu, SECONDS, SECONDS + 5),
        ("file size", Resource::Fsize, 0, 0),
        // Open files stay open; it gets no more.
        ("open files", Resource::Nofile, 0, 0),
    ];
    for (name, resource, current, most) in limits {
        let limit = Rlimit { current: Some(current), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|errno| HardenError::Limit(name, errno))?;
    }
    layers.limits = true;
    #[cfg(target_os = "linux")]
    {
        let most = memory.saturating_add(SLACK);
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(Resource::As, limit).map_err(|errno| HardenError::Limit("memory", errno))?;
        let none = Rlimit { current: Some(0), maximum: Some(0) };
        setrlimit(Resource::Nproc, none).map_err(|errno| HardenError::Limit("processes", errno))?;
        linux::give_up_calls()?;
        layers.seccomp = true;
    }
    Ok(layers)
}

#[cfg(target_os = "linux")]
mod linux {
    use super::HardenError;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetStatus, Scope,
    };
    use seccompiler::{
        BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
        SeccompFilter, SeccompRule, TargetArch, apply_filter_all_threads,
    };
    use std::collections::BTreeMap;

    /// Gives up the whole file system and the network, as far as the kernel supports it.
    pub(super) fn give_up_files() -> Option<String> {
        let abi = ABI::V6;
        let ruleset = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(abi))
            .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
            .and_then(|rules| rules.scope(Scope::from_all(abi)))
            .and_then(landlock::Ruleset::create)
            .and_then(landlock::RulesetCreated::restrict_self);
        // Old kernels have no Landlock; the filter below, which every kernel in use has, lets no file be opened.
        match ruleset.ok()?.ruleset {
            RulesetStatus::FullyEnforced => Some("all of it".to_owned()),
            RulesetStatus::PartiallyEnforced => Some("as much as this kernel has".to_owned()),
            RulesetStatus::NotEnforced => None,
        }
    }

    /// Gives up everything except reading, writing, memory and exiting.
    pub(super) fn give_up_calls() -> Result<(), HardenError> {
        let failed = |error: String| HardenError::Filter(error);
        let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
            return Err(failed(format!("there is no filter for {}", std::env::consts::ARCH)));
        };
        let rules = allowed(std::process::id()).map_err(|error| failed(error.to_string()))?;
        // Refused rather than killed: the C library itself tries to open a file when it frees memory.
        let refuse = SeccompAction::Errno(libc::EACCES.unsigned_abs());
        let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, arch)
            .map_err(|error| failed(error.to_string()))?;
        let program = BpfProgram::try_from(filter).map_err(|error| failed(error.to_string()))?;
        apply_filter_all_threads(&program).map_err(|error| failed(error.to_string()))
    }

    /// The allowed calls, for the process `pid`.
    fn allowed(pid: u32) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
        let calls = [
            libc::SYS_read,
            libc::SYS_write,
            libc::SYS_close,
            libc::SYS_mmap,
            libc::SYS_munmap,
            libc::SYS_mremap,
            libc::SYS_mprotect,
            libc::SYS_madvise,
            libc::SYS_brk,
            libc::SYS_futex,
            libc::SYS_sched_yield,
            libc::SYS_sched_getaffinity,
            libc::SYS_getrandom,
            libc::SYS_clock_gettime,
            libc::SYS_sigaltstack,
            libc::SYS_rt_sigaction,
            libc::SYS_rt_sigprocmask,
            libc::SYS_rt_sigreturn,
            libc::SYS_gettid,
            libc::SYS_getpid,
            libc::SYS_exit,
            libc::SYS_exit_group,
        ];
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            calls.into_iter().map(|call| (call, Vec::new())).collect();
        // A panic sends its abort to itself. No other process may be signalled, not even one of the same person.
        let to_itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, pid.into())?;
        rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![to_itself])?]);
        Ok(rules)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn only_the_process_itself_may_be_signalled() {
            let rules = allowed(77).unwrap();
            let to_itself = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 77).unwrap();
            assert_eq!(rules[&libc::SYS_tgkill], [SeccompRule::new(vec![to_itself]).unwrap()]);
            for call in
                [libc::SYS_kill, libc::SYS_tkill, libc::SYS_rt_sigqueueinfo, libc::SYS_pidfd_send_signal]
            {
                assert!(!rules.contains_key(&call), "{call}");
            }
        }
    }
}
