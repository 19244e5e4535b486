//! Threads of the library's and of clients, and cancellation.

use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use sysyc::backend::{CancelToken, Pool};

fn walks(target: &str) -> Module {
    let mut m = Module::new(Target::new(target).unwrap());
    for seed in 0..30 {
        let made = function(&mut m, &format!("walk{seed}"), (&[Type::I32], Type::I32), |f| {
            Walk::random(seed).build(f, true);
        });
        made.unwrap();
    }
    m
}

fn bytes(module: &Module, options: &Options) -> Result<Vec<u8>, Error> {
    module.clone().compile(options).and_then(Object::to_elf)
}

/// One that calls `see` with the number of each job, and does it twice.
fn watched(see: impl Fn(usize) + Send + Sync + 'static) -> Pool {
    let jobs = AtomicUsize::new(0);
    Pool::of(move |job| {
        see(jobs.fetch_add(1, Ordering::Relaxed));
        std::thread::scope(|scope| (0..2).for_each(|_| _ = scope.spawn(job)));
    })
}

#[test]
fn the_bytes_are_the_same_on_any_threads() {
    for (target, ..) in TARGETS {
        let module = walks(target);
        let own = Pool::new(3);
        let seen = Arc::new(AtomicUsize::new(0));
        let count = seen.clone();
        let pools = [own.clone(), own, watched(move |k| count.store(k, Ordering::Relaxed)), Pool::of(|_| ())];
        for level in LEVELS {
            let alone = bytes(&module, &Options::at(level)).unwrap();
            for pool in &pools {
                assert_eq!(
                    alone,
                    bytes(&module, &Options::at(level).pool(pool)).unwrap(),
                    "{target} {level:?}"
                );
            }
            let text = |options: &Options| module.clone().assembly(options).unwrap();
            assert_eq!(text(&Options::at(level)), text(&Options::at(level).pool(&pools[2])));
        }
        assert!(seen.load(Ordering::Relaxed) > 10);
    }
}

/// Text is read on them, with all errors, and programs are linked.
#[test]
fn text_is_read_and_programs_are_linked_on_any_threads() {
    let target = Target::new("aarch64").unwrap();
    let pools = [Pool::new(1), Pool::new(3), watched(|_| ())];
    let text = walks("aarch64").text();
    let wrong = "define i32 @a() {\n  ret i32 %x\n}\ndefine i32 @b() {\n  ret i32 0\n}\ndefine i32 @c() {\n  ret i32 1.0\n}\n";
    let first = Module::parse(wrong, target).unwrap_err();
    for pool in &pools {
        assert_eq!(Module::parse_on(&text, target, pool).unwrap().text(), text);
        let errors = Module::parse_on(wrong, target, pool).unwrap_err();
        let lines: Vec<u32> = errors.iter().filter_map(|error| Some(error.position?.0)).collect();
        assert_eq!((lines, &errors[0]), (vec![2, 8], &first), "{errors:?}");
    }
    let object = || walks("aarch64").compile(&Options::default()).unwrap();
    let alone = Linker::new(target).entry("walk1").object("o", object()).link().unwrap();
    for pool in &pools {
        let linker = Linker::new(target).entry("walk1").object("o", object()).pool(pool);
        assert_eq!(linker.link().unwrap(), alone);
    }
}

/// At each place where the threads get work, and from another thread at any time: the bytes come, or the error.
#[test]
fn what_is_cancelled_is_an_error_and_nothing_else() {
    let module = walks("riscv64");
    let is_cancelled = |error: Error| {
        assert_eq!(error.kind, ErrorKind::Cancelled, "{error}");
        assert_eq!(error.to_string(), "cancelled");
    };
    for level in LEVELS {
        let expected = bytes(&module, &Options::at(level)).unwrap();
        let token = CancelToken::new();
        assert_eq!(bytes(&module, &Options::at(level).cancel(&token)).unwrap(), expected);
        token.cancel();
        assert!(token.clone().is_cancelled());
        is_cancelled(bytes(&module, &Options::at(level).cancel(&token)).unwrap_err());
        is_cancelled(module.clone().assembly(&Options::at(level).threads(2).cancel(&token)).unwrap_err());
        let (mut stopped, mut whole, mut at) = (0, 0, 0);
        loop {
            let (token, last) = (CancelToken::new(), Arc::new(AtomicUsize::new(0)));
            let (other, seen) = (token.clone(), last.clone());
            let pool = watched(move |k| {
                seen.store(k, Ordering::Relaxed);
                if k == at {
                    other.cancel();
                }
            });
            match bytes(&module, &Options::at(level).pool(&pool).cancel(&token)) {
                Ok(bytes) => {
                    assert_eq!(bytes, expected);
                    whole += 1;
                }
                Err(error) => {
                    is_cancelled(error);
                    stopped += 1;
                }
            }
            if last.load(Ordering::Relaxed) < at {
                break;
            }
            at += 1;
        }
        assert!(stopped > 0 && whole > 0, "{level:?}: {stopped} of {at}");
        for micros in (0..4000).step_by(97) {
            let token = CancelToken::new();
            let done = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(std::time::Duration::from_micros(micros));
                    token.cancel();
                });
                bytes(&module, &Options::at(level).threads(2).cancel(&token))
            });
            match done {
                Ok(bytes) => assert_eq!(bytes, expected),
                Err(error) => is_cancelled(error),
            }
        }
    }
}

#[test]
fn code_in_memory_is_cancelled_too() {
    let target = Target::new("aarch64").unwrap();
    let mut m = Module::new(target);
    let func = m.function("f", Signature::new().param(Type::I32).result(Type::I32), Linkage::Local).unwrap();
    let built = || {
        let mut f = m.build(func).unwrap();
        Walk::random(5).build(&mut f, true);
        f.finish().unwrap()
    };
    for level in LEVELS {
        let (mut codegen, token) = (Codegen::new(&target, level), CancelToken::new());
        codegen.cancel(&token);
        let before = codegen.compile(&m, built()).unwrap();
        token.cancel();
        assert_eq!(codegen.compile(&m, built()).unwrap_err().kind, ErrorKind::Cancelled);
        // With another token it goes on as if nothing had been.
        codegen.cancel(&CancelToken::new());
        assert_eq!(codegen.compile(&m, built()).unwrap().bytes(), before.bytes());
    }
}
