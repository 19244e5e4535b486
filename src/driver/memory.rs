//! Huge pages are for huge inputs. The allocator asks for pages of 2 MB, which make a large compile a third faster (measured
//! on 56,000 lines: 0.10 s instead of 0.15 s) and 26 MB larger. For a small one they cost 6 MB, filled with zeros first; 4
//! of them are touched before `main`, and stay.

/// The most bytes that were resident so far; 0 where the system does not tell.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kib| kib * 1024)
}

/// Turns huge pages on or off for what this process touches from now on. Where that cannot be done, nothing is lost but memory.
pub fn use_huge_pages(on: bool) {
    #[cfg(target_os = "linux")]
    {
        _ = rustix::thread::disable_transparent_huge_pages(!on);
    }
    #[cfg(not(target_os = "linux"))]
    {
        _ = on;
    }
}
