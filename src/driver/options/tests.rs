//! Tests of command lines: what words mean, together and apart, and what is said of wrong ones.

use super::*;

fn parsed(line: &str) -> Result<Options, String> {
    parse(line.split(' ').map(OsString::from))
}

fn paths(inputs: &[Input]) -> Vec<String> {
    inputs.iter().map(|input| input.path.display().to_string()).collect()
}

/// Words that gcc's option parser, or a parser of clusters, would take for something else: each is named
/// whole, and what it nearly is.
#[test]
fn what_is_not_known_is_named_whole_with_what_is_near() {
    for (line, said) in [
        ("-whole-program t.sy", "no option '-whole-program'; "),
        ("-Verbose t.sy", "no option '-Verbose' (did you mean '--verbose'?)"),
        ("-O 2 t.sy", "no file '2'; the level follows at once: '-O2'"),
        ("-O4 t.sy", "'-O4': there are -O0"),
        ("-run t.sy", "no option '-run' (did you mean '--run'?)"),
        ("-emit=ir t.sy", "no option '-emit=ir' (did you mean '--emit'?)"),
        ("--emit=tre t.sy", "'--emit=tre': no 'tre' (did you mean 'tree'?); there are tokens, tree"),
        ("-fverfy t.sy", "no option '-fverfy' (did you mean '-fverify'?)"),
        ("-fverify=1 t.sy", "'-fverify' takes no value"),
        (
            "-Wunused-varable t.sy",
            "no group of warnings '-Wunused-varable' (did you mean 'unused-variable'?)",
        ),
        ("-fdisable-pass=mem2rag t.sy", "no pass 'mem2rag' (did you mean 'mem2reg'?)"),
        (
            "-fsanitize=bound t.sy",
            "'-fsanitize=bound': no 'bound' (did you mean 'bounds'?); there are bounds, ",
        ),
        ("-fsanitize=all t.sy", "'-fsanitize=all': no 'all'"),
        ("-fsanitize=address t.sy", "'-fsanitize=address': 'address' needs a library"),
        ("-fsanitise=bounds t.sy", "no option '-fsanitise=bounds' (did you mean '-fsanitize'?)"),
        ("--target=aarch46 t.sy", "no target 'aarch46' (did you mean 'aarch64'?)"),
        ("-mabi=ilp32 t.sy", "'-mabi=ilp32': riscv64 has only lp64d"),
        ("-j0 t.sy", "'-j0': a number from 1 on"),
        ("t.sy -o", "'-o' needs a value: -o FILE"),
        ("t.sy -fbisect", "'-fbisect' needs a value: -fbisect=N"),
        ("-S t.sy -c", "'-S' and '-c' cannot be used together"),
        ("-S --emit=ir t.sy", "'--emit=ir' and '-S' cannot be used together"),
        ("-Wl,-z,now,-Map=x t.sy", "'-Map=x' is for another linker"),
        ("@/no/such/file t.sy", "cannot read '@/no/such/file': there is no such file"),
        ("t.s", "'t.s' is assembly: sysyc has no assembler for text"),
        ("t.c", "'t.c' is C: make an object of it with a compiler of C, or say with -x sysy"),
        ("-emit-llvm t.sy", "'-emit-llvm' says what -S or -c are to make"),
        ("-c -MF x.d t.sy", "'-MF' says how a rule is written, and none is asked for"),
        ("-c -MT x.o t.sy", "'-MT' says how a rule is written, and none is asked for"),
        ("-Werror=formet t.sy", "no group of warnings '-Werror=formet'"),
        ("", "no input file"),
    ] {
        let error = parsed(format!("sysyc {line}").trim_end()).unwrap_err();
        assert!(error.starts_with(said), "{line}: {error}");
    }
}

#[test]
fn what_other_compilers_understand_is_taken_and_what_changes_is_remarked() {
    for line in
        ["-static -pipe -no-pie", "-MP -Wall -Wextra", "-mabi=lp64d -fwrapv", "-O2 -g3", "-Wl,--eh-frame-hdr"]
    {
        let o = parsed(&format!("sysyc {line} t.sy")).unwrap();
        assert!(o.remarks.is_empty() && o.goal == Goal::Link, "{line}: {:?}", o.remarks);
    }
    for (line, said) in [
        ("-pthread", "'-pthread' has no effect: programs have one thread"),
        ("-I include", "'-I include' has no effect"),
        ("-DN=3", "'-DN=3' has no effect: SysY has no preprocessor"),
        ("-gdwarf-4", "'-gdwarf-4' is taken as '-gdwarf-5'"),
        ("-x c", "'-x c' is taken as '-x sysy'"),
        ("-march=native", "'-march=native' has no effect: that is the machine here, and code is for riscv64"),
        ("-Wl,-rpath,/opt/lib", "'-rpath /opt/lib' of the linker has no effect: programs are static"),
        ("-Xlinker -rpath -Xlinker x", "'-rpath x' of the linker has no effect: programs are static"),
        ("-Wl,-rpath=x,--as-needed", "'-rpath=x' of the linker has no effect: programs are static"),
        ("-static-pie -rdynamic", "'-rdynamic' has no effect: a static program loads no libraries"),
        ("-rdynamic -static", "'-rdynamic' has no effect: a static program loads no libraries"),
        ("--run -fsanitize=stack -fprofile-generate", "'run' counts without '-fsanitize=stack'"),
        ("-Wl,-E", "'-E' of the linker has no effect: programs are static"),
        ("-Wl,-O1,-z,relro,--as-needed", "'-z relro' of the linker has no effect"),
        ("-Xlinker --build-id=sha1", "'--build-id=sha1' of the linker has no effect"),
        ("-Wvla", "'-Wvla' has no effect: there is no such warning of SysY"),
        ("-o x --check", "'-o x' has no effect: nothing is made"),
        ("-S --check", "'-S' has no effect: '--check' makes nothing"),
        ("--run -o x", "'-o x' has no effect: nothing is made"),
        ("-fprofile-use -fprofile-generate", "'-fprofile-use' has no effect"),
        ("-x ir -fprofile-generate", "'-fprofile-generate' has no effect on 't.sy': only SysY is counted"),
        ("-x ir -O2 -fprofile-use=x", "'-fprofile-use' has no effect on 't.sy': only SysY is counted"),
    ] {
        let o = parsed(&format!("sysyc {line} t.sy")).unwrap();
        assert!(o.remarks.len() == 1 && o.remarks[0].starts_with(said), "{line}: {:?}", o.remarks);
        assert_eq!(paths(&o.inputs), ["t.sy"], "{line}");
    }
    for line in ["-Wl,-rpath", "-Xlinker -rpath"] {
        let refused = parsed(&format!("sysyc t.sy {line}")).map(drop);
        assert_eq!(refused, Err("'-rpath' of the linker needs a word behind it".to_string()), "{line}");
    }
    for (line, level) in [
        ("-g", 0),
        ("-g -O2", 2),
        ("-O3 -ggdb", 3),
        ("-g0", 1),
        ("-gdwarf-5", 0),
        ("-gline-tables-only", 1),
        ("-g1 -g", 0),
        ("-Og", 0),
        ("-Os", 4),
        ("-Oz -O2", 2),
    ] {
        assert_eq!(parsed(&format!("sysyc {line} t.sy")).unwrap().level, level, "{line}");
    }
    assert!(parsed("sysyc -ggdb3 t.sy").unwrap().debug);
}

#[test]
fn what_may_be_done_to_floats_is_the_sum_of_the_words() {
    let of = |words: &str| parsed(&format!("sysyc {words} t.sy")).unwrap();
    let unsafe_math = Flags::FAST.without(Flags::NNAN);
    for (words, math) in [
        ("-O3", Flags::NONE),
        ("-ffast-math", Flags::FAST),
        ("-Ofast", Flags::FAST),
        ("-Ofast -fno-fast-math", Flags::NONE),
        ("-ffast-math -fsigned-zeros -ffp-contract=off", Flags::REASSOC.with(Flags::NNAN).with(Flags::ARCP)),
        ("-funsafe-math-optimizations", unsafe_math),
        ("-ffast-math -fno-finite-math-only", unsafe_math),
        ("-fassociative-math -fno-signed-zeros", Flags::REASSOC.with(Flags::NSZ)),
        ("-freciprocal-math -ffinite-math-only", Flags::ARCP.with(Flags::NNAN)),
        ("-ffp-contract=fast", Flags::CONTRACT),
        ("-ffp-contract=fast -ffp-contract=on", Flags::NONE),
    ] {
        assert_eq!(of(words).math, math, "{words}");
    }
    assert_eq!(of("-Ofast").level, 3);
    let neon = |words: &str| of(&format!("--target=armv7 -march=armv7-a+neon {words}")).features;
    assert!(
        neon("-ffast-math").has(features::NEON_FLOATS)
            && !neon("-freciprocal-math").has(features::NEON_FLOATS)
    );
}

#[test]
fn words_in_front_do_what_flags_do() {
    assert_eq!(parsed("sysyc run t.sy").unwrap().goal, Goal::Run);
    assert_eq!(parsed("sysyc check -Wall t.sy").unwrap().goal, Goal::Check);
    assert!(parsed("sysyc run --check t.sy").unwrap().checked);
    assert_eq!(parsed("sysyc build t.sy -o t").unwrap().goal, Goal::Link);
    let o = parsed("sysyc -O2 -Wall run t.sy run").unwrap();
    assert_eq!(
        (o.goal, o.level, paths(&o.inputs)),
        (Goal::Run, 2, vec!["t.sy".to_string(), "run".to_string()])
    );
    assert_eq!(parsed("sysyc doctor").unwrap().show, Some(Show::Health));
    let o = parsed("sysyc explain format").unwrap();
    assert_eq!((o.show, o.about.as_str()), (Some(Show::Explanation), "format"));
    assert_eq!(paths(&parsed("sysyc t.sy --check build").unwrap().inputs), ["t.sy", "build"]);
}

#[test]
fn what_an_input_is_its_name_says_or_x() {
    use Language::{Ir, Mir, Sysy};
    let of = |line: &str| {
        parsed(&format!("sysyc -S {line}"))
            .map(|o| o.inputs.iter().map(|input| input.language).collect::<Vec<_>>())
    };
    assert_eq!(of("a.sy b.ll").unwrap(), [Sysy, Ir]);
    assert_eq!(of("-x sysy c.c d.s").unwrap(), [Sysy, Sysy]);
    assert_eq!(of("-x ir a.txt -xsysy b.ll -x none c.ll").unwrap(), [Ir, Sysy, Ir]);
    assert_eq!(of("-x c a.o").unwrap(), [Sysy]);
    assert_eq!(of("a.mir -x mir b.txt -x ir c.mir").unwrap(), [Mir, Mir, Ir]);
    assert!(of("-x c++ a.sy").unwrap_err().contains("there are sysy, c, cpp-output, ir, mir, none"));
}

#[test]
fn groups_of_other_compilers_turn_on_what_warns_of_the_same() {
    use crate::sema::warning::Warning::{ConditionalUninitialized, Format, UnusedFunction, VoidParameter};
    let of = |words: &str| parsed(&format!("sysyc {words} t.sy")).unwrap();
    let is_on = |words: &str, warning| of(words).warnings.has(warning);
    assert!(is_on("-Wunused", UnusedFunction) && !is_on("-Wunused -Wno-unused", UnusedFunction));
    assert!(is_on("-Wmaybe-uninitialized", ConditionalUninitialized));
    assert!(
        is_on("-Weverything", UnusedFunction) && !is_on("-Weverything -Wno-void-parameter", VoidParameter)
    );
    assert!(!is_on("-Wno-format", Format) && is_on("-Wno-format -Wformat=2", Format));
    for quiet in
        ["-Wno-anything", "-Wno-error=vla", "-Werror=format-security", "-Weverything", "-Wno-unused-result"]
    {
        assert!(of(quiet).remarks.is_empty(), "{quiet}: {:?}", of(quiet).remarks);
    }
}

#[test]
fn objects_of_link_time_optimisation_are_text() {
    let of = |words: &str| {
        let o = parsed(&format!("sysyc {words} t.sy")).unwrap();
        (o.goal, o.ir_file, o.lto)
    };
    let ir = || Goal::Emit(vec![Emit::Ir]);
    assert_eq!(of("-c -flto"), (ir(), Some("o"), true));
    assert_eq!(of("-c -flto=auto -ffat-lto-objects"), (Goal::Object, None, true));
    assert_eq!(of("-c -flto -fno-lto"), (Goal::Object, None, false));
    assert_eq!(of("-S -emit-llvm"), (ir(), Some("ll"), false));
    assert_eq!(of("-flto -O1"), (Goal::Link, None, true));
}

#[test]
fn words_come_from_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let inner = file("inner", "-O2 'a b.sy'");
    let outer = file("outer", &format!("-S\n@{inner} "));
    let o = parsed(&format!("sysyc @{outer} -fbisect=3")).unwrap();
    assert_eq!((o.goal, o.level, paths(&o.inputs)), (Goal::Assembly, 2, vec!["a b.sy".to_string()]));
    let round = folder.path().join("round").display().to_string();
    std::fs::write(&round, format!("@{round}")).unwrap();
    assert!(parsed(&format!("sysyc @{round}")).unwrap_err().contains("more than 100 files"));
}

#[test]
fn the_contest_and_gcc_spellings_mean_the_same_in_any_order() {
    for line in [
        "compiler -S -o t.s t.sy -O2",
        "sysyc -O2 t.sy -ot.s -S",
        "sysyc -O0 -O2 -S t.sy -o t.s",
        "sysyc -S -O2 -o t.s -- t.sy",
    ] {
        let o = parsed(line).unwrap();
        assert_eq!((o.goal, o.level), (Goal::Assembly, 2), "{line}");
        assert_eq!((o.output, paths(&o.inputs)), (Some("t.s".into()), vec!["t.sy".into()]), "{line}");
    }
    assert_eq!(parsed("sysyc -O t.sy").unwrap().level, 1);
    assert_eq!(paths(&parsed("sysyc - -j8").unwrap().inputs), ["-"]);
}

#[test]
fn targets_have_names_and_triples() {
    for (name, target) in [
        ("riscv64", "riscv64"),
        ("riscv64-linux-gnu", "riscv64"),
        ("aarch64-unknown-linux-gnu", "aarch64"),
        ("arm64", "aarch64"),
        ("armv7", "armv7"),
        ("arm-linux-gnueabihf", "armv7"),
    ] {
        assert_eq!(parsed(&format!("sysyc t.sy --target={name}")).unwrap().target.name, target, "{name}");
    }
    assert!(parsed("sysyc t.sy --target x86_64").is_err());
}

#[test]
fn machines_are_those_of_the_target() {
    let of = |line: &str| parsed(&format!("sysyc t.sy {line}")).map(|o| o.features);
    assert_eq!(of("-O1").unwrap(), features::COMPRESSED);
    assert_eq!(of("-march=rv64gc -march=rv64g_zbb").unwrap(), features::ZBB);
    assert_eq!(of("-march=armv7-a --target=armv7").unwrap(), Features(0));
    for line in ["-march=armv7-a", "-march=rv64gc_nonsense", "-march", "-march="] {
        assert!(of(line).is_err(), "{line}");
    }
}

#[test]
fn cores_are_those_of_the_target() {
    let of = |line: &str| parsed(&format!("sysyc t.sy {line}")).map(|o| (o.model.names[0].0, o.features));
    let names = |line: &str| of(line).unwrap().0;
    assert_eq!(names("-O2"), "sifive-u74");
    assert_eq!(names("-mtune=spacemit-x60"), "spacemit-x60");
    assert_eq!(names("--target=aarch64 -mtune=cortex-a76"), "cortex-a72");
    assert_eq!(names("-mcpu=cortex-a9 -mtune=cortex-a7 --target=armv7"), "cortex-a7");
    // A core says what the machine has, unless that is said.
    let armv7 = |line: &str| of(&format!("--target=armv7 {line}")).unwrap().1;
    assert_eq!(armv7("-mcpu=cortex-a9"), features::NEON);
    assert_eq!(armv7("-mcpu=cortex-a9 -march=armv7-a"), Features(0));
    assert_eq!(armv7("-mtune=cortex-a9"), features::DIVISION);
    assert_eq!(names("--target=aarch64 -mcpu=cortex-a72+crc+crypto"), "cortex-a72");
    assert!(of("--target=aarch64 -mcpu=cortex-a72+nonsense").is_err());
    for line in ["-mtune=cortex-a53", "-mcpu=sifive", "-mtune=", "-mtune=natives --target=aarch64"] {
        assert!(of(line).is_err(), "{line}");
    }
    assert!(of("-mtune=cortex-a53").unwrap_err().contains("there are sifive-u74"), "names are listed");
}

#[test]
fn flags_take_values_where_they_should() {
    let o = parsed("sysyc t.sy -fverify -fprint-after=mem2reg -fbisect=7 -ferror-limit=0 -Wall").unwrap();
    assert_eq!((o.passes.verify, o.passes.bisect, o.error_limit), (true, Some(7), 0));
    assert_eq!(o.passes.print_after, ["mem2reg"]);
    for (line, debug) in [("", false), (" -g", true), (" -g3 -g0", false), (" -g0 -g", true)] {
        assert_eq!(parsed(&format!("sysyc t.sy{line}")).unwrap().debug, debug, "{line}");
    }
    assert_eq!(parsed("sysyc t.sy -fsyntax-only").unwrap().goal, Goal::Check);
    for line in ["-fverify=1", "-fbisect", "-fbisect=x", "-fnonsense", "-Wnonsense", "-O4", "-j0"] {
        assert!(parsed(&format!("sysyc t.sy {line}")).is_err(), "{line}");
    }
}

#[test]
fn checks_are_added_and_taken_away_in_order() {
    let of = |line: &str| parsed(&format!("sysyc t.sy {line}")).unwrap().checks;
    let integer = Checks::OVERFLOW.with(Checks::DIVISION);
    assert_eq!(of("-O1"), Checks::NONE);
    assert_eq!(of("-fsanitize=bounds,integer"), Checks::BOUNDS.with(integer));
    assert_eq!(
        of("-fsanitize=bounds -fsanitize=integer-divide-by-zero"),
        Checks::BOUNDS.with(Checks::DIVISION)
    );
    assert_eq!(of("-fsanitize=undefined -fno-sanitize=bounds,float-cast-overflow,stack"), integer);
    assert_eq!(of("-fsanitize=undefined -fno-sanitize=all -fsanitize=bounds"), Checks::BOUNDS);
    assert_eq!(of("-fsanitize=integer -fno-sanitize-recover=all"), integer);
}

#[test]
fn objects_and_archives_are_for_the_linker() {
    let o = parsed("sysyc a.o t.sy -Llib b.a -lsysy -L . -l m -o t -fuse-ld=lld").unwrap();
    assert_eq!((o.goal, paths(&o.inputs)), (Goal::Link, vec!["t.sy".into()]));
    assert_eq!(o.link_inputs, [PathBuf::from("a.o"), PathBuf::from("b.a")]);
    assert_eq!(o.library_paths, [PathBuf::from("lib"), PathBuf::from(".")]);
    assert_eq!((o.libraries, o.use_ld), (vec!["sysy".into(), "m".into()], Some("lld".into())));
    assert!(parsed("sysyc a.o b.o").unwrap().inputs.is_empty());
    assert!(parsed("sysyc t.sy u.sy -fuse-ld=lld").is_ok());
    for line in ["-c a.o", "-S t.sy a.o", "--run t.sy b.a", "t.sy -fuse-ld="] {
        assert!(parsed(&format!("sysyc {line}")).is_err(), "{line}");
    }
}

#[test]
fn emits_are_sorted_and_goals_exclude_each_other() {
    let o = parsed("sysyc --emit=ir,tokens t.sy").unwrap();
    assert_eq!(o.goal, Goal::Emit(vec![Emit::Tokens, Emit::Ir]));
    for line in [
        "sysyc -S -c t.sy",
        "sysyc --run -S t.sy",
        "sysyc",
        "sysyc -c a/t.sy b/t.sy",
        "sysyc -S -o x a.sy b.sy",
    ] {
        assert!(parsed(line).is_err(), "{line}");
    }
    assert!(parsed("sysyc -S a.sy b.sy").is_ok() && parsed("sysyc a.sy b.sy").is_ok());
}
