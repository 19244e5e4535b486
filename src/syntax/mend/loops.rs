//! `for (a; b; c) s` as `for a; c; while (b) s`: three statements, which the parser takes for a block.

use super::{FAR, New, behind_bracket, row};
use crate::base::Handle;
use crate::source::{Diagnostics, SourceFile};
use crate::syntax::complaints::not_sysy;
use crate::syntax::token::TokenKind::{self, *};
use crate::syntax::token::{Token, Tokens};

/// Bytes of a header that are shown.
const SHOWN: usize = 60;

/// The two `;` and the end of the header of a `for` at `at`, if there is one.
fn header(kinds: &[TokenKind], at: usize) -> Option<[usize; 3]> {
    if kinds.get(at + 1) != Some(&LParen) {
        return None;
    }
    let end = behind_bracket(kinds, at + 1)?;
    let (mut depth, mut found) = (0usize, Vec::with_capacity(2));
    for k in (at + 1..end).take(FAR) {
        match kinds[k] {
            LParen | LBracket => depth += 1,
            RParen | RBracket => depth = depth.saturating_sub(1),
            Semicolon if depth == 1 => found.push(k),
            Semicolon => return None,
            _ => {}
        }
    }
    let &[first, second] = found.as_slice() else { return None };
    Some([first, second, end])
}

/// True if a `for` at `at` has the header of one.
pub(super) fn is_header(kinds: &[TokenKind], at: usize) -> bool {
    header(kinds, at).is_some()
}

/// Reports each `for`, and makes it what it stands for. The edits, and what they put in.
pub(super) fn for_loops(
    file: &SourceFile,
    tokens: &Tokens,
    diags: &mut Diagnostics,
) -> (Vec<(usize, usize, usize)>, Vec<New>) {
    let (mut edits, mut put) = (Vec::new(), Vec::new());
    let kinds = tokens.kind.as_slice();
    for at in (0..kinds.len()).filter(|&at| kinds[at] == For) {
        let span = tokens.span(&file.text, Token::new(at));
        let Some([first, second, end]) = header(kinds, at) else {
            diags.push(not_sysy(span, "'for' loops").help("use 'while'"));
            put.push((Ident, span.start, 0));
            edits.push((at, at + 1, put.len()));
            continue;
        };
        // Where a part was mended, its text is not what is to be written.
        let text = |from: usize, to: usize| {
            if from >= to {
                return String::new();
            }
            let start = tokens.start[Token::new(from)] as usize;
            let end = tokens.span(&file.text, Token::new(to - 1)).end as usize;
            let bytes = file.text.get(start..end).unwrap_or_default();
            String::from_utf8_lossy(bytes).into_owned()
        };
        let (init, test, step) = (text(at + 2, first), text(first + 1, second), text(second + 1, end - 1));
        let error = not_sysy(span, "'for' loops");
        let short = init.len() + test.len() + step.len() <= SHOWN;
        let error = if short && ![&init, &test, &step].iter().any(|part| part.contains('\n')) {
            let init = if init.is_empty() { init } else { format!("{init}; ") };
            let test = if test.is_empty() { "1".to_string() } else { test };
            let step = written_out(&step);
            let step = if step.is_empty() { " ".to_string() } else { format!("; {step}; ") };
            error.help(format!("write '{init}while ({test}) {{ ...{step}}}'"))
        } else {
            error.help("use 'while'")
        };
        diags.push(error);
        let semicolon = (Semicolon, tokens.start[Token::new(first)], 0);
        put.push((For, span.start, 0));
        put.extend(up_to_comma(kinds, at + 2, first).map(|k| row(tokens, k)));
        put.push(semicolon);
        put.extend(plain(kinds, second + 1, end - 1).into_iter().map(|k| row(tokens, k)));
        put.push(semicolon);
        put.extend([(While, span.start, 0), row(tokens, at + 1)]);
        if first + 1 == second {
            put.push((Invalid, span.start, 0));
        }
        put.extend((first + 1..second).map(|k| row(tokens, k)));
        put.push(row(tokens, end - 1));
        edits.push((at, end, put.len()));
    }
    (edits, put)
}

/// What a step is written as: `i++` as `i = i + 1`, `i += 2` as `i = i + 2`.
fn written_out(step: &str) -> String {
    let is_name =
        |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    for sign in ["+", "-"] {
        let twice = format!("{sign}{sign}");
        let name = step.strip_suffix(&twice).or(step.strip_prefix(&twice)).map(str::trim);
        if let Some(name) = name.filter(|name| is_name(name)) {
            return format!("{name} = {name} {sign} 1");
        }
    }
    for sign in ["+", "-", "*", "/", "%"] {
        if let Some((name, value)) = step.split_once(&format!("{sign}="))
            && is_name(name.trim())
        {
            let name = name.trim();
            return format!("{name} = {name} {sign} {}", value.trim());
        }
    }
    step.to_string()
}

/// The tokens of the first part of a list with commas; all of a declaration.
fn up_to_comma(kinds: &[TokenKind], from: usize, to: usize) -> std::ops::Range<usize> {
    if matches!(kinds[from], Const | Int | Float) {
        return from..to;
    }
    let mut depth = 0usize;
    for (k, kind) in kinds.iter().enumerate().take(to).skip(from) {
        match kind {
            LParen | LBracket => depth += 1,
            RParen | RBracket => depth = depth.saturating_sub(1),
            Comma if depth == 0 => return from..k,
            _ => {}
        }
    }
    from..to
}

/// The tokens of a step without the operators that SysY does not have, about which enough is said.
fn plain(kinds: &[TokenKind], from: usize, to: usize) -> Vec<usize> {
    let range = up_to_comma(kinds, from, to);
    let is_sign = |k: usize| matches!(kinds[k], Plus | Minus | Star | Slash | Percent);
    let doubled = |k: usize| {
        let same = |other: usize| range.contains(&other) && kinds[other] == kinds[k];
        matches!(kinds[k], Plus | Minus) && (same(k + 1) || k > 0 && same(k - 1))
    };
    range.clone().filter(|&k| !(doubled(k) || is_sign(k) && kinds.get(k + 1) == Some(&Assign))).collect()
}
