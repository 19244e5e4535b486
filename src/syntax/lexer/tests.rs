//! The lexer on every kind of token and on broken ones.

use super::*;

/// Kinds and texts of the tokens, and the messages.
fn lex_text(text: &[u8]) -> (Vec<(TokenKind, String)>, Vec<String>) {
    let mut diags = Diagnostics::default();
    let file = SourceFile::new("a.sy", text.to_vec());
    let tokens = lex(&file, &mut Interner::default(), &mut diags);
    let list = tokens
        .kind
        .keys()
        .map(|token| (tokens.kind[token], String::from_utf8_lossy(tokens.text(text, token)).into_owned()));
    (list.collect(), diags.list().iter().map(|diagnostic| diagnostic.message.clone()).collect())
}

fn kinds(text: &[u8]) -> Vec<TokenKind> {
    let (tokens, messages) = lex_text(text);
    assert!(messages.is_empty(), "{messages:?}");
    tokens.into_iter().map(|token| token.0).filter(|&kind| kind != TokenKind::End).collect()
}

#[test]
fn every_fixed_spelling_is_its_token() {
    use TokenKind::*;
    for kind in [
        Const, Int, Float, Void, If, Else, While, Break, Continue, Return, LParen, RParen, LBracket,
        RBracket, LBrace, RBrace, Comma, Semicolon, Assign, Plus, Minus, Star, Slash, Percent, Not, Less,
        LessEq, Greater, GreaterEq, EqEq, NotEq, AndAnd, OrOr,
    ] {
        assert_eq!(kinds(kind.spelling().as_bytes()), [kind]);
    }
}

#[test]
fn the_longest_token_wins() {
    use TokenKind::*;
    assert_eq!(
        kinds(b"a--b<=!===>=&&||"),
        [Ident, Minus, Minus, Ident, LessEq, NotEq, EqEq, GreaterEq, AndAnd, OrOr]
    );
    assert_eq!(kinds(b"intx int_ _int Int while1"), [Ident; 5]);
    assert_eq!(kinds("x".repeat(100_000).as_bytes()), [Ident]);
}

#[test]
fn numbers_of_every_form_are_one_token() {
    use TokenKind::*;
    for text in ["0", "00", "017", "123", "0x1F", "0XABCDEFabcdef0"] {
        assert_eq!(lex_text(text.as_bytes()).0[0], (IntLiteral, text.to_string()));
    }
    for text in [
        ".5", "1.", "1e9", "1E-9", "1.5e+3", "03.14", "09.5", "08e1", "0x1.8p3", "0x.AP-3", "0x1p5",
        "0X1.P+2", "1.e5",
    ] {
        assert_eq!(lex_text(text.as_bytes()).0[0], (FloatLiteral, text.to_string()));
        assert!(lex_text(text.as_bytes()).1.is_empty(), "{text}");
    }
    assert_eq!(kinds(b"0x1e+3"), [IntLiteral, Plus, IntLiteral]);
    assert_eq!(kinds(b"1.+.5-1"), [FloatLiteral, Plus, FloatLiteral, Minus, IntLiteral]);
}

#[test]
fn malformed_numbers_are_one_token_and_one_error() {
    for (text, expected) in [
        ("0x", "a hexadecimal number has no digits"),
        ("0x.p1", "a hexadecimal number has no digits"),
        ("09", "digit 9 in an octal number"),
        ("0128", "digit 8 in an octal number"),
        ("1e", "the exponent of a number has no digits"),
        ("1e+", "the exponent of a number has no digits"),
        ("0x1p-", "the exponent of a number has no digits"),
        ("0x1.8", "a hexadecimal floating number has no exponent"),
        ("123abc", "'abc' cannot follow a number directly"),
        ("09a", "'a' cannot follow a number directly"),
        ("1.5f", "'f' cannot follow a number directly"),
        ("1.2.3", "'.3' cannot follow a number directly"),
        ("10UL", "'UL' cannot follow a number directly"),
        ("0b101", "SysY has no binary numbers"),
        ("0xg", "a hexadecimal number has no digits"),
    ] {
        let (tokens, messages) = lex_text(text.as_bytes());
        assert_eq!((tokens[0].clone(), tokens.len()), ((TokenKind::Invalid, text.to_string()), 2), "{text}");
        assert_eq!(messages, [expected], "{text}");
    }
}

#[test]
fn comments_of_every_form_are_white_space() {
    use TokenKind::*;
    assert_eq!(kinds(b"/*/ a /*/ b //// c\n/* // */d//"), [Ident, Ident]);
    assert_eq!(kinds(b"/***/a/**/b/* * / **/c // \xff\0\r\nd/*\xff\0*/"), [Ident; 4]);
    assert_eq!(kinds(b"a/b"), [Ident, Slash, Ident]);
    let (tokens, messages) = lex_text(b"// one \\\r\n two \\  \n three\nx \\\n y");
    assert_eq!((tokens.len(), messages.len()), (3, 1), "{messages:?}");
    assert_eq!(lex_text(b"// \\\n  \nx").0.len(), 2);
}

#[test]
fn an_open_comment_is_reported_where_it_opens() {
    let mut diags = Diagnostics::default();
    for text in ["a /* b", "a /*/", "a /*"] {
        let tokens =
            lex(&SourceFile::new("a.sy", text.as_bytes().to_vec()), &mut Interner::default(), &mut diags);
        assert_eq!(tokens.kind.as_slice(), [TokenKind::Ident, TokenKind::End]);
        assert_eq!(diags.list().last().unwrap().span, Some(Span::new(2, 4)));
    }
}

#[test]
fn strings_end_at_their_quote_and_not_behind_their_line() {
    use TokenKind::*;
    assert_eq!(lex_text(br#""a\"b\\" x"#).0[0], (StringLiteral, r#""a\"b\\""#.to_string()));
    assert_eq!(kinds(b"\"a\\\nb\",\"\xe9\""), [StringLiteral, Comma, StringLiteral]);
    for text in [&b"\"abc\nx"[..], b"\"abc", b"\"abc\\", b"\""] {
        let (tokens, messages) = lex_text(text);
        assert_eq!((tokens[0].0, messages.len()), (Invalid, 1));
    }
}

#[test]
fn a_run_of_stray_bytes_is_one_token_and_one_error() {
    for (text, run, expected) in [
        (&b"a $$\x60 b"[..], "$$\x60", "stray '$' in the program"),
        (b"a & b", "&", "SysY has no bitwise operator '&'"),
        (b"a ^b", "^", "SysY has no bitwise operator '^', and no operator for powers"),
        (b"a ? b", "?", "SysY has no conditional operator '?:'"),
        (b"a .b", ".", "SysY has no structures, and no operator '.'"),
        (b"a \xff\xfe b", "\u{fffd}\u{fffd}", "byte 0xFF is not valid UTF-8"),
        ("a é b".as_bytes(), "é", "stray character 'é' in the program"),
        ("a ； b".as_bytes(), "；", "stray character '；' (U+FF1B, full-width semicolon) in the program"),
        (b"a 'x' b", "'x'", "SysY has no character literals"),
        (b"a '\\'' b", "'\\''", "SysY has no character literals"),
        (b"a ' b", "'", "SysY has no character literals"),
        (b"a #include <b>\nb", "#include <b>", "SysY has no preprocessor"),
        (b"a \x01 b", "\x01", "stray byte 0x01 in the program"),
        (b"a \0\0 b", "\0\0", "the text holds a NUL byte"),
        (b"a \\ b", "\\", "stray '\\' in the program"),
    ] {
        let (tokens, messages) = lex_text(text);
        assert_eq!((tokens[1].clone(), tokens.len()), ((TokenKind::Invalid, run.to_string()), 4), "{text:?}");
        assert_eq!(messages, [expected]);
    }
    assert_eq!(lex_text(&b"\0a ".repeat(1000)).1.len(), 1);
}

#[test]
fn tokens_stay_inside_any_bytes() {
    // Every byte pair, and every prefix of a text of everything: ends are ordered and inside the text.
    let check = |text: &[u8]| {
        let tokens = lex(
            &SourceFile::new("a.sy", text.to_vec()),
            &mut Interner::default(),
            &mut Diagnostics::default(),
        );
        let mut end = 0;
        for token in tokens.kind.keys() {
            let span = tokens.span(text, token);
            assert!(span.start >= end && span.end as usize <= text.len(), "{text:?}");
            assert!(span.end > span.start || tokens.kind[token] == TokenKind::End);
            end = span.end;
        }
    };
    for first in 0..=255 {
        for second in 0..=255 {
            check(&[first, second]);
        }
    }
    let text = b"int/**/0x1p+1 1e- '\\' \"\\\" .5. // \\\n &|&& #x\n \xe2\x82 \\\n/* *";
    for end in 0..=text.len() {
        check(&text[..end]);
    }
}

#[test]
fn names_and_values_stand_in_the_table() {
    let text = b"a int aVeryLongName_1 a while 0 7 2147483647 2147483648 017 0x7fffffff 0xffffffff 00000000000000001 x_2";
    let mut names = Interner::default();
    names.intern("a");
    let mut diags = Diagnostics::default();
    let tokens = lex(&SourceFile::new("a.sy", text.to_vec()), &mut names, &mut diags);
    let words: Vec<&str> = tokens
        .kind
        .iter()
        .filter(|row| *row.1 == TokenKind::Ident)
        .map(|(token, _)| names.text(tokens.name(token)))
        .collect();
    assert_eq!(words, ["a", "aVeryLongName_1", "a", "x_2"]);
    let ints = tokens.kind.iter().filter(|row| *row.1 == TokenKind::IntLiteral);
    let values: Vec<u32> = ints.map(|(token, _)| tokens.value[token]).collect();
    assert_eq!(values, [0, 7, 2147483647, SEE_TEXT, 15, 0x7fff_ffff, SEE_TEXT, 1]);
    assert!(diags.is_empty());
}

#[test]
fn plain_integers_are_read_as_all_numbers_are() {
    let mut diags = Diagnostics::default();
    let mut texts: Vec<String> = (0..400).map(|k| (k * k * k).to_string()).collect();
    texts.extend(
        ["0", "7", "00", "017", "09", "0x1", "1.", "1e3", "12a", "1_", "2147483647"].map(String::from),
    );
    texts.extend(["2147483648", "4294967295", "4294967296", "99999999999999999999999"].map(String::from));
    for text in texts {
        for behind in ["", " ", ";", "+1", "]"] {
            let text = format!("{text}{behind}");
            if let Some((end, value)) = plain_integer(text.as_bytes(), 0) {
                let all = number(text.as_bytes(), 0, &mut diags);
                assert_eq!((TokenKind::IntLiteral, value, end), all, "{text}");
            }
        }
    }
    assert!(plain_integer(b"42;", 0) == Some((2, 42)) && diags.is_empty());
    assert!(
        [&b"017"[..], b"0x1", b"1.5", b"1e3", b"12a"].iter().all(|text| plain_integer(text, 0).is_none())
    );
}

#[test]
fn words_end_at_every_byte_that_goes_on_no_word() {
    for byte in 0..=255u8 {
        for length in 1..20 {
            for behind in [0, 12] {
                let mut text = "aZ_0z9A".repeat(3).into_bytes()[..length].to_vec();
                let ends = !(byte.is_ascii_alphanumeric() || byte == b'_');
                text.push(byte);
                text.extend(std::iter::repeat_n(b'q', behind));
                let end = word_end(&text, 0);
                assert_eq!(end, if ends { length } else { text.len() }, "{byte} {length}");
            }
        }
    }
}

#[test]
fn a_text_in_parts_gives_the_tokens_of_the_whole() {
    let text = b"int f(int a) {\n    return a + 10; }\nfloat g; // end\n";
    let (mut names, mut diags) = (Interner::default(), Diagnostics::default());
    let whole = lex(&SourceFile::new("a.sy", text.to_vec()), &mut names, &mut diags);
    let (mut parts, mut known) = (Tokens::default(), Known::default());
    let cuts = [0..13, 13..35, 35..text.len()];
    lex_ranges(text, &cuts, (&mut names, &mut known), &mut parts, &mut diags);
    push_end(&mut parts, text.len());
    assert_eq!((&parts.kind, &parts.start, &parts.value), (&whole.kind, &whole.start, &whole.value));
}

#[test]
fn tokens_without_blanks_between_them_are_read_in_linear_time() {
    for (text, tokens) in [("a.", 2), ("&&", 1), ("<!", 2), ("1.5/", 2), ("x*/", 3)] {
        let (list, _) = lex_text(text.repeat(100_000).as_bytes());
        assert_eq!(list.len(), tokens * 100_000 + 1, "{text}");
    }
}

#[test]
fn what_is_known_is_told_from_all_that_is_like_it() {
    // Words and numbers of every length that differ in one byte from each other.
    let mut texts = vec!["==".to_string(), "&&".into(), "<".into(), "1.5".into(), "12.5e3".into()];
    for len in 1..20 {
        texts.push("1".repeat(len));
        for at in 0..len {
            let mut word = vec![b'a'; len];
            word[at] = b'b';
            texts.push(String::from_utf8(word).unwrap());
        }
    }
    let text = format!("{0} // c\n {0} /* c */ {0}", texts.join(" "));
    let mut names = Interner::default();
    let tokens =
        lex(&SourceFile::new("a.sy", text.clone().into_bytes()), &mut names, &mut Diagnostics::default());
    assert_eq!(tokens.kind.len(), 3 * texts.len() + 1);
    for (k, token) in tokens.kind.keys().take(3 * texts.len()).enumerate() {
        let expected = &texts[k % texts.len()];
        assert_eq!(tokens.text(text.as_bytes(), token), expected.as_bytes());
        if tokens.kind[token] == TokenKind::Ident {
            assert_eq!(names.text(tokens.name(token)), expected);
        }
    }
}
