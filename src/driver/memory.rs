//! Memory as the system sees it.

/// The most bytes that were resident so far; 0 where the system does not tell.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}

/// The exit code of a run for which there is not enough memory.
pub const EXHAUSTED: u8 = 71;

/// Gives a run that memory does not suffice for an exit code of its own: the standard library says how much
/// was asked for and aborts, and in place of the signal's end (134, which looks like a crash) the process
/// exits.
pub fn exit_when_exhausted() {
    #[cfg(unix)]
    {
        let always = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
        let (signal, code) = (signal_hook::consts::SIGABRT, i32::from(EXHAUSTED));
        _ = signal_hook::flag::register_conditional_shutdown(signal, code, always);
    }
}

/// What the work has as its stack, where the system gives less than the least: nothing here recurses on the
/// input, but what reads the command line needs some hundred kilobytes.
const STACK: usize = 4 << 20;
const LEAST: u64 = 1 << 20;

/// Does the work, on a thread of its own if the stack of this one is small (`ulimit -s`).
pub fn with_stack<R: Send>(work: impl Fn() -> R + Sync) -> R {
    #[cfg(unix)]
    if rustix::process::getrlimit(rustix::process::Resource::Stack).current.is_some_and(|most| most < LEAST) {
        let thread = || std::thread::Builder::new().name("main".to_string()).stack_size(STACK);
        let done = std::thread::scope(|scope| Some(thread().spawn_scoped(scope, &work).ok()?.join()));
        match done {
            Some(Ok(result)) => return result,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => {}
        }
    }
    work()
}

/// Turns huge pages off for what this process touches from now on. The allocator asks for pages of 2 MB,
/// which once made a large compile faster; since functions use the same memory one after another they cost
/// more than they give: on 100,000 lines 66 MB instead of 46, on a million 0.6 s of the system's time instead
/// of 0.3. Where it cannot be done, nothing is lost but memory.
pub fn use_small_pages() {
    #[cfg(target_os = "linux")]
    {
        _ = rustix::thread::disable_transparent_huge_pages(true);
    }
}
