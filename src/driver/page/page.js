"use strict";
{
// The data stand in blocks of JSON, one a function, which are read when a function is looked at. Every list shows only
// the rows that can be seen, so the length of a function does not matter.
const $ = id => document.getElementById(id);
const read = id => JSON.parse($("data-" + id).textContent);
const about = read("about"), times = read("times"), sourceText = read("source"), remarks = read("remarks");
const ROW = 18, TALL = 24;
const IR = 0, MACHINE = 1, ASSEMBLY = 2;
const shown = { f: -1, k: 0, view: "code", fold: false, hot: 0, pin: 0, value: "" };
const escape = t => t.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// --- Lists ---------------------------------------------------------------------------------------------------------

class List {
  constructor(box, height) {
    this.box = box; this.height = height; this.rows = []; this.lines = new Map(); this.first = -1; this.last = -1;
    box.innerHTML = '<div class="scroll"><div class="room"><div class="rows"></div></div></div>';
    this.scroll = box.querySelector(".scroll"); this.room = box.querySelector(".room"); this.inner = box.querySelector(".rows");
    this.ruler = document.createElement("canvas"); this.ruler.className = "ruler"; box.append(this.ruler);
    this.scroll.addEventListener("scroll", () => { this.paint(); this.twin && this.twin.follow(this); });
    this.ruler.addEventListener("click", e => {
      this.scroll.scrollTop = e.offsetY / this.ruler.clientHeight * this.room.offsetHeight - this.scroll.clientHeight / 2;
    });
    new ResizeObserver(() => { this.paint(true); this.marks(); }).observe(box);
  }
  // Rows: { html(), line, mark }; line: the line of the source that a row comes from, or 0.
  set(rows, widest, keep) {
    this.rows = rows; this.lines = new Map();
    rows.forEach((row, k) => {
      if (row.line) this.lines.has(row.line) ? this.lines.get(row.line).push(k) : this.lines.set(row.line, [k]);
    });
    this.room.style.height = rows.length * this.height + "px";
    this.room.style.width = widest ? `max(100%, ${widest + 9}ch)` : "100%";
    if (!keep) this.scroll.scrollTop = 0;
    this.paint(true); this.marks();
  }
  paint(always) {
    const top = this.scroll.scrollTop, seen = this.scroll.clientHeight || 600;
    const first = Math.max(0, Math.floor(top / this.height) - 8);
    const last = Math.min(this.rows.length, Math.ceil((top + seen) / this.height) + 8);
    if (!always && first === this.first && last === this.last) return;
    this.first = first; this.last = last;
    let html = "";
    for (let k = first; k < last; k++) {
      const row = this.rows[k], lit = row.line && row.line === shown.pin ? " pin" : row.line && row.line === shown.hot ? " hot" : "";
      html += `<div class="row ${row.cls || ""}${lit}" data-k="${k}" data-line="${row.line || 0}">${row.html()}</div>`;
    }
    this.inner.style.top = first * this.height + "px";
    this.inner.innerHTML = html;
  }
  marks() {
    const c = this.ruler, h = c.clientHeight, n = this.rows.length;
    c.width = 9; c.height = h;
    if (!n || !h) return;
    const draw = c.getContext("2d"), style = getComputedStyle(document.documentElement);
    const bar = (k, name, x, w) => { draw.fillStyle = style.getPropertyValue(name); draw.fillRect(x, Math.floor(k / n * h), w, Math.max(2, Math.ceil(h / n))); };
    this.rows.forEach((row, k) => { if (row.mark) bar(k, row.mark, 0, 4); });
    for (const line of [shown.hot, shown.pin]) for (const k of this.lines.get(line) || []) bar(k, "--hotline", 3, 6);
  }
  follow(other) { if (Math.abs(this.scroll.scrollTop - other.scroll.scrollTop) > 1) this.scroll.scrollTop = other.scroll.scrollTop; }
  light() {
    for (const el of this.inner.children) {
      const line = +el.dataset.line;
      el.classList.toggle("hot", line > 0 && line === shown.hot && line !== shown.pin);
      el.classList.toggle("pin", line > 0 && line === shown.pin);
    }
    this.marks();
  }
  reveal(k) {
    const top = k * this.height, seen = this.scroll.clientHeight;
    if (top < this.scroll.scrollTop + 20 || top > this.scroll.scrollTop + seen - 40) this.scroll.scrollTop = Math.max(0, top - seen / 3);
  }
  revealLine(line) { const at = this.lines.get(line); if (at) this.reveal(at[0]); }
}

const lists = {};
for (const name of ["source", "before", "after", "machine", "assembly"]) lists[name] = new List($(name), ROW);
const functionList = new List($("functions"), TALL), stepList = new List($("steps"), TALL);

// --- Text ----------------------------------------------------------------------------------------------------------

const WORDS = /(%"[^"]*"|%[\w.$-]+)|(@[\w.$-]+)|\b(i1|i8|i32|i64|float|double|ptr|void|label)\b|(#?-?\b\d[\w.]*\b)|(;.*$)/g;
const SOURCE = /(\0)|(\0)|\b(int|float|void|const)\b|\b(0[xX][\da-fA-F.pP+-]+|\d[\d.]*(?:[eE][-+]?\d+)?)\b|(\/\/.*$|\/\*.*?(?:\*\/|$)|"(?:[^"\\]|\\.)*")/g;
function colour(text, kind) {
  const label = /^(b\d+:|mb\d+ .*|[\w.$]+:)$/.exec(text);
  if (label) return `<i class="l">${escape(text)}</i>`;
  let out = "", at = 0, m;
  const head = kind === "source" ? null : /^(\s*(?:[^=]* = )?)([a-z][\w.]*)/.exec(text);
  const plain = (from, to) => {
    if (head && from <= head[1].length && to >= head[0].length) {
      return escape(text.slice(from, head[1].length)) + `<i class="w">${head[2]}</i>` + escape(text.slice(head[0].length, to));
    }
    const part = escape(text.slice(from, to));
    return kind === "source" ? part.replace(/\b(if|else|while|return|break|continue|for|do|extern)\b/g, '<i class="w">$1</i>') : part;
  };
  const words = kind === "source" ? SOURCE : WORDS;
  words.lastIndex = 0;
  while ((m = words.exec(text))) {
    out += plain(at, m.index);
    const cls = m[1] ? "v" + (m[1] === shown.value ? " same" : "") : m[2] ? "l" : m[3] ? "t" : m[4] ? "d" : "c";
    out += m[2] || m[1] ? `<i class="${cls}">${escape(m[0])}</i>` : head && m.index < head[0].length && m.index >= head[1].length ? `<i class="w">${escape(m[0])}</i>` : `<i class="${cls}">${escape(m[0])}</i>`;
    at = m.index + m[0].length;
  }
  return out + plain(at, text.length);
}
// What two lines do not share, marked: from the first word that differs to the last.
function differing(text, other, kind) {
  let a = 0, b = 0;
  const most = Math.min(text.length, other.length);
  while (a < most && text[a] === other[a]) a++;
  while (b < most - a && text[text.length - 1 - b] === other[other.length - 1 - b]) b++;
  while (a > 0 && /[\w.%]/.test(text[a - 1])) a--;
  while (b > 0 && /[\w.]/.test(text[text.length - b])) b--;
  const end = text.length - b;
  return end <= a ? colour(text, kind) : colour(text.slice(0, a), kind) + `<u>${escape(text.slice(a, end))}</u>` + colour(text.slice(end), "rest");
}

// --- A function ----------------------------------------------------------------------------------------------------

let data = null; // { text, line, states: [[step, kind, before, after, edits]] }
function stateAt(k) {
  let now = [];
  for (let s = 0; s <= k; s++) {
    const [, kind, , , edits] = data.states[s];
    if (kind !== data.states[k][1]) continue;
    now = applied(now, edits);
  }
  return now;
}
function applied(before, edits) {
  const after = []; let at = 0;
  for (let e = 0; e < edits.length;) {
    const stay = edits[e++], go = edits[e++], come = edits[e++];
    for (let k = 0; k < stay; k++) after.push(before[at++]);
    at += go;
    for (let k = 0; k < come; k++) after.push(edits[e++]);
  }
  while (at < before.length) after.push(before[at++]);
  return after;
}
const lastOf = kind => data.states.findLastIndex(s => s[1] === kind);
const before = k => { for (let s = k - 1; s >= 0; s--) if (data.states[s][1] === data.states[k][1]) return s; return -1; };
const widest = ids => ids.reduce((most, id) => Math.max(most, data.text[id].length), 0);
const plainRow = kind => id => ({ line: data.line[id], id, html: () => `<span class="n">${data.line[id] || ""}</span>` + colour(data.text[id], kind) });

function showDifference(k) {
  const kind = data.states[k][1], was = before(k), edits = data.states[k][4];
  const old = was < 0 ? (k > 0 ? stateAt(k - 1) : []) : stateAt(was);
  const is_first = was < 0, left = [], right = [];
  const cell = (id, cls, mark, other) => ({
    line: data.line[id], id, cls, mark,
    html: () => `<span class="n">${data.line[id] || ""}</span>` + (other === undefined ? colour(data.text[id], kind) : differing(data.text[id], data.text[other], kind)),
  });
  const none = () => ({ line: 0, cls: "none", html: () => "" });
  if (is_first) {
    old.forEach(id => left.push(cell(id)));
    stateAt(k).forEach(id => right.push(cell(id)));
  } else {
    let at = 0;
    const equal = (from, to) => {
      const fold = shown.fold && to - from > 9;
      for (let j = from; j < to; j++) {
        if (fold && j >= from + 3 && j < to - 3) {
          const text = `   ⋯ ${to - from - 6} lines are as they were`;
          for (const side of [left, right]) side.push({ line: 0, cls: "fold", html: () => text });
          j = to - 4;
        } else { left.push(cell(old[j])); right.push(cell(old[j])); }
      }
    };
    for (let e = 0; e < edits.length;) {
      const stay = edits[e++], go = edits[e++], come = edits[e++];
      equal(at, at + stay); at += stay;
      const pairs = go === come && go === 1;
      for (let j = 0; j < Math.max(go, come); j++) {
        const l = j < go ? old[at + j] : undefined, r = j < come ? edits[e + j] : undefined;
        left.push(l === undefined ? none() : cell(l, "gone", "--minus", pairs ? r : undefined));
        right.push(r === undefined ? none() : cell(r, "came", "--plus", pairs ? l : undefined));
      }
      at += go; e += come;
    }
    equal(at, old.length);
  }
  lists.before.twin = is_first ? null : lists.after; lists.after.twin = is_first ? null : lists.before;
  const width = Math.max(widest(old), widest(stateAt(k)));
  lists.before.set(left, width); lists.after.set(right, width);
  const name = s => `${data.states[s][0]}${kindName(data.states[s][1])}`;
  const head = (pane, what, s) => { document.querySelector(`article[data-pane=${pane}] h2`).innerHTML = s < 0 ? what : `${what} <b>${escape(name(s))}</b>`; };
  head("before", is_first ? (k ? "Behind" : "Before") : "Before", is_first ? k - 1 : k);
  head("after", "After", k);
  const change = right.findIndex((row, j) => row.mark || left[j] && left[j].mark);
  if (!is_first && change > 0) { lists.after.reveal(change); lists.before.follow(lists.after); }
}
const kindName = kind => ["", " (machine)", ""][kind];

const has = { machine: true, assembly: true };
function showFixed() {
  for (const [pane, kind] of [["machine", MACHINE], ["assembly", ASSEMBLY]]) {
    const k = lastOf(kind), ids = k < 0 ? [] : stateAt(k);
    lists[pane].set(ids.map(plainRow(kind)), widest(ids));
    has[pane] = k >= 0;
  }
}
function showSource(keep) {
  const rows = [], said = new Map(); let width = 0;
  const on = sort => document.querySelector(`#remarks [data-sort="${sort}"]`).classList.contains("on");
  for (const remark of remarks) if (on(remark[2])) said.has(remark[0]) ? said.get(remark[0]).push(remark) : said.set(remark[0], [remark]);
  sourceText.parts.forEach(([first, lines], p) => {
    if (p) rows.push({ line: 0, cls: "fold", html: () => "   ⋯" });
    lines.forEach((text, k) => {
      width = Math.max(width, text.length);
      rows.push({ line: first + k, html: () => `<span class="n">${first + k}</span>` + colour(text.replace(/\t/g, "    "), "source") });
      for (const remark of said.get(first + k) || []) {
        const [, column, sort, pass, f, words] = remark, indent = /^\s*/.exec(text)[0].replace(/\t/g, "    ");
        width = Math.max(width, indent.length + pass.length + words.length + about.functions[f].name.length + 8);
        rows.push({ line: 0, cls: `remark s${sort}`, remark, html: () => `<span class="n"></span>${indent}<span title="column ${column}: ${escape(words)}">↳ <b>${escape(pass)}</b>: ${escape(words)} (${escape(about.functions[f].name)})</span>` });
      }
    });
  });
  lists.source.set(rows, width, keep);
}
$("remarks").hidden = !remarks.length;
document.querySelector("article[data-pane=source]").classList.toggle("remarked", remarks.length > 0);
$("remarks").addEventListener("click", e => { if (e.target.dataset.sort) { e.target.classList.toggle("on"); showSource(true); } });
// The function that a remark is about, at the pass that made it.
function pickRemark(remark) {
  pickFunction(remark[4]);
  const k = data.states.findIndex(s => s[0] === remark[3]);
  if (k >= 0) pickStep(k);
  lists.source.reveal(lists.source.rows.findIndex(row => row.remark === remark));
}

// --- Choosing ------------------------------------------------------------------------------------------------------

let found = [];
function search() {
  const wanted = $("search").value.trim().toLowerCase();
  found = about.functions.map((f, k) => k).filter(k => about.functions[k].name.toLowerCase().includes(wanted));
  paintFunctions();
}
function paintFunctions() {
  functionList.set(found.map(k => {
    const f = about.functions[k];
    return {
      cls: (k === shown.f ? "on" : "") + (f.gone ? " unused" : ""), f: k,
      html: () => `<span class="name" title="${escape(f.name)}${f.gone ? ": nothing calls it any more" : ""}">${escape(f.name)}</span>` +
        `<span class="num" title="instructions as written">${f.first}</span><span class="num" title="... and at the end">${f.gone ? "–" : f.last}</span>`,
    };
  }), 0, true);
}
const short = nanos => nanos < 1e3 ? nanos + " ns" : nanos < 1e6 ? (nanos / 1e3).toFixed(nanos < 1e4 ? 1 : 0) + " µs" : (nanos / 1e6).toFixed(1) + " ms";
function paintSteps() {
  const spent = times[shown.f], most = Math.max(1, ...spent);
  stepList.set(data.states.map(([step, kind, before, after, edits], k) => {
    const d = after - before, is_start = !before || kind === ASSEMBLY;
    return {
      cls: k === shown.k ? "on" : "", k,
      html: () => `<span class="chip k${kind}"></span><span class="name" title="${before} → ${after} instructions">${escape(step)}</span>` +
        `<span class="num ${is_start || !d ? "" : d < 0 ? "minus" : "plus"}" title="${before} → ${after} instructions">${is_start ? after : d < 0 ? "−" + -d : d ? "+" + d : "±0"}</span>` +
        `<span class="num" title="processor time">${spent[k] ? short(spent[k]) : ""}</span><span class="bar"><i style="width:${spent[k] / most * 100}%"></i></span>`,
    };
  }), 0, true);
  stepList.reveal(shown.k);
}
function pickFunction(k) {
  if (!about.functions[k]) return;
  shown.f = k; data = read("f" + k); shown.pin = shown.hot = 0; shown.value = "";
  const f = about.functions[k], first = data.states.length ? Math.min(1, data.states.length - 1) : 0;
  shown.k = first;
  $("picked").textContent = f.name;
  $("sum").textContent = `${data.states.length} changes, ${short(times[k].reduce((a, b) => a + b, 0))}`;
  paintFunctions(); functionList.reveal(found.indexOf(k)); showFixed(); arrange();
  lists.source.reveal(lists.source.rows.findIndex(row => row.line === f.line));
  pickStep(first);
}
function pickStep(k) {
  if (!data || !data.states[k]) return;
  shown.k = k; paintSteps(); showDifference(k);
  if (shown.view !== "code") showView(shown.view);
  const [step, kind, before, after] = data.states[k];
  $("say").textContent = `${about.functions[shown.f].name}: ${step}, ${before} → ${after} ${kind === IR ? "instructions" : "rows"}`;
  location.hash.startsWith("#test") || history.replaceState(null, "", `#${encodeURIComponent(about.functions[shown.f].name)}/${k}`);
}

// --- A line in one is a line in all --------------------------------------------------------------------------------

function light() {
  Object.values(lists).forEach(list => list.light());
  document.querySelectorAll("#drawing [data-lines]").forEach(el => {
    const has = line => line > 0 && el.lines.has(line);
    el.classList.toggle("hot", has(shown.hot) && !has(shown.pin)); el.classList.toggle("pin", has(shown.pin));
  });
}
for (const [name, list] of Object.entries(lists)) {
  list.inner.addEventListener("mouseover", e => {
    const row = e.target.closest(".row"); if (!row) return;
    if (row.classList.contains("remark")) $("say").textContent = row.textContent.trim();
    const value = e.target.classList.contains("v") ? e.target.textContent : "";
    if (value !== shown.value) {
      shown.value = value;
      document.querySelectorAll(".rows .v").forEach(el => el.classList.toggle("same", value !== "" && el.textContent === value));
    }
    if (+row.dataset.line !== shown.hot) { shown.hot = +row.dataset.line; light(); }
  });
  list.inner.addEventListener("click", e => {
    const row = e.target.closest(".row"); if (!row) return;
    if (row.classList.contains("remark")) return pickRemark(list.rows[row.dataset.k].remark);
    if (row.classList.contains("fold")) return name === "source" ? 0 : fold(false);
    const line = +row.dataset.line;
    shown.pin = line === shown.pin ? 0 : line; light();
    if (shown.pin) for (const [other, list] of Object.entries(lists)) if (other !== name) list.revealLine(line);
  });
  list.box.addEventListener("mouseleave", () => { if (shown.hot) { shown.hot = 0; light(); } });
}
function fold(on) {
  shown.fold = on; $("fold").classList.toggle("on", on);
  if (data) showDifference(shown.k);
}
functionList.inner.addEventListener("click", e => { const row = e.target.closest(".row"); if (row) pickFunction(functionList.rows[row.dataset.k].f); });
stepList.inner.addEventListener("click", e => { const row = e.target.closest(".row"); if (row) pickStep(+row.dataset.k); });
$("search").addEventListener("input", search);
$("search").addEventListener("keydown", e => { if (e.key === "Enter" && found.length) { pickFunction(found[0]); $("steps").focus(); } });
$("fold").addEventListener("click", () => fold(!shown.fold));
$("panes").addEventListener("click", e => {
  const pane = e.target.dataset.pane; if (!pane) return;
  e.target.classList.toggle("on"); arrange();
});
$("views").addEventListener("click", e => { if (e.target.dataset.view) showView(e.target.dataset.view); });
document.addEventListener("keydown", e => {
  if (e.target.tagName === "INPUT") { if (e.key === "Escape") e.target.blur(); return; }
  if (e.ctrlKey || e.metaKey || e.altKey) return;
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[e.key];
  if (step) { pickStep(shown.k + step); e.preventDefault(); }
  else if (e.key === "/") { $("search").focus(); e.preventDefault(); }
  else if (e.key === "f") fold(!shown.fold);
  else if (e.key === "0" && shown.view !== "code" && svg.bounds) fit();
});
function arrange() {
  const on = pane => document.querySelector(`#panes [data-pane=${pane}]`).classList.contains("on");
  document.querySelectorAll("article[data-pane]").forEach(el => {
    const pane = el.dataset.pane;
    el.hidden = !on(pane) || has[pane] === false || shown.view !== "code" && !["source", "after"].includes(pane);
  });
  $("picture").hidden = shown.view === "code";
}

// --- Graphs --------------------------------------------------------------------------------------------------------

// The blocks of a state: { name, first, last (rows), succ }.
function blocksOf(ids, kind) {
  const blocks = [], numbers = new Map();
  ids.forEach((id, k) => {
    const text = data.text[id], m = kind === IR ? /^(b\d+):$/.exec(text) : /^(mb\d+) depth.*?(?: -> (.*))?$/.exec(text);
    if (m) {
      numbers.set(m[1], blocks.length);
      blocks.push({ name: m[1], first: k + 1, last: k, to: kind === IR ? [] : (m[2] || "").split(" ").filter(Boolean), lines: new Set() });
    } else if (blocks.length && text !== "}" && !text.startsWith("layout")) {
      const b = blocks[blocks.length - 1];
      b.last = k;
      if (data.line[id]) b.lines.add(data.line[id]);
      if (kind === IR && /^\s+(br|switch) /.test(text)) for (const t of text.matchAll(/label %(b\d+)/g)) b.to.push(t[1]);
    }
  });
  for (const b of blocks) b.succ = b.to.map(name => numbers.get(name)).filter(k => k !== undefined);
  return blocks;
}
// Reverse postorder and the edges that go back in a depth-first walk, which are those of loops.
function walked(succ) {
  const n = succ.length, state = new Uint8Array(n), order = [], back = new Set();
  for (let root = 0; root < n; root++) {
    if (state[root]) continue;
    const stack = [[root, 0]]; state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1], [v, k] = top;
      if (k === succ[v].length) { state[v] = 2; order.push(v); stack.pop(); continue; }
      top[1]++;
      const w = succ[v][k];
      if (state[w] === 1) back.add(v * n + w); else if (!state[w]) { state[w] = 1; stack.push([w, 0]); }
    }
  }
  return { order: order.reverse(), back };
}
// Immediate dominators (Cooper, Harvey and Kennedy); -1 for the entry and what cannot be reached.
function dominators(succ) {
  const n = succ.length, { order } = walked(succ), number = new Int32Array(n), idom = new Int32Array(n).fill(-1);
  order.forEach((v, k) => number[v] = k);
  const preds = succ.map(() => []);
  succ.forEach((to, v) => to.forEach(w => preds[w].push(v)));
  idom[0] = 0;
  for (let changed = true; changed;) {
    changed = false;
    for (const v of order) {
      if (!v) continue;
      let best = -1;
      for (let p of preds[v]) {
        if (idom[p] < 0) continue;
        if (best < 0) { best = p; continue; }
        while (p !== best) { while (number[p] > number[best]) p = idom[p]; while (number[best] > number[p]) best = idom[best]; }
      }
      if (best >= 0 && idom[v] !== best) { idom[v] = best; changed = true; }
    }
  }
  idom[0] = -1;
  return { idom, order, number, preds };
}
// Natural loops: { header, blocks, parent, depth }, inner ones behind outer ones.
function loopsOf(succ) {
  const { idom, order, number, preds } = dominators(succ), n = succ.length;
  const dominates = (a, b) => { while (b >= 0 && number[b] > number[a]) b = idom[b]; return a === b; };
  const of = new Int32Array(n).fill(-1), loops = [];
  for (const h of [...order].reverse()) {
    const latches = preds[h].filter(p => dominates(h, p));
    if (!latches.length) continue;
    const me = loops.length; loops.push({ header: h, blocks: [], parent: -1 });
    const outermost = v => { let l = of[v]; if (l < 0) return -1; while (loops[l].parent >= 0) l = loops[l].parent; return l; };
    const work = [...latches];
    while (work.length) {
      const v = work.pop(), l = outermost(v);
      if (l === me) continue;
      if (l >= 0) { loops[l].parent = me; if (loops[l].header !== h) work.push(...preds[loops[l].header].filter(p => outermost(p) !== me)); continue; }
      of[v] = me;
      if (v !== h) work.push(...preds[v]);
    }
    if (of[h] < 0) of[h] = me;
  }
  of.forEach((l, v) => { for (; l >= 0; l = loops[l].parent) loops[l].blocks.push(v); });
  loops.forEach(l => { l.depth = 1; for (let p = l.parent; p >= 0; p = loops[p].parent) l.depth++; });
  return loops;
}

// A layered layout (Sugiyama, Tagawa and Toda): edges that go back are turned round, layers by the longest path, edges
// over several layers in pieces, crossings made fewer by medians, then places by the means of neighbours.
function layered(succ, size) {
  const n = succ.length, { order, back } = walked(succ), rank = new Int32Array(n);
  for (const v of order) for (const w of succ[v]) if (!back.has(v * n + w) && w !== v) rank[w] = Math.max(rank[w], rank[v] + 1);
  const nodes = Array.from({ length: n }, (_, v) => ({ w: size[v][0], h: size[v][1], rank: rank[v], up: [], down: [] }));
  const edges = []; let pieces = 0;
  succ.forEach((to, v) => to.forEach((w, slot) => {
    const is_back = back.has(v * n + w), [a, b] = is_back ? [w, v] : [v, w];
    const edge = { from: v, to: w, slot, is_back, path: [a] };
    if (v !== w) {
      let last = a;
      const far = rank[b] - rank[a] - 1;
      edge.leaves = nodes[a].down.length;
      if (pieces + far < 30000) for (let r = rank[a] + 1; r < rank[b]; r++) {
        nodes.push({ w: 12, h: 0, rank: r, up: [last], down: [], bend: true }); pieces++;
        nodes[last].down.push(nodes.length - 1); last = nodes.length - 1; edge.path.push(last);
      }
      edge.arrives = nodes[b].up.length;
      nodes[last].down.push(b); nodes[b].up.push(last); edge.path.push(b);
    }
    edges.push(edge);
  }));
  const layers = [];
  const place = v => (layers[nodes[v].rank] ||= []).push(v);
  order.forEach(place); for (let v = n; v < nodes.length; v++) place(v);
  const slot = new Float64Array(nodes.length);
  layers.forEach(layer => layer.forEach((v, k) => slot[v] = k));
  for (let sweep = 0; sweep < (nodes.length > 8000 ? 6 : 14); sweep++) {
    const down = sweep % 2 === 0;
    for (const layer of down ? layers : [...layers].reverse()) {
      const want = new Map(layer.map(v => {
        const at = nodes[v][down ? "up" : "down"].map(w => slot[w]).sort((a, b) => a - b), m = at.length;
        return [v, m ? (at[(m - 1) >> 1] + at[m >> 1]) / 2 : slot[v]];
      }));
      layer.sort((a, b) => want.get(a) - want.get(b) || slot[a] - slot[b]);
      layer.forEach((v, k) => slot[v] = k);
    }
  }
  const GAP = 26, x = new Float64Array(nodes.length);
  const apart = (a, b) => (nodes[a].w + nodes[b].w) / 2 + (nodes[a].bend && nodes[b].bend ? 6 : GAP);
  for (const layer of layers) { let at = 0; layer.forEach((v, k) => { if (k) at += apart(layer[k - 1], v); x[v] = at; }); layer.forEach(v => x[v] -= at / 2); }
  for (let sweep = 0; sweep < 24; sweep++) {
    for (const layer of sweep % 2 ? [...layers].reverse() : layers) {
      const want = layer.map(v => {
        const near = sweep % 4 < 2 ? nodes[v].up : nodes[v].down, all = near.length ? near : [...nodes[v].up, ...nodes[v].down];
        return all.length ? all.reduce((sum, w) => sum + x[w], 0) / all.length : x[v];
      });
      // The nearest places that keep the order and the gaps: blocks of neighbours that would overlap share their mean.
      const blocks = [];
      let offset = 0;
      layer.forEach((v, k) => {
        if (k) offset += apart(layer[k - 1], v);
        let b = { sum: want[k] - offset, n: 1, members: [[v, offset]] };
        while (blocks.length && blocks[blocks.length - 1].sum / blocks[blocks.length - 1].n > b.sum / b.n) {
          const a = blocks.pop();
          b = { sum: a.sum + b.sum, n: a.n + b.n, members: a.members.length > b.members.length ? (a.members.push(...b.members), a.members) : [...a.members, ...b.members] };
        }
        blocks.push(b);
      });
      for (const b of blocks) for (const [v, at] of b.members) x[v] = b.sum / b.n + at;
    }
  }
  const y = [], tall = layers.map(layer => layer.reduce((most, v) => Math.max(most, nodes[v].h), 10));
  layers.forEach((layer, r) => y[r] = r ? y[r - 1] + tall[r - 1] + 24 + Math.min(40, layer.length * 2) : 0);
  nodes.forEach((node, v) => { node.x = x[v]; node.y = y[node.rank]; });
  return { nodes, edges };
}

// --- Pictures ------------------------------------------------------------------------------------------------------

const svg = { x: 0, y: 0, scale: 1, bounds: null, begin: 0, whole: false };
const out = (tag, attributes, inner = "") => `<${tag} ${Object.entries(attributes).map(([k, v]) => `${k}="${v}"`).join(" ")}>${inner}</${tag}>`;
function draw(title, body, [x, y, w, h], sets, begin = x) {
  document.querySelector("#picture h2").innerHTML = title;
  $("drawing").innerHTML = `<svg><defs>${["edge", "back", "yes", "no"].map(c => `<marker id="to-${c}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:var(--${c})"/></marker>`).join("")}</defs><g>${body}</g></svg>`;
  document.querySelectorAll("#drawing [data-lines]").forEach(el => el.lines = sets[el.dataset.lines]);
  svg.bounds = [x, y, w, h]; svg.begin = begin; svg.whole = false;
  fit(); light();
}
// A graph is shown whole, and by the key 0 at a size that can be read, from where it begins, and back; live ranges as wide as there is room.
function fit() {
  const box = $("drawing").getBoundingClientRect(), [x, y, w, h] = svg.bounds, is_live = shown.view === "live";
  const whole = !is_live && !svg.whole, all = Math.min(box.width / (w + 40), box.height / (h + 40));
  svg.whole = whole;
  svg.scale = whole ? Math.min(1, all) : is_live ? Math.min(1, Math.max(0.5, box.width / (w + 40))) : Math.max(0.72, all);
  svg.x = (whole ? x + w / 2 : is_live ? x - 10 + box.width / 2 / svg.scale : svg.begin) - box.width / 2 / svg.scale;
  svg.y = whole ? y + h / 2 - box.height / 2 / svg.scale : y - 20;
  move();
}
function move() {
  const g = document.querySelector("#drawing g"); if (!g) return;
  g.setAttribute("transform", `scale(${svg.scale}) translate(${-svg.x} ${-svg.y})`);
}
$("drawing").addEventListener("wheel", e => {
  e.preventDefault();
  if (!e.ctrlKey && !e.metaKey && !e.altKey && e.shiftKey === false && Math.abs(e.deltaX) < Math.abs(e.deltaY) && shown.view === "live") { svg.y += e.deltaY / svg.scale; return move(); }
  const box = $("drawing").getBoundingClientRect(), px = e.clientX - box.left, py = e.clientY - box.top;
  const next = Math.min(4, Math.max(0.005, svg.scale * Math.exp(-e.deltaY / 500)));
  svg.x += px / svg.scale - px / next; svg.y += py / svg.scale - py / next; svg.scale = next; move();
}, { passive: false });
let held = null;
$("drawing").addEventListener("pointerdown", e => { held = [e.clientX, e.clientY]; });
addEventListener("pointerup", () => held = null);
addEventListener("pointermove", e => {
  if (!held) return;
  svg.x -= (e.clientX - held[0]) / svg.scale; svg.y -= (e.clientY - held[1]) / svg.scale; held = [e.clientX, e.clientY]; move();
});
$("drawing").addEventListener("mouseover", e => {
  const node = e.target.closest("[data-line]"); if (!node) return;
  const line = +node.dataset.line; $("say").textContent = node.dataset.say || "";
  if (line !== shown.hot) { shown.hot = line; light(); }
});
$("drawing").addEventListener("click", e => {
  const node = e.target.closest("[data-row]"); if (!node) return;
  const rows = lists.after.rows, id = +node.dataset.row;
  const at = rows.findIndex(row => row.id === id); if (at >= 0) lists.after.reveal(at);
  lists.source.revealLine(+node.dataset.line);
});

function showView(view) {
  shown.view = view;
  document.querySelectorAll("#views button").forEach(b => b.classList.toggle("on", b.dataset.view === view));
  arrange();
  if (view === "code" || !data) return;
  const own = data.states[shown.k][1];
  let k = shown.k;
  if (own === ASSEMBLY) k = lastOf(MACHINE);
  if (view === "live" && own !== MACHINE) k = data.states.findIndex(s => s[0] === "allocate");
  if (k < 0) { document.querySelector("#picture h2").textContent = ""; $("drawing").innerHTML = '<p class="empty">There is no machine code of this function: nothing calls it, or none was asked for.</p>'; return; }
  const ids = stateAt(k), kind = data.states[k][1], name = `<b>${escape(about.functions[shown.f].name)}</b> behind <b>${escape(data.states[k][0])}</b>`;
  if (view === "live") return drawLive(ids, name);
  const blocks = blocksOf(ids, kind);
  ({ cfg: drawFlow, dom: drawDominators, loops: drawLoops })[view](ids, blocks, name);
}
const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
const lineOf = b => b.lines.size ? Math.min(...b.lines) : 0;
const facts = (ids, b) => ({ "data-line": lineOf(b), "data-row": ids[b.first] ?? -1, "data-say": `${b.name}: ${b.last - b.first + 1} rows` + (b.lines.size ? `, lines ${[...b.lines].sort((x, y) => x - y).slice(0, 12).join(", ")}` : "") });

function drawFlow(ids, blocks, name) {
  const detail = blocks.length <= 70;
  const texts = blocks.map(b => {
    const rows = []; for (let k = b.first; k <= b.last; k++) rows.push(data.text[ids[k]].trim());
    return detail ? (rows.length > 7 ? [...rows.slice(0, 5), `… ${rows.length - 6} more`, rows[rows.length - 1]] : rows).map(t => cut(t, 34)) : [];
  });
  const size = blocks.map((b, k) => [Math.max(74, ...texts[k].map(t => t.length * 6.7 + 16)), detail ? 24 + texts[k].length * 14 : 36]);
  const { nodes, edges } = layered(blocks.map(b => b.succ), size);
  let body = "";
  for (const e of edges) {
    const ends = blocks[e.from].succ.length, cls = e.is_back || e.from === e.to ? "back" : ends === 2 ? (e.slot === 0 ? "yes" : "no") : "edge";
    const mark = `marker-end="url(#to-${cls})"`;
    const a = nodes[e.from], b = nodes[e.to];
    if (e.from === e.to) {
      const r = a.x + a.w / 2;
      body += `<path class="edge back" ${mark} d="M${r} ${a.y + a.h - 8}h16v${16 - a.h}h-16"/>`; continue;
    }
    const points = e.path.map((v, k) => {
      const node = nodes[v];
      return node.bend ? [node.x, node.y] : [node.x, k ? node.y : node.y + node.h];
    });
    // Leave and arrive apart from each other.
    const spread = (v, list, which) => { const s = nodes[v], all = list.length; return all < 2 ? 0 : ((which + 1) / (all + 1) - 0.5) * s.w * 0.7; };
    points[0][0] += spread(e.path[0], nodes[e.path[0]].down, e.leaves);
    const last = e.path.length - 1;
    points[last][0] += spread(e.path[last], nodes[e.path[last]].up, e.arrives);
    if (e.is_back) points.reverse();
    let d = `M${points[0][0].toFixed(1)} ${points[0][1].toFixed(1)}`;
    for (let k = 1; k < points.length; k++) {
      const [x0, y0] = points[k - 1], [x1, y1] = points[k], m = (y0 + y1) / 2;
      d += `C${x0.toFixed(1)} ${m.toFixed(1)} ${x1.toFixed(1)} ${m.toFixed(1)} ${x1.toFixed(1)} ${y1.toFixed(1)}`;
    }
    body += `<path class="edge ${cls}" ${mark} d="${d}"/>`;
  }
  blocks.forEach((b, k) => {
    const s = nodes[k], x = s.x - s.w / 2;
    let inner = out("rect", { x, y: s.y, width: s.w, height: s.h }) + out("text", { x: x + 8, y: s.y + 15, class: "head" }, b.name);
    if (detail) texts[k].forEach((t, j) => inner += out("text", { x: x + 8, y: s.y + 31 + j * 14 }, escape(t)));
    else inner += out("text", { x: x + 8, y: s.y + 29, class: "dim" }, `${b.last - b.first + 1} rows`);
    body += out("g", { class: "node", "data-lines": k, "data-block": b.name, ...facts(ids, b) }, inner);
  });
  draw(`Control flow of ${name}: ${blocks.length} blocks`, body, bounds(nodes.slice(0, blocks.length)), blocks.map(b => b.lines), nodes[0].x);
}
const bounds = nodes => {
  const x = Math.min(...nodes.map(s => s.x - s.w / 2)) - 30, y = Math.min(...nodes.map(s => s.y)) - 10;
  return [x, y, Math.max(...nodes.map(s => s.x + s.w / 2)) + 60 - x, Math.max(...nodes.map(s => s.y + s.h)) + 20 - y];
};
function drawDominators(ids, blocks, name) {
  const { idom, order } = dominators(blocks.map(b => b.succ)), kids = blocks.map(() => []), depth = new Int32Array(blocks.length);
  const inside = order.filter(v => v === 0 || idom[v] >= 0);
  for (const v of inside) if (idom[v] >= 0) { kids[idom[v]].push(v); depth[v] = depth[idom[v]] + 1; }
  const W = 74, H = 32, x = new Float64Array(blocks.length); let next = 0;
  // Leaves side by side, parents over the middle of their children.
  const stack = [[0, false]];
  while (stack.length) {
    const [v, done] = stack.pop();
    if (!kids[v].length) { x[v] = next; next += W + 16; } else if (done) x[v] = (x[kids[v][0]] + x[kids[v][kids[v].length - 1]]) / 2;
    else { stack.push([v, true]); for (const w of [...kids[v]].reverse()) stack.push([w, false]); }
  }
  const nodes = inside.map(v => ({ v, x: x[v], y: depth[v] * 62, w: W, h: H }));
  let body = "";
  for (const s of nodes) if (idom[s.v] >= 0) {
    const p = idom[s.v], y0 = depth[p] * 62 + H;
    body += `<path class="edge" marker-end="url(#to-edge)" d="M${x[p]} ${y0}C${x[p]} ${y0 + 16} ${s.x} ${y0 + 12} ${s.x} ${s.y}"/>`;
  }
  for (const s of nodes) body += out("g", { class: "node", "data-lines": s.v, "data-block": blocks[s.v].name, ...facts(ids, blocks[s.v]) },
    out("rect", { x: s.x - W / 2, y: s.y, width: W, height: H }) + out("text", { x: s.x, y: s.y + 14, class: "head", "text-anchor": "middle" }, blocks[s.v].name) +
    out("text", { x: s.x, y: s.y + 26, class: "dim", "text-anchor": "middle" }, lineOf(blocks[s.v]) ? "line " + lineOf(blocks[s.v]) : ""));
  draw(`Dominator tree of ${name}: a block stands under the last block that every way to it goes through`, body, bounds(nodes), blocks.map(b => b.lines), x[0]);
}
function drawLoops(ids, blocks, name) {
  const loops = loopsOf(blocks.map(b => b.succ)), kids = loops.map(() => []), roots = [];
  loops.forEach((l, k) => (l.parent >= 0 ? kids[l.parent] : roots).push(k));
  const at = k => blocks[loops[k].header].first;
  [roots, ...kids].forEach(list => list.sort((a, b) => at(a) - at(b)));
  if (!loops.length) { document.querySelector("#picture h2").innerHTML = `Loops of ${name}`; $("drawing").innerHTML = '<p class="empty">There are no loops.</p>'; return; }
  // Each a box round those inside it, one below the other.
  const order = [], stack = [...roots].reverse();
  while (stack.length) { const k = stack.pop(); order.push(k); stack.push(...[...kids[k]].reverse()); }
  const size = loops.map(() => [0, 0]);
  for (const k of [...order].reverse()) {
    size[k] = [Math.max(300, ...kids[k].map(c => size[c][0] + 32)), 44 + kids[k].reduce((sum, c) => sum + size[c][1] + 10, 0)];
  }
  const nodes = [], spot = new Map(); let y = 0, body = "";
  for (const k of roots) { spot.set(k, [0, y]); y += size[k][1] + 18; }
  for (const k of order) {
    const [x, top] = spot.get(k); let down = top + 40;
    for (const c of kids[k]) { spot.set(c, [x + 16, down]); down += size[c][1] + 10; }
    nodes.push({ x: x + size[k][0] / 2, y: top, w: size[k][0], h: size[k][1] });
    const l = loops[k], h = blocks[l.header], lines = [...new Set(l.blocks.flatMap(v => [...blocks[v].lines]))].sort((a, b) => a - b);
    l.lines = new Set(lines);
    const rows = l.blocks.reduce((sum, v) => sum + blocks[v].last - blocks[v].first + 1, 0);
    body += out("g", { class: "loop", "data-lines": k, "data-block": h.name, ...facts(ids, h), "data-say": `loop at ${h.name}: blocks ${l.blocks.slice(0, 30).map(v => blocks[v].name).join(" ")}` },
      out("rect", { x, y: top, width: size[k][0], height: size[k][1] }) + out("text", { x: x + 12, y: top + 17, class: "head" }, `loop at ${h.name}`) +
      out("text", { x: x + 12, y: top + 32, class: "dim" }, `depth ${l.depth}, ${l.blocks.length} blocks, ${rows} rows` + (lines.length ? `, lines ${lines[0]} to ${lines[lines.length - 1]}` : "")));
  }
  draw(`Loops of ${name}: ${loops.length}`, body, bounds(nodes), loops.map(l => l.lines), 300);
}

// Where registers are live, from the text of machine code: definitions in front of ` = `, uses behind the opcode.
function liveness(ids) {
  const rows = [], blocks = blocksOf(ids, MACHINE), numbers = new Map(), names = [];
  const reg = name => { if (!numbers.has(name)) { numbers.set(name, names.length); names.push(name); } return numbers.get(name); };
  const is_constant = name => /^(zero|sp|xzr|wzr|frame)$/.test(name);
  const operand = t => { const m = /^([a-z]+\d*|[a-z]\w*)(?::\w+)?(?:@\w+)?$/.exec(t); return m && !is_constant(m[1]) && !/^(slot|mb|wide|rule)\d/.test(m[1]) ? m[1] : null; };
  const by_name = new Map(blocks.map((b, k) => [b.name, k]));
  blocks.forEach((b, k) => {
    const head = data.text[ids[b.first - 1]], m = / preds ([^>]*?)(?: ->|$)/.exec(head);
    b.preds = m ? m[1].trim().split(" ").map(name => by_name.get(name)) : [];
    for (let j = b.first; j <= b.last; j++) {
      const text = data.text[ids[j]].trim(), eq = text.indexOf(" = "), rest = eq < 0 ? text : text.slice(eq + 3), gap = rest.indexOf(" ");
      const list = t => t.split(", ").map(operand);
      rows[j] = { op: gap < 0 ? rest : rest.slice(0, gap), defs: eq < 0 ? [] : list(text.slice(0, eq)).filter(Boolean).map(reg), uses: gap < 0 ? [] : list(rest.slice(gap + 1)).map(name => name ? reg(name) : -1) };
    }
  });
  const words = (names.length + 31) >> 5, set = () => new Uint32Array(words);
  const put = (s, r) => s[r >> 5] |= 1 << (r & 31), take = (s, r) => s[r >> 5] &= ~(1 << (r & 31)), has = (s, r) => s[r >> 5] >>> (r & 31) & 1;
  for (const b of blocks) {
    b.gen = set(); b.kill = set(); b.in = set(); b.out = set(); b.phi = b.phi || set();
    for (let j = b.last; j >= b.first; j--) {
      for (const r of rows[j].defs) { put(b.kill, r); take(b.gen, r); }
      if (rows[j].op !== "phi") for (const r of rows[j].uses) if (r >= 0) put(b.gen, r);
    }
  }
  for (const b of blocks) for (let j = b.first; j <= b.last && rows[j].op === "phi"; j++) rows[j].uses.forEach((r, k) => { if (r >= 0 && blocks[b.preds[k]]) put(blocks[b.preds[k]].phi, r); });
  const work = blocks.map((_, k) => k), waits = new Uint8Array(blocks.length).fill(1);
  while (work.length) {
    const b = blocks[work[work.length - 1]]; waits[work.pop()] = 0;
    b.out.set(b.phi);
    for (const s of b.succ) for (let w = 0; w < words; w++) b.out[w] |= blocks[s].in[w];
    let changed = false;
    for (let w = 0; w < words; w++) { const now = b.gen[w] | b.out[w] & ~b.kill[w]; if (now !== (b.in[w] | 0) && now >>> 0 !== b.in[w]) { b.in[w] = now; changed = true; } }
    if (changed) for (const p of b.preds) if (p !== undefined && !waits[p]) { waits[p] = 1; work.push(p); }
  }
  // Per register: from row to row.
  const parts = names.map(() => []), live = new Uint16Array(ids.length + 1);
  for (const b of blocks) {
    const end = new Map();
    for (let r = 0; r < names.length; r++) if (has(b.out, r)) end.set(r, b.last + 1);
    for (let j = b.last; j >= b.first; j--) {
      for (const r of rows[j].defs) { parts[r].push([j, Math.max(end.get(r) ?? 0, j + 0.6)]); end.delete(r); }
      if (rows[j].op !== "phi") for (const r of rows[j].uses) if (r >= 0 && !end.has(r)) end.set(r, j);
      live[j] = end.size;
    }
    for (const [r, e] of end) parts[r].push([b.first - 1, e]);
  }
  parts.forEach((list, r) => {
    list.sort((a, b) => a[0] - b[0]);
    const merged = [];
    for (const part of list) { const last = merged[merged.length - 1]; if (last && !rows[part[0]] && part[0] <= last[1]) last[1] = Math.max(last[1], part[1]); else merged.push(part.slice()); }
    parts[r] = merged;
  });
  return { blocks, names, parts, live };
}
function drawLive(ids, name) {
  const { blocks, names, parts, live } = liveness(ids), n = ids.length;
  const is_virtual = names.some(t => /^v\d+$/.test(t)) && names.filter(t => /^v\d+$/.test(t)).length > names.length / 2;
  const H = n <= 700 ? 13 : n <= 3000 ? 5 : Math.max(1, 16000 / n), W = 23, left = H >= 10 ? 250 : 60;
  // Machine registers have a column each; others share those that are free.
  let order = names.map((_, r) => r).filter(r => parts[r].length), column = new Map(), columns = 0;
  if (is_virtual) {
    order.sort((a, b) => parts[a][0][0] - parts[b][0][0]);
    const ends = [];
    for (const r of order) {
      let c = ends.findIndex(end => end <= parts[r][0][0]); if (c < 0) c = ends.length;
      ends[c] = parts[r][parts[r].length - 1][1]; column.set(r, c);
    }
    columns = ends.length;
  } else {
    const key = r => names[r].replace(/\d+/, d => d.padStart(3, "0"));
    order.sort((a, b) => key(a) < key(b) ? -1 : 1).forEach((r, k) => column.set(r, k)); columns = order.length;
  }
  const most = Math.max(1, ...live), y = row => row * H, bits = []; let body = "";
  let d = `M${left - 50} 0`; for (let k = 0; k < n; k++) d += `L${(left - 50 + 42 * live[k] / most).toFixed(1)} ${y(k).toFixed(1)}`;
  blocks.forEach(b => {
    body += `<path class="cut" d="M0 ${y(b.first - 1)}H${left + columns * W}"/>` + (H >= 5 ? out("text", { x: 2, y: y(b.first - 1) + 10, class: "head" }, b.name) : "");
  });
  const at_line = new Map();
  ids.forEach((id, k) => { const line = data.line[id]; if (line) { if (!at_line.has(line)) at_line.set(line, []); at_line.get(line).push(k); } });
  for (const [line, rows] of at_line) {
    bits.push(new Set([line]));
    body += out("g", { class: "band", "data-lines": bits.length - 1 }, rows.map(k => `<rect x="0" y="${y(k)}" width="${left + columns * W}" height="${H}"/>`).join(""));
  }
  if (H >= 10) ids.forEach((id, k) => { if (/^\s/.test(data.text[id])) body += out("text", { x: 6, y: y(k) + 10, class: "dim", "data-line": data.line[id], "data-row": id }, escape(cut(data.text[id].trim(), 30))); });
  body += `<path class="press" d="${d}L${left - 50} ${y(n)}z"><title>how many are live, at most ${most}</title></path>`;
  for (const r of order) for (const [from, to] of parts[r]) {
    const f = Math.max(0, Math.ceil(from)), set = new Set();
    for (let k = Math.floor(from); k <= to && k < n; k++) if (k >= 0 && data.line[ids[k]] && (k === Math.floor(from) || k >= to - 1)) set.add(data.line[ids[k]]);
    bits.push(set);
    body += out("rect", { class: `range ${/^f|^s\d+$|^d\d+$/.test(names[r]) && /^f[ats]?\d/.test(names[r]) ? "f" : ""}`, x: left + column.get(r) * W + 2, y: y(from + 0.5).toFixed(1), width: W - 5, height: Math.max(2, y(to - from) - 1.5).toFixed(1),
      "data-lines": bits.length - 1, "data-line": data.line[ids[f]] || 0, "data-row": ids[f] ?? -1, "data-say": `${names[r]}: rows ${f} to ${Math.floor(to)}` });
  }
  if (!is_virtual) order.forEach(r => { for (let top = -8; top < y(n); top += 900) body += out("text", { x: left + column.get(r) * W + 1, y: top, class: "dim" }, names[r]); });
  draw(`Live ranges of ${name}: ${order.length} ${is_virtual ? `values in ${columns} columns` : "registers"}, at most ${most} at once`, body, [0, -20, left + columns * W, y(n) + 30], bits);
}

// --- Begin ---------------------------------------------------------------------------------------------------------

$("file").textContent = sourceText.path; $("how").textContent = `-O${about.level}, ${about.target}, ${about.functions.length} function${about.functions.length === 1 ? "" : "s"}`;
document.title = `${sourceText.path}: what the passes did`;
showSource(); search(); arrange();
const [name, step] = decodeURIComponent(location.hash.slice(1)).split("/");
const first = about.functions.findIndex(f => f.name === name), main = about.functions.findIndex(f => f.name === "main");
pickFunction(first >= 0 ? first : Math.max(0, main));
if (first >= 0 && step) pickStep(+step);
addEventListener("hashchange", () => { const [name, step] = decodeURIComponent(location.hash.slice(1)).split("/"); const k = about.functions.findIndex(f => f.name === name); if (k >= 0) { pickFunction(k); if (step) pickStep(+step); } });
}
