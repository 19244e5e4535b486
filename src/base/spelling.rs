//! How far two words are from each other, for "did you mean". Bounded: a distance above the bound is not
//! computed to its end.
//!
//! The distance is that of optimal string alignment (Damerau 1964): insertions, deletions, changes, and swaps of
//! neighbours.

/// No longer word is compared.
pub const LONGEST: usize = 32;

/// Insertions, deletions, changes and swaps of neighbours that lead from `a` to `b`, if at most `most`; none
/// if they are the same, too.
pub fn edits(a: &[u8], b: &[u8], most: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > most || a.len() > LONGEST || b.len() > LONGEST + 2 {
        return None;
    }
    let mut rows = [[0usize; LONGEST + 3]; 3];
    rows[0].iter_mut().enumerate().for_each(|(k, cell)| *cell = k);
    for (i, x) in a.iter().enumerate() {
        let [older, above, row] = [(i + 2) % 3, i % 3, (i + 1) % 3];
        rows[row][0] = i + 1;
        let mut least = i + 1;
        for (j, y) in b.iter().enumerate() {
            let mut cost =
                (rows[above][j] + usize::from(x != y)).min(rows[above][j + 1] + 1).min(rows[row][j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(rows[older][j - 1] + 1);
            }
            rows[row][j + 1] = cost;
            least = least.min(cost);
        }
        if least > most {
            return None;
        }
    }
    let distance = rows[a.len() % 3][b.len()];
    (distance <= most && distance > 0).then_some(distance)
}

/// The first of those nearest to `text`: at most one change in three letters, and at most two.
pub fn nearest<'a>(text: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (text.len() / 3).min(2);
    let near = |word: &'a str| Some((edits(text.as_bytes(), word.as_bytes(), most)?, word));
    words.into_iter().filter_map(near).min_by_key(|&(distance, _)| distance).map(|(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_swaps_once_and_stop_at_the_bound() {
        assert_eq!(edits(b"getitn", b"getint", 2), Some(1));
        assert_eq!(edits(b"putin", b"putint", 2), Some(1));
        assert_eq!(edits(b"count", b"cuontx", 2), Some(2));
        assert_eq!(edits(b"count", b"amount", 1), None);
        assert_eq!(edits(b"same", b"same", 2), None);
        assert_eq!(edits(&[b'a'; 40], &[b'a'; 41], 2), None);
    }

    #[test]
    fn the_nearest_word_is_near_enough() {
        let words = ["unused-value", "unused-variable", "format"];
        assert_eq!(nearest("unused-varable", words), Some("unused-variable"));
        assert_eq!(nearest("fromat", words), Some("format"));
        assert_eq!(nearest("xy", words), None);
        assert_eq!(nearest("shadow", words), None);
    }
}
