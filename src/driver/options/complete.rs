//! The rows of options as scripts that complete words in bash, zsh and fish. What is offered where is one table, the same in
//! the three scripts; a line of it is one of
//!
//! | line | is |
//! | --- | --- |
//! | `next WORD KIND NAMES` | behind that word the next one is a value: `--target <TAB>` |
//! | `same WORD KIND NAMES` | a word that begins so has a value: `--target=<TAB>`, `-Wno-<TAB>`; the first that fits counts |
//! | `word WORD - HELP` | may stand first |
//! | `option WORD - HELP` | an option; a value has to follow at once where it ends in `=` |
//!
//! with a kind that is `names`, `list` (names with commas between), `files` or `folders`. O(rows) a key.

use super::read::WORDS;
use super::table::{Row, Section, Takes, Values, rows as options};
use super::values::warning_words;
use crate::isa::TARGETS;
use crate::sema::warning::GROUPS;
use std::fmt::Write;

/// The kind of a row's value, and the names that it can have; nothing of what can be anything.
fn values(row: &Row) -> Option<String> {
    let names = match row.values {
        Values::Any => return None,
        Values::File => return Some("files".to_string()),
        Values::Folder => return Some("folders".to_string()),
        Values::Names(names) => names(),
    };
    let mut names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    let kind = if row.value.ends_with(",...") { "list" } else { "names" };
    Some(format!("{kind} {}", names.join(" ")))
}

/// Words behind which the next is a value: options, and what stands for one as the first word.
fn next(text: &mut String) {
    let is_next = |row: &Row| matches!(row.takes, Takes::BehindOrNext | Takes::EqualsOrNext | Takes::Next);
    let words = WORDS.iter().filter_map(|(word, flags, _)| Some((*word, *flags.last()?)));
    for (word, name) in options().map(|row| (row.name, row.name)).chain(words) {
        let row = options().find(|row| row.name == name && is_next(row));
        if let Some(values) = row.and_then(values) {
            _ = writeln!(text, "next {word} {values}");
        }
    }
}

/// What a word begins with if its value is in it, the longest first.
fn same(text: &mut String) {
    let mut rows: Vec<(String, String)> = Vec::new();
    for row in options() {
        let behind = match row.takes {
            Takes::Equals | Takes::EqualsOrNext => format!("{}=", row.name),
            Takes::Behind | Takes::BehindOrNext if matches!(row.values, Values::Names(_)) => {
                row.name.to_string()
            }
            _ => continue,
        };
        rows.extend(values(row).map(|values| (behind, values)));
    }
    let groups: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
    for behind in ["-Werror=", "-Wno-error="] {
        rows.push((behind.to_string(), format!("names {}", groups.join(" "))));
    }
    rows.push(("-Wno-".to_string(), format!("names {}", warning_words().join(" "))));
    // Extensions behind a base.
    for target in TARGETS {
        let names: Vec<&str> = target.extensions.iter().map(|row| row.0).collect();
        for (base, _) in target.bases {
            let behind = format!("-march={base}{}", target.separator);
            rows.push((behind, format!("names {}", names.join(" "))));
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row.0.len()));
    for (behind, values) in rows {
        _ = writeln!(text, "same {behind} {values}");
    }
}

fn table() -> String {
    let mut text = String::new();
    next(&mut text);
    same(&mut text);
    for (word, _, help) in WORDS {
        _ = writeln!(text, "word {word} - {help}");
    }
    let shown = |row: &&Row| !matches!(row.section, Section::Hidden | Section::Foreign);
    for row in options().filter(shown) {
        let behind = match row.takes {
            Takes::Equals | Takes::EqualsOrNext => "=",
            _ => "",
        };
        _ = writeln!(text, "option {}{behind} - {}", row.name, row.help);
    }
    text
}

/// For bash.
pub fn bash() -> String {
    BASH.replace("TABLE", &table().trim_end().replace('\'', r"'\''"))
}

/// For zsh.
pub fn zsh() -> String {
    ZSH.replace("TABLE", &table().trim_end().replace('\'', r"'\''"))
}

/// For fish.
pub fn fish() -> String {
    FISH.replace("TABLE", &table().trim_end().replace('\\', r"\\").replace('\'', r"\'"))
}

/// Readline breaks words at `=`, so what stands in front of it must not be offered again.
const BASH: &str = r#"# Completes the words of sysyc in bash. For all shells to come:
#     mkdir -p ~/.local/share/bash-completion/completions
#     sysyc --print=completion-bash > ~/.local/share/bash-completion/completions/sysyc
# and for this one: source <(sysyc --print=completion-bash)
_sysyc_table='TABLE'

_sysyc() {
  local line=${COMP_LINE:0:COMP_POINT} word before tail head= found= values= place key kind rest
  local -a names=()
  word=${line##*[[:space:]]}
  before=${line%"$word"}
  before=${before%"${before##*[![:space:]]}"}
  before=${before##*[[:space:]]}
  while read -r place key kind rest; do
    case $place in
      next) [[ ! $found && $before == "$key" ]] && found=$kind values=$rest && break ;;
      same) [[ ! $found && $word == "$key"* ]] && found=$kind values=$rest head=$key && [[ $key == *= ]] && break ;;
      word) ((COMP_CWORD == 1)) && names+=("$key") ;;
      option) names+=("$key") ;;
    esac
  done <<< "$_sysyc_table"
  tail=${word#"$head"}
  [[ $found == list && $tail == *,* ]] && head+=${tail%,*}, tail=${tail##*,}
  case $found in
    files) mapfile -t COMPREPLY < <(compgen -P "$head" -f -- "$tail") ;;
    folders) mapfile -t COMPREPLY < <(compgen -P "$head" -d -- "$tail") ;;
    *)
      for key in $values; do names+=("$head$key"); done
      mapfile -t COMPREPLY < <(compgen -W "${names[*]}" -- "$word")
      [[ $found || $word == -* ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$word")
      ((${#COMPREPLY[@]} == 1)) && [[ $found == list || ${COMPREPLY[0]} == *[=,-] ]] && compopt -o nospace 2> /dev/null
      ;;
  esac
  [[ $word == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("${COMPREPLY[@]#*=}")
  return 0
}
complete -o filenames -F _sysyc sysyc
"#;

const ZSH: &str = r#"#compdef sysyc
# Completes the words of sysyc in zsh: a file of the name _sysyc in a folder of $fpath. For example,
#     mkdir -p ~/.zfunc && sysyc --print=completion-zsh > ~/.zfunc/_sysyc
# with, in ~/.zshrc,
#     fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit
# and for this shell alone: source <(sysyc --print=completion-zsh)
_sysyc_table='TABLE'

_sysyc() {
  local line before=${words[CURRENT-1]} found= head=
  local -a field values plain open first
  for line in ${(f)_sysyc_table}; do
    field=(${=line})
    case $field[1] in
      next) [[ -z $found && $before == "$field[2]" ]] && found=$field[3] values=($field[4,-1]) && break ;;
      same) [[ -z $found && $PREFIX == "$field[2]"* ]] && found=$field[3] values=($field[4,-1]) head=$field[2] &&
        [[ $head == *= ]] && break ;;
      word) first+=("$field[2]:$field[4,-1]") ;;
      option) if [[ $field[2] == *[=,-] ]]; then open+=("$field[2]:$field[4,-1]"); else plain+=("$field[2]:$field[4,-1]"); fi ;;
    esac
  done
  local whole=$PREFIX front=$IPREFIX
  IPREFIX+=$head PREFIX=${PREFIX#$head}
  case $found in
    files) _files ;;
    folders) _files -/ ;;
    list) compset -P '*,'; compadd -S '' -- $values ;;
    names) compadd -- $values ;;
  esac
  [[ -n $found && ( -z $head || $head == *= ) ]] && return
  PREFIX=$whole IPREFIX=$front
  if [[ $PREFIX == -* ]]; then
    _describe -o option plain -- open -S ''
  else
    ((CURRENT == 2)) && _describe command first
    _files
  fi
}
# Where this is the file of a function, it is the function's first call.
if [[ $funcstack[1] == _sysyc ]]; then _sysyc "$@"; else compdef _sysyc sysyc; fi
"#;

const FISH: &str = r#"# Completes the words of sysyc in fish. For all shells to come:
#     sysyc --print=completion-fish > ~/.config/fish/completions/sysyc.fish
# and for this one: sysyc --print=completion-fish | source
set -g __sysyc_table (string split \n -- 'TABLE')

function __sysyc_words
    set -l word (commandline -ct)
    set -l before (commandline -opc)
    set -l count (count $before)
    set before $before[-1]
    set -l found
    set -l head
    for line in $__sysyc_table
        set -l field (string split -m 3 ' ' -- $line)
        switch $field[1]
            case next same
                if test -n "$found"
                    continue
                else if test $field[1] = next
                    test "$before" = $field[2]; or continue
                else
                    test (string sub -l (string length -- $field[2]) -- "$word ") = $field[2]; or continue
                    set head $field[2]
                end
                set found $field[3]
                set -l tail (string sub -s (math 1 + (string length -- "$head")) -- $word)
                set -l front $head
                if test $found = list
                    set -l parts (string match -r '^(.*,)[^,]*$' -- $tail)
                    set front $head$parts[2]
                end
                switch $found
                    case files
                        for file in (__fish_complete_path $tail)
                            printf '%s%s\n' $head $file
                        end
                    case folders
                        for file in (__fish_complete_directories $tail)
                            printf '%s%s\n' $head $file
                        end
                    case '*'
                        printf '%s\n' "$front"(string split ' ' -- $field[4])
                end
                string match -q -- '-*[!=]' $head; or return
            case word
                test $count -eq 1; and printf '%s\t%s\n' $field[2] (string sub -s 3 -- "$field[3] $field[4]")
            case option
                string match -q -- '-*' $word; and printf '%s\t%s\n' $field[2] (string sub -s 3 -- "$field[3] $field[4]")
        end
    end
    string match -q -- '-*' $word; or __fish_complete_path $word
end
complete -c sysyc -f -a '(__sysyc_words)'
"#;
