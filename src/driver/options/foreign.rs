//! What users and build systems of other compilers say, as rows: what it means here, that it is so anyway, or that it has no
//! effect, and why. `docs/flags.md` shows what comes of each of the usual ones, and is tested.

use super::table::{Draft, Given, Row, Section, Takes, Values, choose, debug, set, target, with};
use super::{Goal, Linked, Options};
use crate::ir::{Position, RelocationModel, ThreadModel, Visibility};

/// A word that asks for what is so anyway.
const fn same(name: &'static str) -> Row {
    set(name, Section::Foreign, "as it is", |_, _| Ok(()))
}

/// A word that asks for what makes no difference here; it is remarked.
const fn without_effect(name: &'static str, takes: Takes, help: &'static str) -> Row {
    with(name, (takes, "...", Values::Any), Section::Foreign, help, no_effect)
}

const CANARIES: &str = "-fsanitize=bounds stops a program before it writes outside of an array";
const STATIC: &str = "programs are static";
const RUNTIME: &str = "of the runtime library, what a program calls is linked, and nothing else";

/// A word that says what code is compiled for; the last one counts.
macro_rules! code {
    ($name:expr, $model:ident, $small:expr, $help:expr) => {
        set($name, Section::Foreign, $help, |d, _| {
            d.options.place.position = Some(Position { model: RelocationModel::$model, small: $small });
            Ok(())
        })
    };
}

/// A word that says what is linked.
macro_rules! linked {
    ($name:expr, $linked:expr, $help:expr) => {
        set($name, Section::Foreign, $help, |d, _| {
            d.options.linked = $linked;
            Ok(())
        })
    };
}

/// What `-fvisibility=` may say.
const VISIBILITIES: [(&str, Visibility); 4] = [
    ("default", Visibility::Default),
    ("protected", Visibility::Protected),
    ("hidden", Visibility::Hidden),
    ("internal", Visibility::Hidden),
];

/// Models of thread-local data, by gcc's names.
const THREAD_MODELS: [(&str, ThreadModel); 4] = [
    ("global-dynamic", ThreadModel::GeneralDynamic),
    ("local-dynamic", ThreadModel::LocalDynamic),
    ("initial-exec", ThreadModel::InitialExec),
    ("local-exec", ThreadModel::LocalExec),
];

/// The rows.
#[rustfmt::skip]
pub(super) static FOREIGN: &[Row] = &[
    with("-ggdb", (Takes::Behind, "LEVEL", Values::Any), Section::Foreign, "-g", debug),
    with("-gdwarf", (Takes::Behind, "-VERSION", Values::Any), Section::Foreign, "-g, in DWARF 5", |d, g| {
        if !matches!(g.text, "" | "-5") {
            d.remark(format!("'{}' is taken as '-gdwarf-5'", g.word));
        }
        debug(d, g)
    }),
    set("--analyze", Section::Foreign, "--check", |d, g| d.goal(Goal::Check, g)),
    set("--stdio", Section::Foreign, "of a language server: the standard streams, as it is", |_, _| Ok(())),
    same("-pipe"),
    set("-static", Section::Foreign, "as it is", |d, _| { d.is_static = true; Ok(()) }),
    code!("-fPIC", Pic, false, "code for shared libraries, too"), code!("-fpic", Pic, true, "the same, of a small table of addresses"),
    code!("-fPIE", Pie, false, "code for programs that are loaded anywhere"), code!("-fpie", Pie, true, "the same, of a small table of addresses"),
    code!("-fno-pic", Static, false, "code for programs at a fixed address, as it is"), code!("-fno-PIC", Static, false, "as it is"),
    code!("-fno-pie", Static, false, "as it is"), code!("-fno-PIE", Static, false, "as it is"),
    linked!("-pie", Linked::Anywhere { alone: false }, "a program that is loaded anywhere, and code for it"),
    linked!("-static-pie", Linked::Anywhere { alone: true }, "the same, without libraries that are loaded with it"),
    linked!("-no-pie", Linked::Fixed, "as it is"),
    linked!("-shared", Linked::Library, "a shared library, and code for it, by the linker of -fuse-ld, else by gcc"),
    set("-rdynamic", Section::Foreign, "a program that shows its names to libraries that it loads, by the linker of -fuse-ld, else by gcc", |d, _| { d.options.dynamic = true; Ok(()) }),
    with("-ftls-model", (Takes::Equals, "MODEL", Values::Names(|| THREAD_MODELS.map(|row| row.0).to_vec())), Section::Foreign, "how addresses of thread-local data in IR are found, at the least: global-dynamic, local-dynamic, initial-exec, local-exec", thread_model),
    with("-fvisibility", (Takes::Equals, "WHO", Values::Names(|| VISIBILITIES.map(|row| row.0).to_vec())), Section::Foreign, "who sees what is defined: default: other programs and libraries, and may replace it; protected: the same, but not replace it; hidden: no other program or library", visibility),
    with("-fno-sanitize-recover", (Takes::Equals, "...", Values::Any), Section::Foreign, "as it is: what is found ends the program", |_, _| Ok(())),
    same("-fno-sanitize-recover"),
    without_effect("-fsanitize-recover", Takes::Nothing, "what is found ends the program"),
    without_effect("-fsanitize-recover", Takes::Equals, "what is found ends the program"),
    same("-fwrapv"), same("-fno-strict-aliasing"), same("-fno-math-errno"), same("-fno-trapping-math"),
    same("-fsingle-precision-constant"), same("-fno-common"), same("-marm"), same("-mfloat-abi=hard"),
    same("-mcmodel=medlow"), same("-mcmodel=small"),
    without_effect("-pthread", Takes::Nothing, "programs have one thread"),
    without_effect("-mfpu", Takes::Equals, "-march says what the machine has, as in armv7-a+neon"),
    without_effect("-fomit-frame-pointer", Takes::Nothing, "there is no frame pointer"),
    without_effect("-fno-omit-frame-pointer", Takes::Nothing, "there is no frame pointer"),
    without_effect("-I", Takes::BehindOrNext, "SysY includes nothing"),
    without_effect("-D", Takes::BehindOrNext, "SysY has no preprocessor"),
    without_effect("-U", Takes::BehindOrNext, "SysY has no preprocessor"),
    set("-mthumb", Section::Foreign, "refused", |_, _| Err("'-mthumb': code for ARMv7 is in ARM state".to_string())),
    // What is made.
    set("-emit-llvm", Section::Foreign, "with -S or -c: IR in text, as .ll", |d, _| { d.emit_llvm = true; Ok(()) }),
    set("-flto", Section::Foreign, "with -c: an object is IR in text, which is optimised with the rest of the program when it is linked", lto),
    with("-flto", (Takes::Equals, "...", Values::Any), Section::Foreign, "-flto", lto),
    set("-fno-lto", Section::Foreign, "as it is", |d, _| { d.options.lto = false; Ok(()) }),
    set("-ffat-lto-objects", Section::Foreign, "with -flto -c: the object has code, and no IR", |d, _| { d.fat = true; Ok(()) }),
    set("-fno-fat-lto-objects", Section::Foreign, "as it is", |d, _| { d.fat = false; Ok(()) }),
    set("-ffunction-sections", Section::Foreign, "a section for each function, for linkers that drop what nothing uses", |d, _| { d.options.function_sections = true; Ok(()) }),
    set("-fno-function-sections", Section::Foreign, "as it is", |d, _| { d.options.function_sections = false; Ok(()) }),
    set("-fdata-sections", Section::Foreign, "a section for each datum that is not zero", |d, _| { d.options.data_sections = true; Ok(()) }),
    set("-fno-data-sections", Section::Foreign, "as it is", |d, _| { d.options.data_sections = false; Ok(()) }),
    with("-target", (Takes::Next, "NAME", Values::Any), Section::Foreign, "--target", |d, g| { d.options.target = target(g)?; Ok(()) }),
    set("-ansi", Section::Foreign, "-std=sysy", |d, g| { d.remark(format!("'{}' is taken as '-std=sysy': the language is SysY, not C", g.word)); Ok(()) }),
    same("-MG"), same("-m64"), same("-mno-relax"), same("-fno-plt"), same("-fno-semantic-interposition"), same("-fno-lto-odr-type-merging"),
    same("-ffreestanding"), same("-fno-builtin"), same("-fno-stack-protector"), same("-fno-stack-clash-protection"),
    same("-fno-asynchronous-unwind-tables"), same("-fno-unwind-tables"), same("-fno-exceptions"), same("-fno-ident"), same("-fno-delete-null-pointer-checks"),
    same("-fcf-protection=none"), same("-mbranch-protection=none"), same("-static-libgcc"), same("-nostdinc"), same("-fno-record-gcc-switches"),
    same("-fno-strict-overflow"), same("-fstrict-aliasing"), same("-fno-merge-constants"), same("-fsigned-char"), same("-funsigned-char"),

    // What has no effect.
    with("-fno-builtin-", (Takes::Behind, "NAME", Values::Any), Section::Foreign, "as it is", |_, _| Ok(())),
    without_effect("-fstack-protector", Takes::Nothing, CANARIES),
    without_effect("-fstack-protector-strong", Takes::Nothing, CANARIES),
    without_effect("-fstack-protector-all", Takes::Nothing, CANARIES),
    without_effect("-fstack-protector-explicit", Takes::Nothing, CANARIES),
    without_effect("-fstack-clash-protection", Takes::Nothing, "-fsanitize=stack stops a program at the end of its stack"),
    without_effect("-fcf-protection", Takes::Nothing, "targets here have no such branches"),
    without_effect("-fcf-protection", Takes::Equals, "targets here have no such branches"),
    without_effect("-mbranch-protection", Takes::Equals, "calls by address are not made by SysY, and return addresses are not signed"),
    without_effect("-fvisibility-inlines-hidden", Takes::Nothing, "SysY has no inline functions"),
    without_effect("-fexceptions", Takes::Nothing, "SysY throws nothing"),
    without_effect("-fasynchronous-unwind-tables", Takes::Nothing, "-g tells debuggers how to unwind"),
    without_effect("-funwind-tables", Takes::Nothing, "-g tells debuggers how to unwind"),
    without_effect("-mno-omit-leaf-frame-pointer", Takes::Nothing, "there is no frame pointer"),
    without_effect("-momit-leaf-frame-pointer", Takes::Nothing, "there is no frame pointer"),
    without_effect("-grecord-gcc-switches", Takes::Nothing, "debuggers are not told of the command line"),
    without_effect("-frecord-gcc-switches", Takes::Nothing, "objects do not have the command line"),
    without_effect("-specs", Takes::Equals, "there are no specs"),
    without_effect("--sysroot", Takes::EqualsOrNext, "-L names folders of libraries"),
    without_effect("-isysroot", Takes::BehindOrNext, "SysY includes nothing"),
    without_effect("-isystem", Takes::BehindOrNext, "SysY includes nothing"),
    without_effect("-iquote", Takes::BehindOrNext, "SysY includes nothing"),
    without_effect("-idirafter", Takes::BehindOrNext, "SysY includes nothing"),
    without_effect("-include", Takes::Next, "SysY includes nothing"),
    without_effect("-imacros", Takes::Next, "SysY has no preprocessor"),
    without_effect("-Wp,", Takes::Behind, "SysY has no preprocessor"),
    without_effect("-Wa,", Takes::Behind, "no assembler is called"),
    without_effect("-Xpreprocessor", Takes::Next, "SysY has no preprocessor"),
    without_effect("-Xassembler", Takes::Next, "no assembler is called"),
    without_effect("-nostdlib", Takes::Nothing, RUNTIME),
    without_effect("-nodefaultlibs", Takes::Nothing, RUNTIME),
    without_effect("-nostartfiles", Takes::Nothing, RUNTIME),
    without_effect("-fcommon", Takes::Nothing, "a variable is defined once"),
    without_effect("-fdiagnostics-show-option", Takes::Nothing, "diagnostics have their group"),
    without_effect("-fmessage-length", Takes::Equals, "lines are as long as the terminal has it"),
    without_effect("-fmacro-prefix-map", Takes::Equals, "SysY has no macros"),
    without_effect("-fprofile-arcs", Takes::Nothing, "-fprofile-generate makes programs count"),
];

fn lto(d: &mut Draft, _: &Given) -> Result<(), String> {
    d.options.lto = true;
    Ok(())
}

fn thread_model(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.options.place.threads = choose(given, given.text, &THREAD_MODELS)?;
    Ok(())
}

fn visibility(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.options.place.visibility = choose(given, given.text, &VISIBILITIES)?;
    Ok(())
}

fn no_effect(d: &mut Draft, given: &Given) -> Result<(), String> {
    d.remark(format!("'{}' has no effect: {}", given.word, given.row.help));
    Ok(())
}

/// The words that ask for what is linked, and for code for it.
pub(super) fn words(options: &Options) -> Vec<String> {
    let linked = match options.linked {
        Linked::Fixed => None,
        Linked::Anywhere { alone: false } => Some("-pie"),
        Linked::Anywhere { alone: true } => Some("-static-pie"),
        Linked::Library => Some("-shared"),
    };
    let place = &options.place;
    let model = place.position.map(|position| match (position.model, position.small) {
        (RelocationModel::Static, _) => "-fno-pic",
        (RelocationModel::Pie, false) => "-fPIE",
        (RelocationModel::Pie, true) => "-fpie",
        (RelocationModel::Pic, false) => "-fPIC",
        (RelocationModel::Pic, true) => "-fpic",
    });
    let mut words: Vec<String> = linked.into_iter().chain(model).map(str::to_string).collect();
    words.extend(options.dynamic.then(|| "-rdynamic".to_string()));
    let threads = THREAD_MODELS.iter().find(|row| row.1 == place.threads && row.1 != ThreadModel::default());
    words.extend(threads.map(|row| format!("-ftls-model={}", row.0)));
    let visible = VISIBILITIES.iter().find(|row| row.1 == place.visibility && row.1 != Visibility::default());
    words.extend(visible.map(|row| format!("-fvisibility={}", row.0)));
    words.extend(options.use_ld.as_ref().map(|name| format!("-fuse-ld={name}")));
    words
}

/// Warnings of gcc's and clang's, and the groups here that warn of the same; none of what a SysY program cannot do.
const GROUPS: [(&str, &[&str]); 36] = [
    ("unused", &["unused-variable", "unused-function", "unused-value"]),
    ("maybe-uninitialized", &["sometimes-uninitialized", "conditional-uninitialized"]),
    ("conversion", &["float-conversion", "constant-conversion"]),
    ("parentheses", &["comparison", "dangling-else"]),
    ("div-by-zero", &["division-by-zero"]),
    ("shift-overflow", &[]),
    ("missing-braces", &["braces"]),
    ("unused-but-set-variable", &["unused-variable"]),
    ("sign-compare", &[]),
    ("sign-conversion", &[]),
    ("vla", &[]),
    ("cast-qual", &[]),
    ("cast-align", &[]),
    ("pointer-arith", &[]),
    ("write-strings", &[]),
    ("strict-prototypes", &[]),
    ("missing-prototypes", &[]),
    ("missing-declarations", &[]),
    ("old-style-definition", &[]),
    ("implicit", &[]),
    ("implicit-function-declaration", &[]),
    ("implicit-int", &[]),
    ("implicit-fallthrough", &[]),
    ("declaration-after-statement", &[]),
    ("undef", &[]),
    ("unknown-pragmas", &[]),
    ("switch", &[]),
    ("double-promotion", &[]),
    ("null-dereference", &[]),
    ("redundant-decls", &[]),
    ("date-time", &[]),
    ("strict-aliasing", &[]),
    ("stack-usage", &[]),
    ("address", &[]),
    ("logical-op", &[]),
    ("duplicated-cond", &[]),
];

/// `-W` of a group of gcc's or clang's; false if it is none that is known. What turns off a warning may name any, as of gcc.
pub(super) fn group(d: &mut Draft, given: &Given) -> bool {
    let text = given.text;
    let name = text.strip_prefix("error=").unwrap_or(text);
    let (name, is_format) = match name.split_once(['-', '=']) {
        Some(("format", _)) => ("format", true),
        _ => (name.split('=').next().unwrap_or(name), false),
    };
    if is_format {
        return d
            .options
            .warnings
            .apply(&text.replace(text.strip_prefix("error=").unwrap_or(text), "format"));
    }
    if let Some(name) = name.strip_prefix("no-") {
        let ours = GROUPS.iter().find(|row| row.0 == name.strip_prefix("error=").unwrap_or(name));
        let word = if name.starts_with("error=") { "no-error=" } else { "no-" };
        ours.into_iter()
            .flat_map(|row| row.1)
            .for_each(|group| _ = d.options.warnings.apply(&format!("{word}{group}")));
        return true;
    }
    let Some((_, ours)) = GROUPS.iter().find(|row| row.0 == name) else { return false };
    if ours.is_empty() {
        d.remark(format!("'{}' has no effect: there is no such warning of SysY", given.word));
    }
    let word = if text.starts_with("error=") { "error=" } else { "" };
    ours.iter().for_each(|group| _ = d.options.warnings.apply(&format!("{word}{group}")));
    true
}

/// What `-Wl,` and `-Xlinker` pass on, and what the built-in linker does about it.
#[rustfmt::skip]
const LINKER: [(&str, Linker); 46] = [
    ("-s", Linker::Strip), ("--strip-all", Linker::Strip),
    ("--gc-sections", Linker::Same), ("--as-needed", Linker::Same), ("--no-as-needed", Linker::Same), ("--no-undefined", Linker::Same),
    ("--start-group", Linker::Same), ("--end-group", Linker::Same), ("-(", Linker::Same), ("-)", Linker::Same),
    ("-static", Linker::Same), ("-Bstatic", Linker::Same), ("--no-relax", Linker::Same), ("--no-dynamic-linker", Linker::Same),
    ("--fatal-warnings", Linker::Same), ("--no-fatal-warnings", Linker::Same), ("-O", Linker::Same), ("--sort-common", Linker::Same),
    ("--no-copy-dt-needed-entries", Linker::Same), ("--build-id=none", Linker::Same), ("-znow", Linker::Same), ("-znoexecstack", Linker::Same),
    ("-zdefs", Linker::Same), ("-ztext", Linker::Same), ("-zpack-relative-relocs", Linker::Same), ("--eh-frame-hdr", Linker::Same),
    ("-zrelro", Linker::No("what a static program has in memory is written by itself")),
    ("-zseparate-code", Linker::Same), ("-z", Linker::No("the built-in linker has no such thing")),
    ("--build-id", Linker::No("programs have no build ID")), ("--hash-style=", Linker::Same),
    ("-rpath", Linker::Takes(STATIC)), ("--rpath", Linker::Takes(STATIC)), ("-rpath=", Linker::No(STATIC)), ("--rpath=", Linker::No(STATIC)),
    ("-rpath-link", Linker::Takes(STATIC)), ("--rpath-link", Linker::Takes(STATIC)), ("-rpath-link=", Linker::No(STATIC)),
    ("--rpath-link=", Linker::No(STATIC)), ("-dynamic-linker", Linker::Takes(STATIC)), ("--dynamic-linker", Linker::Takes(STATIC)),
    ("--dynamic-linker=", Linker::No(STATIC)), ("-E", Linker::No(STATIC)), ("--export-dynamic", Linker::No(STATIC)),
    ("--enable-new-dtags", Linker::No(STATIC)), ("--disable-new-dtags", Linker::No(STATIC)),
];

/// See `LINKER`.
enum Linker {
    Same,
    Strip,
    No(&'static str),
    /// The same, with a word behind it.
    Takes(&'static str),
}

/// Does what the built-in linker is told. `Err` has what it does not understand.
pub(super) fn linker_words(options: &mut Options) -> Result<(), String> {
    let words = std::mem::take(&mut options.linker_words);
    let mut passed = words.iter().flat_map(|word| word.strip_prefix("-Wl,").unwrap_or(word).split(','));
    while let Some(word) = passed.next().filter(|&word| word != "-Xlinker").or_else(|| passed.next()) {
        let whole = match word {
            "-z" => format!("-z{}", passed.find(|&word| word != "-Xlinker").unwrap_or_default()),
            word => word.to_string(),
        };
        let found = LINKER.iter().find(|row| row.0 == whole).or_else(|| {
            let begins = |row: &&(&str, Linker)| {
                let begins = matches!(row.0, "-z" | "-O" | "--build-id") || row.0.ends_with('=');
                begins && whole.starts_with(row.0)
            };
            LINKER.iter().find(begins)
        });
        match found.map(|row| &row.1) {
            Some(Linker::Same) => {}
            Some(Linker::Strip) => options.strip = true,
            Some(Linker::No(why)) => options.remarks.push(
                format!("'{word}' of the linker has no effect: {why}")
                    .replace("'-z'", &format!("'{}'", whole.replacen("-z", "-z ", 1))),
            ),
            Some(Linker::Takes(why)) => {
                let Some(behind) = passed.find(|&word| word != "-Xlinker") else {
                    return Err(format!("'{word}' of the linker needs a word behind it"));
                };
                options.remarks.push(format!("'{word} {behind}' of the linker has no effect: {why}"));
            }
            None => return Err(format!("'{word}' is for another linker: -fuse-ld=gcc, for example")),
        }
    }
    Ok(())
}
