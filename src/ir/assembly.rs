//! Inline assembly: a call of a function that stands for it (`Builtin::Assembly`), whose name says all of it: what the template
//! and the constraints are, and of which types what it is given and yields. So equal assembly is one function, and no table
//! of modules, of the linker or of packed bodies has a case of it.
//!
//! Constraints are LLVM's, in a form that all who ask agree on: one result comes directly (`=r`); of several each is stored to
//! the address that its argument is (`=*r`). Immediate operands stand in the template as numbers; their arguments are passed
//! over. What instructions mean only machines know (`isa/assembly`). O(length) each.

use super::{Effect, Type};
use std::fmt::Write;

/// What an operand is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In a register for integers and addresses.
    Int,
    /// In a register for floats.
    Float,
    /// What an address leads to.
    Memory,
    /// A number in the template.
    Immediate,
}

/// An operand, as `$0` in the template names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// What it is.
    pub kind: Kind,
    /// The type of the value in its register; of memory, of what is there.
    pub ty: Type,
    /// The register that it has to be in.
    pub register: Option<&'a str>,
    /// It is written.
    pub is_output: bool,
    /// The argument that it is; of an output that is stored, and of memory, the address. None of the call's result.
    pub argument: Option<usize>,
    /// The output whose register has this to begin with.
    pub tied: Option<usize>,
}

/// An inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assembly<'a> {
    /// It is not left out, and happens as often as it stands there.
    pub is_volatile: bool,
    /// The template.
    pub template: &'a str,
    /// The constraints.
    pub constraints: &'a str,
    /// The operands, in the order in which the template counts them.
    pub operands: Vec<Operand<'a>>,
    /// The registers that it destroys, by their names.
    pub clobbers: Vec<&'a str>,
    /// Per argument, the type of what it leads to, if the operand is not the argument itself.
    pub elements: Vec<Option<Type>>,
}

/// A piece of a template.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// Text.
    Text(&'a str),
    /// An operand, with a letter that says how it is printed.
    Operand(usize, Option<u8>),
    /// What is not known.
    Unknown(&'a str),
}

/// What stands in front of the name of the function.
pub const PREFIX: &str = ".asm.";

/// Behind that: the types of the result and the arguments, with a mark at those of what arguments lead to.
pub fn code(is_volatile: bool, types: &[(Type, bool)], constraints: &str, template: &str) -> String {
    let mut code = String::from(if is_volatile { "volatile" } else { "plain" });
    for &(ty, is_element) in types {
        _ = write!(code, " {}{}", if is_element { "*" } else { "" }, ty.name());
    }
    _ = write!(code, "\n{constraints}\n{template}");
    code
}

impl<'a> Assembly<'a> {
    /// What the name of a function says; none of other names.
    pub fn of(name: &'a str) -> Option<Assembly<'a>> {
        let mut parts = name.strip_prefix(PREFIX)?.splitn(3, '\n');
        let (head, constraints, template) = (parts.next()?, parts.next()?, parts.next()?);
        let mut words = head.split(' ');
        let is_volatile = words.next()? == "volatile";
        let types = words.map(|word| {
            let text = word.strip_prefix('*');
            let ty = Type::every().find(|ty| ty.name() == text.unwrap_or(word))?;
            Some((ty, text.is_some()))
        });
        let types = types.collect::<Option<Vec<(Type, bool)>>>()?;
        let (&(result, _), arguments) = types.split_first()?;
        let elements = arguments.iter().map(|&(ty, is_element)| is_element.then_some(ty)).collect();
        let (mut operands, mut clobbers) = (Vec::new(), Vec::new());
        let mut next = 0;
        for word in constraints.split(',').filter(|word| !word.is_empty()) {
            if let Some(clobber) = word.strip_prefix('~') {
                clobbers.push(clobber.trim_matches(['{', '}']));
                continue;
            }
            let is_output = word.starts_with('=');
            let is_direct = is_output && !word.starts_with("=*");
            let of = word.trim_start_matches(['=', '*', '&']);
            let tied = of.parse::<usize>().ok();
            let ty = if is_direct { result } else { arguments.get(next)?.0 };
            let argument = (!is_direct).then_some(next);
            next += usize::from(!is_direct);
            let register = of.strip_prefix('{').and_then(|name| name.strip_suffix('}'));
            let kind = match of {
                "m" | "Q" | "A" => Kind::Memory,
                "i" => Kind::Immediate,
                _ if ty.is_float() => Kind::Float,
                _ => Kind::Int,
            };
            operands.push(Operand { kind, ty, register, is_output, argument, tied });
        }
        let is_right = next == arguments.len()
            && operands.iter().filter_map(|operand: &Operand| operand.tied).all(|of| {
                operands.get(of).is_some_and(|output| output.is_output && output.kind != Kind::Memory)
            });
        is_right.then_some(Assembly { is_volatile, template, constraints, operands, clobbers, elements })
    }

    /// What executing it can do.
    pub fn effect(&self) -> Effect {
        let in_memory = self.operands.iter().any(|operand| operand.kind == Kind::Memory)
            || self.elements.iter().any(Option::is_some)
            || self.clobbers.contains(&"memory");
        if self.is_volatile || in_memory { Effect::ALL } else { Effect::NONE }
    }
}

/// The pieces of a template.
pub fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('$') {
        pieces.push(Piece::Text(&rest[..at]));
        let behind = &rest[at + 1..];
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (piece, taken) = match behind.as_bytes().first() {
            Some(b'$') => (Piece::Text("$"), 1),
            Some(b'{') => match behind.find('}') {
                Some(end) => (braced(&behind[1..end]), end + 1),
                None => (Piece::Unknown(behind), behind.len()),
            },
            Some(b'0'..=b'9') => {
                let count = digits(behind);
                let known = behind[..count].parse().map(|number| Piece::Operand(number, None));
                (known.unwrap_or(Piece::Unknown(&behind[..count])), count)
            }
            _ => {
                let count = behind.chars().next().map_or(0, char::len_utf8);
                (Piece::Unknown(&behind[..count]), count)
            }
        };
        pieces.push(piece);
        rest = &behind[taken..];
    }
    pieces.push(Piece::Text(rest));
    pieces
}

/// `0:w`.
fn braced(text: &str) -> Piece<'_> {
    let (number, letter) =
        text.split_once(':').map_or((text, None), |(number, letter)| (number, Some(letter)));
    match (number.parse(), letter.map(str::as_bytes)) {
        (Ok(number), None) => Piece::Operand(number, None),
        (Ok(number), Some(&[letter])) => Piece::Operand(number, Some(letter)),
        _ => Piece::Unknown(text),
    }
}

/// A template with numbers in the place of operands that are immediate.
pub fn with_numbers(template: &str, number: impl Fn(usize) -> Option<i64>) -> String {
    let mut text = String::new();
    for piece in pieces(template) {
        _ = match piece {
            Piece::Text(of) => write!(text, "{}", of.replace('$', "$$")),
            Piece::Operand(k, None | Some(b'c')) if number(k).is_some() => {
                write!(text, "{}", number(k).unwrap_or(0))
            }
            Piece::Operand(k, None) => write!(text, "${{{k}}}"),
            Piece::Operand(k, Some(letter)) => write!(text, "${{{k}:{}}}", char::from(letter)),
            Piece::Unknown(of) => write!(text, "${of}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_all_of_it() {
        let types = [
            (Type::Void, false),
            (Type::I32, true),
            (Type::I32, true),
            (Type::I32, false),
            (Type::I32, false),
        ];
        let name = format!(
            "{PREFIX}{}",
            code(true, &types, "=*r,=*&r,r,0,~{cc},~{memory}", "umull $0, $1, $2, $3\n")
        );
        let assembly = Assembly::of(&name).unwrap();
        assert_eq!((assembly.is_volatile, assembly.template), (true, "umull $0, $1, $2, $3\n"));
        assert_eq!(assembly.clobbers, ["cc", "memory"]);
        let told: Vec<_> = assembly.operands.iter().map(|o| (o.is_output, o.argument, o.tied)).collect();
        assert_eq!(
            told,
            [(true, Some(0), None), (true, Some(1), None), (false, Some(2), None), (false, Some(3), Some(0))]
        );
        assert_eq!(Assembly::of(".asm.plain i32\nr\nnop"), None);
        let pure = format!("{PREFIX}{}", code(false, &[(Type::I64, false), (Type::F64, false)], "=r,w", ""));
        let pure = Assembly::of(&pure).unwrap();
        assert_eq!((pure.effect(), pure.operands[1].kind), (Effect::NONE, Kind::Float));
    }

    #[test]
    fn templates_are_taken_apart() {
        use Piece::*;
        let all = pieces("add ${0:w}, $10, $$${:uid}$(");
        assert_eq!(
            all,
            [
                Text("add "),
                Operand(0, Some(b'w')),
                Text(", "),
                Operand(10, None),
                Text(", "),
                Text("$"),
                Text(""),
                Unknown(":uid"),
                Text(""),
                Unknown("("),
                Text("")
            ]
        );
        assert_eq!(with_numbers("mov $0, #${1:c} $$5", |k| (k == 1).then_some(-7)), "mov ${0}, #-7 $$5");
    }
}
