//! Keywords of LLVM's text that say how something is meant: attributes, conventions, linkage, flags, kinds of metadata. Of each:
//! where it may stand, on values of which types, and whether we do what it says, pass over it, or refuse it, and why.
//!
//! A word that is not here is unknown, and refused where an attribute may stand. A string attribute (`"key"="value"`) and a
//! kind of metadata mean nothing to LLVM unless a pass or back end reads them: of these the rows here are those that change what a program
//! does; all others are passed over. `docs/ir.md` is made of these tables. Words are looked up once (`words`), where opcodes
//! and types are: a row costs nothing. Source: LLVM's language reference, versions 15 to 20.

use crate::ir::Op;

/// Where a keyword may stand: a set.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Places(u32);

impl Places {
    /// Behind a parameter's type, or an argument's.
    pub const PARAMETER: Places = Places(1);
    /// Before a result's type.
    pub const RESULT: Places = Places(1 << 1);
    /// Behind the parameters of a function, in a group, behind the arguments of a call.
    pub const FUNCTION: Places = Places(1 << 2);
    /// Before the word `call`.
    pub const CALL: Places = Places(1 << 3);
    /// Before a result's type and attributes: how a function is called.
    pub const CONVENTION: Places = Places(1 << 4);
    /// At the head of a global or a function: linkage, visibility, and the like.
    pub const HEAD: Places = Places(1 << 5);
    /// Behind a global or a function.
    pub const TAIL: Places = Places(1 << 6);
    /// Flags of `add`, `sub`, `mul`, `shl`, `trunc`.
    pub const WRAPS: Places = Places(1 << 7);
    /// Of `sdiv`, `udiv`, `lshr`, `ashr`.
    pub const LOSES: Places = Places(1 << 8);
    /// Of `or`.
    pub const BITS: Places = Places(1 << 9);
    /// Of `zext`, `uitofp`.
    pub const SIGNS: Places = Places(1 << 10);
    /// Of `icmp`.
    pub const COMPARES: Places = Places(1 << 11);
    /// Of what computes with floats.
    pub const FLOATS: Places = Places(1 << 12);
    /// Of `getelementptr`.
    pub const STEPS: Places = Places(1 << 13);

    /// Where flags stand.
    pub const fn flags() -> Places {
        let of_ints = Places::WRAPS.or(Places::LOSES).or(Places::BITS).or(Places::SIGNS).or(Places::COMPARES);
        of_ints.or(Places::FLOATS).or(Places::STEPS)
    }

    /// What may have attributes.
    pub(super) const ATTRIBUTES: Places = Places::PARAMETER.or(Places::RESULT).or(Places::FUNCTION);

    /// No place.
    pub(super) const NONE: Places = Places(0);

    /// What stands in these and in those.
    #[must_use]
    pub const fn or(self, other: Places) -> Places {
        Places(self.0 | other.0)
    }

    /// True if one of these is one of those.
    pub const fn meet(self, other: Places) -> bool {
        self.0 & other.0 != 0
    }

    /// The flags that an opcode may have.
    pub(super) const fn of_op(op: Op) -> Places {
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::Shl | Op::Trunc => Places::WRAPS,
            Op::SDiv | Op::UDiv | Op::LShr | Op::AShr => Places::LOSES,
            Op::Or => Places::BITS,
            Op::ZExt => Places::SIGNS,
            Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FNeg | Op::FPExt | Op::FPTrunc => Places::FLOATS,
            _ => Places::NONE,
        }
    }

    /// What they are called, in messages and in the page.
    pub fn names(self) -> String {
        const NAMES: [&str; 14] = [
            "parameters",
            "results",
            "functions and calls",
            "before `call`",
            "conventions",
            "heads of globals and functions",
            "behind globals and functions",
            "`add`, `sub`, `mul`, `shl` and `trunc`",
            "`sdiv`, `udiv`, `lshr` and `ashr`",
            "`or`",
            "`zext` and `uitofp`",
            "`icmp`",
            "operations on floats",
            "`getelementptr`",
        ];
        let has = |k: &usize| self.0 >> k & 1 != 0;
        (0..NAMES.len()).filter(has).map(|k| NAMES[k]).collect::<Vec<_>>().join(", ")
    }
}

/// What a value has to be to have an attribute.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum On {
    /// Anything.
    Any,
    /// An integer.
    Int,
    /// An address.
    Ptr,
    /// A float.
    Float,
    /// Anything but `void`.
    Value,
}

/// What we do about a keyword.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Handling {
    /// What it says; the note names what does.
    Honoured,
    /// Nothing; the note says why that is right.
    PassedOver,
    /// An error; the note says what can be done.
    Refused,
}

/// A row.
#[derive(Copy, Clone, Debug)]
pub struct Keyword {
    /// As it is written.
    pub word: &'static str,
    /// Where.
    pub at: Places,
    /// On what.
    pub on: On,
    /// What we do.
    pub handling: Handling,
    /// Why, or by what.
    pub note: &'static str,
}

impl Keyword {
    const fn on(self, on: On) -> Keyword {
        Keyword { on, ..self }
    }
}

const fn honoured(word: &'static str, at: Places, note: &'static str) -> Keyword {
    Keyword { word, at, on: On::Any, handling: Handling::Honoured, note }
}

const fn passed(word: &'static str, at: Places, note: &'static str) -> Keyword {
    Keyword { word, at, on: On::Any, handling: Handling::PassedOver, note }
}

const fn refused(word: &'static str, at: Places, note: &'static str) -> Keyword {
    Keyword { word, at, on: On::Any, handling: Handling::Refused, note }
}

const P: Places = Places::PARAMETER;
const R: Places = Places::RESULT;
const F: Places = Places::FUNCTION;
const PR: Places = P.or(R);
const PF: Places = P.or(F);
const HEAD: Places = Places::HEAD;
const TAIL: Places = Places::TAIL;
const CONVENTION: Places = Places::CONVENTION;
const FLOATS: Places = Places::FLOATS;

const PROMISE: &str = "a promise that nothing here needs";
const HINT: &str = "a hint for how much is to be optimised";
const CHECK: &str = "hardening: a right program does the same without";
const NO_CHECK: &str = "no check is made that it could leave out";
const SANITIZER: &str = "the checks that it asks for are not made; compile without the sanitizer";
const COROUTINE: &str = "coroutines have to be split first; run LLVM's coroutine passes";
const SWIFT: &str = "Swift's registers are not kept; pass it as an ordinary argument";
const OTHER_MACHINE: &str = "of a machine that is no target here";
const OTHER_CALL: &str = "arguments or registers are others than the C convention's; use the C convention";
const PLACE: &str = "where it is placed has no meaning in ELF";
const FAST: &str = "a permission that is not used";

/// All words.
#[rustfmt::skip]
pub const KEYWORDS: &[Keyword] = &[
    // Of values.
    honoured("align", P.or(R).or(F).or(TAIL), "alignment of memory that is set, copied or defined; of functions up to 4").on(On::Ptr),
    honoured("alignstack", PF, "where an argument stands on the stack; of functions up to the stack's own alignment"),
    honoured("byval", P, "the struct's words are arguments (ARMv7); refused on other machines").on(On::Ptr),
    honoured("sret", P, "the register in which the result's address travels").on(On::Ptr),
    honoured("zeroext", PR, "a narrow integer is extended to a register").on(On::Int),
    honoured("signext", PR, "a narrow integer is extended to a register").on(On::Int),
    passed("noext", PR, "a promise of who calls: what travels is extended anyway").on(On::Int),
    passed("noundef", PR, PROMISE).on(On::Value),
    passed("nonnull", PR, PROMISE).on(On::Ptr),
    passed("noalias", PR, PROMISE).on(On::Ptr),
    passed("dereferenceable", PR, PROMISE).on(On::Ptr),
    passed("dereferenceable_or_null", PR, PROMISE).on(On::Ptr),
    passed("nofpclass", PR, PROMISE).on(On::Float),
    passed("range", PR, PROMISE).on(On::Int),
    passed("nocapture", P, PROMISE).on(On::Ptr),
    passed("captures", P, PROMISE).on(On::Ptr),
    passed("returned", P, PROMISE),
    passed("immarg", P, "a rule for those who write the text"),
    passed("allocalign", P, PROMISE).on(On::Int),
    passed("allocptr", P, PROMISE).on(On::Ptr),
    passed("dead_on_unwind", P, PROMISE).on(On::Ptr),
    passed("dead_on_return", P, PROMISE).on(On::Ptr),
    passed("writable", P, PROMISE).on(On::Ptr),
    passed("initializes", P, PROMISE).on(On::Ptr),
    honoured("elementtype", P, "what an operand of inline assembly leads to").on(On::Ptr),
    refused("inreg", PR, "which register that is differs by machine; pass it as an ordinary argument"),
    refused("byref", P, "pass an ordinary address"),
    refused("inalloca", P, OTHER_MACHINE),
    refused("preallocated", PF, OTHER_MACHINE),
    refused("nest", P, "no register is kept for it; pass it as an ordinary argument"),
    refused("swiftself", P, SWIFT),
    refused("swifterror", P, SWIFT),
    refused("swiftasync", P, SWIFT),
    // Of functions.
    honoured("memory", F, "what calls can do to memory"),
    honoured("readnone", PF, "what calls can do to memory").on(On::Ptr),
    honoured("readonly", PF, "what calls can do to memory").on(On::Ptr),
    // LLVM takes it of any value.
    honoured("writeonly", PF, "what calls can do to memory"),
    honoured("inaccessiblememonly", F, "what calls can do to memory"),
    passed("argmemonly", F, PROMISE),
    passed("inaccessiblemem_or_argmemonly", F, PROMISE),
    honoured("nounwind", F, "calls whose results nothing uses go"),
    honoured("willreturn", F, "calls whose results nothing uses go"),
    honoured("returns_twice", F, "what the caller keeps over the call stays in its frame"),
    passed("noreturn", F, PROMISE),
    passed("nofree", PF, PROMISE).on(On::Ptr),
    passed("nosync", F, PROMISE),
    passed("norecurse", F, PROMISE),
    passed("nocallback", F, PROMISE),
    passed("nodivergencesource", F, PROMISE),
    passed("nocreateundeforpoison", F, PROMISE),
    passed("speculatable", F, PROMISE),
    passed("mustprogress", F, PROMISE),
    honoured("vscale_range", F, "has to have 2 in it, which is what vectors of the machine's length have here"),
    passed("allockind", F, PROMISE),
    passed("allocsize", F, PROMISE),
    passed("builtin", F, "no function is known by its name"),
    passed("nobuiltin", F, "no function is known by its name"),
    honoured("alwaysinline", F, "calls of it are replaced by its body, from -O2 on"),
    passed("inlinehint", F, HINT),
    honoured("noinline", F, "its calls stay; not beside `optnone`, where compilers write it at -O0"),
    honoured("cold", F, "as `optsize`"),
    passed("hot", F, HINT),
    honoured("minsize", F, "its code is made small, as with -Oz"),
    honoured("optsize", F, "its code is made small, as with -Os"),
    passed("optnone", F, HINT),
    passed("optdebug", F, HINT),
    passed("optforfuzzing", F, HINT),
    passed("nomerge", F, "a hint for debuggers and reports"),
    passed("noprofile", F, "no profile is made"),
    passed("skipprofile", F, "no profile is made"),
    refused("jumptable", F, "addresses of functions do not lead into a table; compile without it"),
    passed("nonlazybind", F, "how a linker binds a call"),
    honoured("uwtable", F, "unwinders are told of all functions of the text"),
    passed("noredzone", F, "nothing is kept below the stack pointer"),
    passed("nocf_check", F, CHECK),
    passed("ssp", F, CHECK),
    passed("sspreq", F, CHECK),
    passed("sspstrong", F, CHECK),
    passed("nosanitize_bounds", F, NO_CHECK),
    passed("nosanitize_coverage", F, NO_CHECK),
    passed("disable_sanitizer_instrumentation", F, NO_CHECK),
    refused("sanitize_address", F, SANITIZER),
    refused("sanitize_hwaddress", F, SANITIZER),
    refused("sanitize_memory", F, SANITIZER),
    refused("sanitize_memtag", F.or(TAIL), SANITIZER),
    refused("sanitize_numerical_stability", F, SANITIZER),
    refused("sanitize_realtime", F, SANITIZER),
    refused("sanitize_realtime_blocking", F, SANITIZER),
    refused("sanitize_thread", F, SANITIZER),
    refused("sanitize_type", F, SANITIZER),
    refused("safestack", F, "there is no second stack; compile without it"),
    refused("shadowcallstack", F, "there is no second stack; compile without it"),
    refused("speculative_load_hardening", F, "loads are not guarded; compile without it"),
    refused("fn_ret_thunk_extern", F, OTHER_MACHINE),
    refused("hybrid_patchable", F, OTHER_MACHINE),
    passed("convergent", F, "a rule for threads in lockstep, which no machine here has"),
    refused("noduplicate", F, "code is copied when it is optimised; remove what needs it"),
    refused("naked", F, "every function has a frame of its own; write it in assembly"),
    refused("noimplicitfloat", F, "vectors may be used where the text has none; compile without it"),
    refused("null_pointer_is_valid", F, "memory at address 0 is taken for none; compile without it"),
    refused("strictfp", F, "rounding is taken to be to nearest, and exceptions to be unseen; compile without it"),
    refused("presplitcoroutine", F, COROUTINE),
    refused("coro_only_destroy_when_complete", F, COROUTINE),
    refused("coro_elide_safe", F, COROUTINE),
    // Of calls.
    honoured("tail", Places::CALL, "at -O2 a call that a return of its result follows is a jump where its arguments take no more of the stack than those of its function"),
    honoured("notail", Places::CALL, "is no jump"),
    honoured("musttail", Places::CALL, "is a jump at every level; as LLVM wants it of the C convention, parameters and result are those of the function that it is in, and a return of its result follows. Refused with variadic arguments"),
    // How functions are called.
    honoured("ccc", CONVENTION, "the C convention"),
    honoured("fastcc", CONVENTION, "the C convention, for functions that are internal or private and calls of them by name; others are refused"),
    honoured("coldcc", CONVENTION, "the C convention, for functions that are internal or private and calls of them by name; others are refused"),
    honoured("arm_aapcs_vfpcc", CONVENTION, "the C convention of ARMv7 here; refused on other machines"),
    refused("cc", CONVENTION, OTHER_CALL),
    honoured("tailcc", CONVENTION, "functions that jump to each other by `musttail` and `tail`, whatever they take, all of it in registers; those with arguments on the stack are refused when code is made"),
    refused("swifttailcc", CONVENTION, OTHER_CALL),
    refused("swiftcc", CONVENTION, OTHER_CALL),
    refused("ghccc", CONVENTION, OTHER_CALL),
    refused("anyregcc", CONVENTION, OTHER_CALL),
    refused("preserve_mostcc", CONVENTION, OTHER_CALL),
    refused("preserve_allcc", CONVENTION, OTHER_CALL),
    refused("preserve_nonecc", CONVENTION, OTHER_CALL),
    refused("cxx_fast_tlscc", CONVENTION, OTHER_CALL),
    refused("cfguard_checkcc", CONVENTION, OTHER_CALL),
    refused("webkit_jscc", CONVENTION, OTHER_CALL),
    refused("graalcc", CONVENTION, OTHER_CALL),
    refused("hhvmcc", CONVENTION, OTHER_CALL),
    refused("hhvm_ccc", CONVENTION, OTHER_CALL),
    refused("intel_ocl_bicc", CONVENTION, OTHER_CALL),
    refused("arm_apcscc", CONVENTION, OTHER_CALL),
    refused("arm_aapcscc", CONVENTION, OTHER_CALL),
    refused("aarch64_vector_pcs", CONVENTION, OTHER_CALL),
    refused("aarch64_sve_vector_pcs", CONVENTION, OTHER_CALL),
    refused("aarch64_sme_preservemost_from_x0", CONVENTION, OTHER_CALL),
    refused("aarch64_sme_preservemost_from_x1", CONVENTION, OTHER_CALL),
    refused("aarch64_sme_preservemost_from_x2", CONVENTION, OTHER_CALL),
    refused("riscv_vector_cc", CONVENTION, OTHER_CALL),
    refused("x86_stdcallcc", CONVENTION, OTHER_MACHINE),
    refused("x86_fastcallcc", CONVENTION, OTHER_MACHINE),
    refused("x86_thiscallcc", CONVENTION, OTHER_MACHINE),
    refused("x86_vectorcallcc", CONVENTION, OTHER_MACHINE),
    refused("x86_regcallcc", CONVENTION, OTHER_MACHINE),
    refused("x86_intrcc", CONVENTION, OTHER_MACHINE),
    refused("x86_64_sysvcc", CONVENTION, OTHER_MACHINE),
    refused("win64cc", CONVENTION, OTHER_MACHINE),
    refused("msp430_intrcc", CONVENTION, OTHER_MACHINE),
    refused("avr_intrcc", CONVENTION, OTHER_MACHINE),
    refused("avr_signalcc", CONVENTION, OTHER_MACHINE),
    refused("m68k_rtdcc", CONVENTION, OTHER_MACHINE),
    refused("ptx_kernel", CONVENTION, OTHER_MACHINE),
    refused("ptx_device", CONVENTION, OTHER_MACHINE),
    refused("spir_func", CONVENTION, OTHER_MACHINE),
    refused("spir_kernel", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_kernel", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_gfx", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_cs", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_cs_chain", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_cs_chain_preserve", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_vs", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_gs", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_ps", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_hs", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_ls", CONVENTION, OTHER_MACHINE),
    refused("amdgpu_es", CONVENTION, OTHER_MACHINE),
    // At the head of globals and functions.
    honoured("external", HEAD, "linkage"),
    honoured("internal", HEAD, "linkage"),
    honoured("private", HEAD, "linkage"),
    honoured("weak", HEAD, "linkage"),
    honoured("weak_odr", HEAD, "linkage"),
    honoured("linkonce", HEAD, "linkage"),
    honoured("linkonce_odr", HEAD, "linkage"),
    honoured("extern_weak", HEAD, "linkage of what is declared"),
    honoured("common", HEAD, "linkage of data that are zeros; of others refused"),
    honoured("appending", HEAD, "linkage of `llvm.used` and its like; of others refused"),
    refused("available_externally", HEAD, "declare it, and link what defines it"),
    honoured("dso_local", HEAD, "its address is as far from the code as when it was linked"),
    passed("dso_preemptable", HEAD, "what is there without it"),
    passed("default", HEAD, "what is there without it"),
    honoured("hidden", HEAD, "a shared library does not show the symbol"),
    honoured("protected", HEAD, "nothing replaces the symbol of a shared library"),
    refused("dllimport", HEAD, PLACE),
    refused("dllexport", HEAD, PLACE),
    honoured("thread_local", HEAD, "an address for each thread, by its model or a quicker one that is right, too"),
    passed("unnamed_addr", HEAD, "a permission to merge what is the same"),
    passed("local_unnamed_addr", HEAD, "a permission to merge what is the same"),
    honoured("addrspace", HEAD, "0 is the only one; of others refused"),
    refused("externally_initialized", HEAD, "initialise it in the text"),
    // Behind them.
    honoured("section", TAIL, "the section of what is defined"),
    honoured("comdat", TAIL, "has to be defined; copies of what is weak are folded by name"),
    honoured("personality", TAIL, "what catches exceptions; unwinders are told of all functions of the text"),
    passed("no_sanitize_address", TAIL, NO_CHECK),
    passed("no_sanitize_hwaddress", TAIL, NO_CHECK),
    passed("sanitize_address_dyninit", TAIL, NO_CHECK),
    refused("partition", TAIL, "there is one object only; remove it"),
    refused("code_model", TAIL, "there is one code model only; remove it"),
    refused("gc", TAIL, "no collector is supported; remove it"),
    refused("prefix", TAIL, "nothing stands before a function's code; use data of its own"),
    refused("prologue", TAIL, "nothing stands before a function's code; write it in assembly"),
    // Of operations.
    honoured("nuw", Places::WRAPS.or(Places::STEPS), "counts of trips, products and shifts that are taken back; of `trunc` and `getelementptr` passed over"),
    honoured("nsw", Places::WRAPS, "counts of trips, products and shifts that are taken back; of `trunc` passed over"),
    honoured("exact", Places::LOSES, "quotients by constants, quotients and shifts that are taken back"),
    honoured("inbounds", Places::STEPS, "what an address may be in"),
    passed("nusw", Places::STEPS, PROMISE),
    passed("disjoint", Places::BITS, PROMISE),
    passed("nneg", Places::SIGNS, PROMISE),
    passed("samesign", Places::COMPARES, PROMISE),
    honoured("fast", FLOATS, "all of the below"),
    honoured("nnan", FLOATS, "products with 0, differences and quotients of a value and itself; of `fcmp` passed over"),
    passed("ninf", FLOATS, FAST),
    honoured("nsz", FLOATS, "sums and products with 0, differences from 0; of `fcmp` passed over"),
    honoured("arcp", FLOATS, "quotients by constants"),
    honoured("contract", FLOATS, "a product and a sum in one instruction, where the machine has it"),
    passed("afn", FLOATS, FAST),
    honoured("reassoc", FLOATS, "sums and products over the rounds of a loop, in vectors"),
];

/// A string attribute that is refused: its key, a `*` for any end; what its value has for that, and what can be done.
#[derive(Copy, Clone, Debug)]
pub struct Text {
    /// The key.
    pub key: &'static str,
    /// Which values.
    pub when: When,
    /// What can be done.
    pub note: &'static str,
}

/// Which values of a string attribute are meant.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum When {
    /// All.
    Any,
    /// This one.
    Is(&'static str),
    /// Those that have this in them.
    Has(&'static str),
    /// All that are not a list of this.
    IsNot(&'static str),
}

impl When {
    /// True for a value that is meant.
    pub fn holds(self, value: &str) -> bool {
        match self {
            When::Any => true,
            When::Is(text) => value == text,
            When::Has(text) => value.contains(text),
            When::IsNot(text) => value.split(',').any(|part| part != text),
        }
    }
}

const fn text(key: &'static str, when: When, note: &'static str) -> Text {
    Text { key, when, note }
}

const TRACED: &str = "the calls that it asks for are not made; compile without it";
const PATCHED: &str = "no room is left for patches; compile without it";
const SME: &str = "the machine's matrix state is not kept; compile without it";
const INTERRUPT: &str = "registers are not saved as for an interrupt; write it in assembly";
const SECTIONS: &str = "name the section of each thing itself";

/// String attributes that change what a program does.
#[rustfmt::skip]
pub const TEXTS: &[Text] = &[
    text("use-soft-float", When::Is("true"), "floats travel in registers for floats; compile for hardware floats"),
    text("target-features", When::Has("+soft-float"), "floats travel in registers for floats; compile for hardware floats"),
    text("target-features", When::Has("+strict-align"), "where the machine has accesses that need not be aligned, those are used; compile without it"),
    text("target-features", When::Has("+reserve-"), "no register is kept free; compile without it"),
    text("denormal-fp-math", When::IsNot("ieee"), "subnormal numbers are kept; compile without it"),
    text("denormal-fp-math-f32", When::IsNot("ieee"), "subnormal numbers are kept; compile without it"),
    text("strictfp", When::Any, "rounding is taken to be to nearest, and exceptions to be unseen; compile without it"),
    text("null-pointer-is-valid", When::Is("true"), "memory at address 0 is taken for none; compile without it"),
    text("probe-stack", When::IsNot("inline-asm"), "the function that it names is not called; compile without it"),
    text("split-stack", When::Any, "stacks are of one piece; compile without it"),
    text("stackrealign", When::Any, "the stack is taken to be aligned; compile without it"),
    text("thunk", When::Any, "arguments that are not named are not handed on"),
    text("patchable-function", When::Any, PATCHED),
    text("patchable-function-entry", When::Any, PATCHED),
    text("patchable-function-prefix", When::Any, PATCHED),
    text("instrument-function-*", When::Any, TRACED),
    text("function-instrument", When::Is("xray-always"), TRACED),
    text("fentry-call", When::Is("true"), TRACED),
    text("trap-func-name", When::Any, TRACED),
    text("interrupt", When::Any, INTERRUPT),
    text("cmse_nonsecure_*", When::Any, INTERRUPT),
    text("aarch64_*", When::Any, SME),
    text("bss-section", When::Any, SECTIONS),
    text("data-section", When::Any, SECTIONS),
    text("rodata-section", When::Any, SECTIONS),
    text("relro-section", When::Any, SECTIONS),
    text("implicit-section-name", When::Any, SECTIONS),
];

/// The row of a string attribute that is refused.
pub(super) fn refused_text(key: &str, value: &str) -> Option<&'static Text> {
    let fits = |row: &Text| match row.key.strip_suffix('*') {
        Some(start) => key.starts_with(start),
        None => key == row.key,
    };
    TEXTS.iter().find(|row| fits(row) && row.when.holds(value))
}

/// What a kind of metadata has to stand on, and to be.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Anything anywhere.
    Free,
    /// Pairs of numbers that differ, of the integer's type, on a load or call.
    Range,
    /// Nothing, on the load of an address.
    NonNull,
    /// Anything, on a load.
    NoUndef,
    /// A number of 64 bits, on the load of an address; of `inttoptr`, too, if it is so.
    Number(bool),
    /// A name and something behind it.
    Profile,
}

/// A kind of metadata.
#[derive(Copy, Clone, Debug)]
pub struct Kind {
    /// What it is called, without the mark.
    pub name: &'static str,
    /// What it has to be.
    pub rule: Rule,
    /// What we do.
    pub handling: Handling,
    /// Why, or by what.
    pub note: &'static str,
}

const fn kind(name: &'static str, rule: Rule, handling: Handling, note: &'static str) -> Kind {
    Kind { name, rule, handling, note }
}

/// Kinds of metadata of which something is known. LLVM may drop any kind, so all others are passed over.
#[rustfmt::skip]
pub const METADATA: &[Kind] = &[
    kind("range", Rule::Range, Handling::PassedOver, PROMISE),
    kind("nonnull", Rule::NonNull, Handling::PassedOver, PROMISE),
    kind("noundef", Rule::NoUndef, Handling::PassedOver, PROMISE),
    kind("dereferenceable", Rule::Number(true), Handling::PassedOver, PROMISE),
    kind("dereferenceable_or_null", Rule::Number(true), Handling::PassedOver, PROMISE),
    kind("align", Rule::Number(false), Handling::PassedOver, PROMISE),
    kind("prof", Rule::Profile, Handling::Honoured, "weights of a branch with two ways, of which one is eight times the other: code of the other is put elsewhere; how often a function was called (`function_entry_count`): then weights in it are counts of a profile"),
    kind("absolute_symbol", Rule::Free, Handling::Refused, "an address is a place in memory; use a number"),
    kind("exclude", Rule::Free, Handling::Refused, "every section is linked; leave out what it holds"),
    kind("kcfi_type", Rule::Free, Handling::Refused, "calls by address are not checked; compile without it"),
];

/// The row of a kind of metadata.
pub(super) fn kind_of(name: &str) -> Option<&'static Kind> {
    METADATA.iter().find(|row| row.name == name)
}

/// Attributes of which a place can have one only; pair `k` has bits `2 k` and `2 k + 1` (`words`).
#[rustfmt::skip]
pub(super) const APART: &[(&str, &str)] = &[
    ("zeroext", "signext"), ("zeroext", "noext"), ("signext", "noext"), ("byval", "sret"),
    ("readnone", "readonly"), ("readnone", "writeonly"), ("readonly", "writeonly"),
    ("alwaysinline", "noinline"), ("optnone", "optsize"), ("optnone", "minsize"), ("optnone", "alwaysinline"), ("optnone", "optdebug"),
    ("optdebug", "optsize"), ("optdebug", "minsize"),
];
