"use strict";
{
const $ = id => document.getElementById(id);
const read = id => JSON.parse($("data-" + id).textContent);
const profile = read("profile"), sources = read("source");
// What has a line has a row in the table of all lines.
const firsts = new Map();
sources.reduce((first, [file, lines]) => { firsts.set(file, first); return first + lines.length; }, 1);
const rowOf = told => told.line && firsts.get(told.file ?? profile.file) + told.line - 1;
const nameOf = told => sources.length > 1 && told.file ? `${told.file}:${told.line}` : `line ${told.line}`;
const ROW = 20, LEAST = 0.0007;
const escape = t => t.replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const grouped = n => n.toLocaleString("en");
const percent = (part, whole) => (100 * part / Math.max(1, whole)).toFixed(1) + "%";

// --- The tree: calls from several lines of one function to another are one frame -----------------------------------

const frames = [];
const ofNode = [];
profile.nodes.forEach((node, k) => {
  const above = node.caller === null ? null : ofNode[node.caller];
  let frame = above && above.below.get(node.function);
  if (!frame) {
    frame = { name: node.function, above, depth: above ? above.depth + 1 : 0, own: 0, total: 0, calls: 0, below: new Map() };
    frames.push(frame);
    if (above) above.below.set(node.function, frame);
  }
  frame.own += node.own; frame.calls += node.calls;
  ofNode[k] = frame;
});
for (let k = frames.length - 1; k >= 0; k--) {
  const frame = frames[k];
  frame.total += frame.own;
  if (frame.above) frame.above.total += frame.total;
}
const all = frames.length ? frames[0].total : 0;
let zoomed = frames[0], pattern = null;

// A colour by name, warm, the same on every page.
function colour(name) {
  let h = 0;
  for (const c of name) h = (h * 31 + c.codePointAt(0)) >>> 0;
  return `hsl(${20 + h % 36} ${75 + (h >> 8) % 20}% ${62 + (h >> 16) % 12}%)`;
}

function paint() {
  const box = $("flame");
  box.textContent = "";
  if (!zoomed) return;
  let deepest = 0;
  const show = (frame, left, width) => {
    const el = document.createElement("button");
    const is = pattern && pattern.test(frame.name);
    el.className = "frame" + (is ? " hit" : "") + (frame.depth < zoomed.depth ? " above" : "");
    el.style.cssText = `left:${left * 100}%;width:${width * 100}%;top:${frame.depth * ROW}px;background:${colour(frame.name)}`;
    el.textContent = frame.name;
    el.dataset.name = frame.name;
    el.title = say(frame);
    el.addEventListener("click", () => { zoomed = frame; paint(); });
    el.addEventListener("mouseenter", () => $("about").textContent = say(frame));
    el.addEventListener("focus", () => $("about").textContent = say(frame));
    box.append(el);
    deepest = Math.max(deepest, frame.depth);
  };
  for (let frame = zoomed.above; frame; frame = frame.above) show(frame, 0, 1);
  const waiting = [[zoomed, 0, 1]];
  while (waiting.length) {
    const [frame, left, width] = waiting.pop();
    show(frame, left, width);
    let at = left;
    const below = [...frame.below.values()].sort((a, b) => a.name < b.name ? -1 : 1);
    for (const inner of below) {
      const w = width * inner.total / Math.max(1, frame.total);
      if (w >= LEAST) waiting.push([inner, at, w]);
      at += w;
    }
  }
  box.style.height = (deepest + 1) * ROW + 4 + "px";
  $("reset").hidden = zoomed === frames[0];
}

function say(frame) {
  return `${frame.name}: ${grouped(frame.total)} instructions (${percent(frame.total, all)}), ${grouped(frame.own)} of its own, ${grouped(frame.calls)} calls`;
}

// --- Search: what matches, and how much of the whole is in it or called by it --------------------------------------

function search() {
  const text = $("search").value;
  pattern = null;
  if (text) {
    try { pattern = new RegExp(text, "i"); }
    catch { pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"); }
  }
  let sum = 0;
  for (const frame of frames) {
    frame.inside = frame.above && (frame.above.inside || pattern && pattern.test(frame.above.name));
    if (pattern && pattern.test(frame.name) && !frame.inside) sum += frame.total;
  }
  $("found").textContent = pattern ? `${percent(sum, all)} of all` : "";
  for (const row of document.querySelectorAll("#functions tr[data-name]"))
    row.classList.toggle("hit", !!pattern && pattern.test(row.dataset.name));
  paint();
}

// --- Tables --------------------------------------------------------------------------------------------------------

const heat = share => `style="background:rgba(var(--heat),${Math.min(0.75, share * 1.6).toFixed(3)})"`;

function tables() {
  const whole = profile.instructions;
  $("file").textContent = sources.map(([file]) => file).join(", ");
  $("how").textContent = `${grouped(whole)} instructions ${profile.how}`;
  $("functions").innerHTML = "<tr><th>own</th><th>with calls</th><th>calls</th><th>function</th></tr>" + profile.functions.map(f =>
    `<tr data-name="${escape(f.name)}" data-line="${rowOf(f)}" ${f.calls ? "" : 'class="never"'}><td>${grouped(f.own)} ${percent(f.own, whole)}</td><td>${frames.length ? percent(f.total, whole) : ""}</td><td>${grouped(f.calls)}</td><td>${escape(f.name)}</td></tr>`).join("");
  const loops = profile.loops.filter(l => l.entered && l.line).sort((a, b) => b.rounds - a.rounds);
  $("loops").innerHTML = "<tr><th>rounds</th><th>entered</th><th>each</th><th>where</th></tr>" + loops.map(l =>
    `<tr data-line="${rowOf(l)}"><td>${grouped(l.rounds)}</td><td>${grouped(l.entered)}</td><td>${(l.rounds / l.entered).toFixed(1)}</td><td>${escape(nameOf(l))} of ${escape(l.function)}</td></tr>`).join("");
  const of = new Map(profile.lines.map(row => [rowOf(row), row]));
  const shown = ([file, lines]) => lines.map((text, k) => {
    const at = firsts.get(file) + k, row = of.get(at);
    const counts = row ? `<td>${grouped(row.times)}</td><td ${heat(row.instructions / Math.max(1, whole))}>${grouped(row.instructions)}</td>` : "<td></td><td></td>";
    return `<tr id="l${at}" ${row && !row.times ? 'class="never"' : ""}>${counts}<td class="dim">${k + 1}</td><td>${escape(text)}</td></tr>`;
  });
  $("source").innerHTML = sources.map(one =>
    `<tr><th>times</th><th>instructions</th><th>line</th><th>${sources.length > 1 ? escape(one[0]) : ""}</th></tr>` + shown(one).join("")).join("");
}

function go(line) {
  for (const row of document.querySelectorAll("tr.at")) row.classList.remove("at");
  const row = $("l" + line);
  if (row) { row.classList.add("at"); row.scrollIntoView({ block: "center" }); }
}

tables();
paint();
if (frames.length) $("about").textContent = say(frames[0]);
for (const id of ["functions", "loops"])
  $(id).addEventListener("click", e => { const row = e.target.closest("tr[data-line]"); if (row) go(+row.dataset.line); });
$("search").addEventListener("input", search);
$("reset").addEventListener("click", () => { zoomed = frames[0]; paint(); });
document.addEventListener("keydown", e => {
  if (e.key === "Escape") { zoomed = frames[0]; $("search").value = ""; search(); }
  if (e.key === "/" && document.activeElement !== $("search")) { e.preventDefault(); $("search").focus(); }
});
}
