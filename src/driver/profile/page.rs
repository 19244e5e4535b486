//! A profile as one HTML page, which needs nothing else: `page.html` is its frame, `page.css` what it looks like,
//! `page.js` what it does. Its data are the JSON of `data`, and the source.

use super::{Report, Source, data};
use crate::driver::page::block;
use serde_json::{Value, json};

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn page(report: &Report) -> String {
    // Of each source its name and its lines.
    let lines = |source: &Source| -> Vec<String> {
        (source.first..source.first + source.count).map(|line| report.text_of(line)).collect()
    };
    let sources = report.sources.iter().map(|source| json!([source.path, lines(source)]));
    let source: Vec<Value> = sources.collect();
    let mut out = String::new();
    let (head, rest) = FRAME.split_once("/*STYLE*/\n").unwrap_or((FRAME, ""));
    let (middle, rest) = rest.split_once("<!--DATA-->\n").unwrap_or((rest, ""));
    let (before, tail) = rest.split_once("//SCRIPT\n").unwrap_or((rest, ""));
    out.extend([head, STYLE, middle]);
    block(&mut out, "profile", &data::value(report).to_string());
    block(&mut out, "source", &json!(source).to_string());
    out.extend([before, SCRIPT, tail]);
    out
}
