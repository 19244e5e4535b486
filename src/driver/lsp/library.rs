//! What the runtime library's functions do, a row each, for hover, completion and signatures.

/// One function.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) result: &'static str,
    pub(super) params: &'static [&'static str],
    pub(super) does: &'static str,
}

const fn row(
    name: &'static str,
    result: &'static str,
    params: &'static [&'static str],
    does: &'static str,
) -> Row {
    Row { name, result, params, does }
}

/// In the order of `sema::runtime`.
#[rustfmt::skip]
pub(super) static ROWS: [Row; 15] = [
    row("getint", "int", &[], "Reads a decimal int, skipping white space."),
    row("getch", "int", &[], "Reads one byte; -1 at the end of the input."),
    row("getfloat", "float", &[], "Reads a float, decimal or hexadecimal."),
    row("getarray", "int", &["int a[]"], "Reads a count n, then n ints into `a`; returns n."),
    row("getfarray", "int", &["float a[]"], "Reads a count n, then n floats into `a`; returns n."),
    row("putint", "void", &["int n"], "Prints `n` in decimal."),
    row("putch", "void", &["int c"], "Writes one byte: `putch(10)` ends a line."),
    row("putfloat", "void", &["float x"], "Prints `x` in hexadecimal, as C's `%a` does."),
    row("putarray", "void", &["int n", "int a[]"], "Prints `n:`, the first n elements of `a`, and a newline."),
    row("putfarray", "void", &["int n", "float a[]"], "Prints `n:`, the first n elements of `a` as `%a`, and a newline."),
    row("putf", "void", &["\"format\"", "..."], "Prints a format with `%d`, `%c`, `%f` and `%a`, as C's `printf` does."),
    row("starttime", "void", &[], "Starts a timer, which `stoptime` stops; times go to the standard error when the program ends."),
    row("stoptime", "void", &[], "Stops the timer."),
    row("_sysy_starttime", "void", &["int line"], "Starts a timer of that line."),
    row("_sysy_stoptime", "void", &["int line"], "Stops the timer."),
];

impl Row {
    /// As it would be declared.
    pub(super) fn signature(&self) -> String {
        format!("{} {}({})", self.result, self.name, self.params.join(", "))
    }
}

/// The row of a name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::Ty;
    use crate::sema::runtime::FUNCTIONS;

    #[test]
    fn rows_agree_with_the_checker() {
        assert_eq!(ROWS.len(), FUNCTIONS.len());
        for (row, function) in ROWS.iter().zip(&FUNCTIONS) {
            assert_eq!(row.name, function.name);
            let result = [(Ty::INT, "int"), (Ty::FLOAT, "float"), (Ty::VOID, "void")];
            assert!(result.contains(&(function.result, row.result)), "{}", row.name);
            assert_eq!(row.params.len(), function.params.len() + usize::from(function.variadic));
            for (shown, &param) in row.params.iter().zip(function.params) {
                let known = [
                    (Ty::INT, "int", false),
                    (Ty::FLOAT, "float", false),
                    (Ty::OPEN_INTS, "int", true),
                    (Ty::OPEN_FLOATS, "float", true),
                    (Ty::TEXT, "\"", false),
                ];
                let fits = |row: &&(Ty, &str, bool)| {
                    row.0 == param && shown.starts_with(row.1) && shown.ends_with("[]") == row.2
                };
                assert!(known.iter().any(|row| fits(&row)), "{}: {shown}", row.name);
            }
        }
    }
}
