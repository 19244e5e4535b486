//! What data hold: bytes, addresses among them, and how they lie in memory.

use super::error::Error;
use super::module::{Func, Global};
use crate::ir::Image;
use crate::ir::section::{self, Content};
use crate::ir::types::MOST_ALIGN;

/// What an address in data leads to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum To {
    Func(Func),
    Global(Global),
}

/// What a datum holds, and how it lies in memory.
///
/// ```
/// use sysyc::backend::{Data, Linkage, Module, Options, Target};
///
/// // const char *const words[] = { "one", "two" };
/// let mut module = Module::new(Target::new("aarch64")?);
/// let one = module.data("one", Data::string("one"), Linkage::Local)?;
/// let two = module.data("two", Data::string("two"), Linkage::Local)?;
/// let words = Data::zeros(16).align(8).constant().address(0, one, 0).address(8, two, 0);
/// module.data("words", words, Linkage::Export)?;
/// assert!(module.assembly(&Options::default())?.contains(".8byte two"));
/// # Ok::<(), sysyc::backend::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    bytes: Vec<u8>,
    pub(super) size: u32,
    pub(super) align: u32,
    pub(super) constant: bool,
    pub(super) section: Option<String>,
    pub(super) thread: bool,
    /// Where each starts, what it leads to, and how far behind the start of that.
    pub(super) addresses: Vec<(u32, To, i64)>,
}

impl Data {
    fn new(bytes: Vec<u8>, size: u32) -> Data {
        Data { bytes, size, align: 1, constant: false, section: None, thread: false, addresses: Vec::new() }
    }

    /// These bytes.
    pub fn bytes(bytes: &[u8]) -> Data {
        Data::new(bytes.to_vec(), u32::try_from(bytes.len()).unwrap_or(u32::MAX))
    }

    /// A text with a zero byte behind it, never written.
    pub fn string(text: &str) -> Data {
        let bytes = [text.as_bytes(), &[0]].concat();
        Data::bytes(&bytes).constant()
    }

    /// So many zeros, which take no room in the object.
    pub fn zeros(size: u32) -> Data {
        Data::new(Vec::new(), size)
    }

    /// Lies at a multiple of so many bytes, a power of two.
    #[must_use]
    pub fn align(mut self, bytes: u32) -> Data {
        self.align = bytes;
        self
    }

    /// Is never written: it goes to memory that is read-only, and loads of it may be done at compile time.
    #[must_use]
    pub fn constant(mut self) -> Data {
        self.constant = true;
        self
    }

    /// Has the address `offset` bytes behind the start of a datum, as wide as a pointer of the machine, from byte `at`
    /// on, in the place of what is there.
    #[must_use]
    pub fn address(mut self, at: u32, of: Global, offset: i64) -> Data {
        self.addresses.push((at, To::Global(of), offset));
        self
    }

    /// Has the address of a function from byte `at` on, in the place of what is there.
    #[must_use]
    pub fn function_address(mut self, at: u32, of: Func) -> Data {
        self.addresses.push((at, To::Func(of), 0));
        self
    }

    /// Each thread has its own, which starts as these contents (C's `_Thread_local`). Its address is the one of the thread
    /// that asks (`FunctionBuilder::address`), so data cannot have it; nor can it lie in a section that it names, nor be known
    /// to code in memory, which is in no program that gives threads such memory.
    ///
    /// ```
    /// use sysyc::backend::{Data, Level, Linkage, Module, Options, Signature, Target, Type};
    ///
    /// // _Thread_local int count; int next(void) { return ++count; }
    /// let mut module = Module::new(Target::new("riscv64")?);
    /// let count = module.data("count", Data::zeros(4).align(4).thread_local(), Linkage::Export)?;
    /// let next = module.function("next", Signature::new().result(Type::I32), Linkage::Export)?;
    /// module.set_section(next, ".text.hot")?;
    /// let mut f = module.build(next)?;
    /// let (place, one) = (f.address(count), f.int(Type::I32, 1));
    /// let old = f.load(Type::I32, place);
    /// let new = f.add(old, one);
    /// f.store(new, place);
    /// f.ret(Some(new));
    /// let body = f.finish()?;
    /// module.define(body)?;
    /// let assembly = module.assembly(&Options::at(Level::O1))?;
    /// assert!(assembly.contains(".section .text.hot") && assembly.contains(".section .tbss"));
    /// # Ok::<(), sysyc::backend::Error>(())
    /// ```
    #[must_use]
    pub fn thread_local(mut self) -> Data {
        self.thread = true;
        self
    }

    /// Lies in a section of this name, and not where its kind of data does. What starts with `.init_array` or
    /// `.fini_array` has functions that are called before `main` and after it.
    #[must_use]
    pub fn section(mut self, name: &str) -> Data {
        self.section = Some(name.to_string());
        self
    }

    /// `Misuse` if something of it cannot be.
    pub(super) fn check(&self, name: &str, pointer_bytes: u32) -> Result<(), Error> {
        let Data { size, align, .. } = *self;
        let wrong = |what: String| Err(Error::misuse(format!("'{name}' {what}")));
        if !align.is_power_of_two() || align > MOST_ALIGN {
            return wrong(format!("is to be aligned to {align} bytes"));
        }
        if size > i32::MAX as u32 {
            return wrong("is larger than 2 GiB".to_string());
        }
        if let Some(section) = self.section.as_deref() {
            if !section::is_plain(section) {
                return wrong(format!("is to be in a section that is called '{section}'"));
            }
            if let Some(why) = section::refusal(section, Content::Data) {
                return wrong(format!("is to be in '{section}': {why}"));
            }
            if self.thread {
                return wrong("is thread-local, and to be in a section".to_string());
            }
        }
        let mut end = 0;
        for (at, _, offset) in self.sorted() {
            // No datum is larger than that, and no machine's linker takes more.
            if offset.unsigned_abs() > i32::MAX as u64 {
                return wrong(format!("has an address {offset} bytes behind the start of something"));
            }
            if u64::from(at) < end {
                return wrong(format!("has two addresses at {at}"));
            }
            end = u64::from(at) + u64::from(pointer_bytes);
            if end > u64::from(size) {
                return wrong(format!("is {size} bytes long, and has no address at {at}"));
            }
        }
        Ok(())
    }

    /// Other contents than zeros.
    pub(super) fn has_contents(&self) -> bool {
        !self.bytes.is_empty() || !self.addresses.is_empty()
    }

    /// Zeros that all threads may write to, wherever there is room.
    pub(super) fn is_plain_zeros(&self) -> bool {
        let is_plain = !self.constant && !self.thread && self.section.is_none();
        is_plain && self.addresses.is_empty() && self.bytes.iter().all(|&byte| byte == 0)
    }

    /// The addresses by ascending place.
    pub(super) fn sorted(&self) -> impl Iterator<Item = (u32, To, i64)> {
        let mut rows = self.addresses.clone();
        rows.sort_by_key(|row| row.0);
        rows.into_iter()
    }

    /// The bytes as the tables have them, without those that addresses stand for. O(bytes + addresses).
    pub(super) fn image(&self, pointer_bytes: u32) -> Image {
        let mut image = Image::default();
        let mut addresses = self.sorted().map(|row| row.0).peekable();
        let mut covered = 0;
        for (at, &byte) in self.bytes.iter().enumerate() {
            let at = at as u32;
            if addresses.next_if(|&next| next <= at).is_some() {
                covered = at + pointer_bytes;
            }
            if byte != 0 && at >= covered {
                image.push(at, u32::from(byte));
            }
        }
        image
    }
}
