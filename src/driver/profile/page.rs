//! A profile as one HTML page, which needs nothing else: `page.html` is its frame, `page.css` what it looks like,
//! `page.js` what it does. Its data are the JSON of `data`, and the source.

use super::{Report, data};
use crate::driver::page::block;
use serde_json::json;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn page(report: &Report) -> String {
    let count = report.file.line(report.file.text.len() as u32);
    let source: Vec<String> = (1..=count).map(|line| report.text_of(line)).collect();
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
