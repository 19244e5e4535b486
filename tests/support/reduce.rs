//! Makes a program that fails smaller: lines, runs of lines and whole blocks go as long as it still fails.
//! Tries O(lines log lines) programs a round, until a round finds nothing (Zeller and Hildebrandt 2002,
//! with braces kept in pairs).

/// The smallest program that was found for which `fails` is still true; `fails` is to refuse what is not a
/// program, or has no meaning.
pub(crate) fn reduce(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    loop {
        let before = lines.len();
        let mut size = lines.len().div_ceil(2).max(1);
        loop {
            remove_runs(&mut lines, size, fails);
            if size == 1 {
                break;
            }
            size /= 2;
        }
        remove_braces(&mut lines, fails);
        if lines.len() == before {
            return lines.join("\n") + "\n";
        }
    }
}

/// Blocks opened less blocks closed; none if one is closed that has not been opened.
fn depth(lines: &[String]) -> Option<usize> {
    let mut depth = 0usize;
    for byte in lines.iter().flat_map(|line| line.bytes()) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    Some(depth)
}

/// Tries without each run of so many lines that leaves braces in pairs; a run grows to the end of what it
/// opens.
fn remove_runs(lines: &mut Vec<String>, size: usize, fails: &dyn Fn(&str) -> bool) {
    let mut first = 0;
    while first < lines.len() {
        let mut end = (first + size).min(lines.len());
        while end < lines.len() && depth(&lines[first..end]).is_some_and(|depth| depth > 0) {
            end += 1;
        }
        if depth(&lines[first..end]) == Some(0) {
            let rest = [&lines[..first], &lines[end..]].concat();
            if fails(&rest.join("\n")) {
                *lines = rest;
                continue;
            }
        }
        first += size;
    }
}

/// Tries to put what stands in a block in its place.
fn remove_braces(lines: &mut Vec<String>, fails: &dyn Fn(&str) -> bool) {
    let mut first = 0;
    while first < lines.len() {
        let opens = lines[first].ends_with('{') && !lines[first].starts_with('}');
        let end = (first + 2..=lines.len()).find(|&end| depth(&lines[first..end]) == Some(0));
        if let (true, Some(end)) = (opens, end) {
            let mut rest = lines.clone();
            rest.remove(end - 1);
            rest.remove(first);
            if fails(&rest.join("\n")) {
                *lines = rest;
                continue;
            }
        }
        first += 1;
    }
}

#[test]
fn what_matters_is_left() {
    let text = "int a;\nint main() {\n  a = 1;\n  while (a) {\n    a = 2;\n    bad();\n  }\n  return a;\n}\n";
    let left = reduce(text, &|text| text.contains("bad();") && text.contains("main"));
    assert_eq!(left, "int main() {\n    bad();\n}\n");
}
