// Zoom and search of a flame graph (flame.awk): a click makes a box as wide as the picture, with its callers above it and
// nothing beside it; a click on what is above, or on the words on top, goes back. What is searched for (a regular expression,
// of any case) is marked, with its share of what is shown; a function that calls itself counts once.
"use strict";
{
const svg = document.currentScript ? document.currentScript.closest("svg") : document.documentElement;
const part = id => svg.querySelector("#" + id);
const width = svg.viewBox.baseVal.width, letter = 6.3;
const boxes = [...svg.querySelectorAll("g.f")].map(box => ({
  box, rect: box.querySelector("rect"), name: box.querySelector("title").textContent.replace(/: \d+, [\d.]+%$/, ""),
  x: +box.dataset.x, w: +box.dataset.w, d: +box.dataset.d,
}));
let shown = boxes[0];
function label(b, x, wide) {
  let text = b.box.querySelector("text"), room = Math.floor((wide - 4) / letter), name = b.name.replace(/^sysyc::/, "");
  if (room < 3) { if (text) text.remove(); return; }
  if (!text) {
    text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    text.setAttribute("y", +b.rect.getAttribute("y") + 11);
    b.box.append(text);
  }
  text.setAttribute("x", x + 2);
  text.textContent = name.length > room ? name.slice(0, room - 2) + ".." : name;
}
function zoom(to) {
  shown = to;
  for (const b of boxes) {
    const is_caller = b.d < to.d && b.x <= to.x && b.x + b.w >= to.x + to.w;
    const is_inside = b.d >= to.d && b.x >= to.x && b.x + b.w <= to.x + to.w;
    b.box.style.display = is_caller || is_inside ? "" : "none";
    b.box.classList.toggle("outside", is_caller);
    if (!is_caller && !is_inside) continue;
    const x = is_caller ? 0 : (b.x - to.x) / to.w * width, wide = is_caller ? width : b.w / to.w * width;
    b.rect.setAttribute("x", x.toFixed(2)); b.rect.setAttribute("width", wide.toFixed(2));
    label(b, x, wide);
  }
  part("all-of-it").setAttribute("visibility", to.d ? "visible" : "hidden");
  search();
}
function search() {
  const text = part("search").value.trim();
  let wanted = null, sum = 0, end = -1;
  try { wanted = text && new RegExp(text, "i"); } catch { part("share").textContent = "no such pattern"; return; }
  // Callers stand before what they call.
  for (const b of boxes) {
    const is_found = !!wanted && wanted.test(b.name);
    b.box.classList.toggle("found", is_found);
    const is_shown = b.d >= shown.d && b.x >= shown.x && b.x + b.w <= shown.x + shown.w;
    if (is_found && is_shown && b.x >= end) { sum += b.w; end = b.x + b.w; }
  }
  part("share").textContent = wanted ? (100 * sum / shown.w).toFixed(2) + "% of what is shown" : "";
}
for (const b of boxes) b.box.addEventListener("click", () => zoom(b));
part("all-of-it").addEventListener("click", () => zoom(boxes[0]));
part("search").addEventListener("input", search);
addEventListener("keydown", e => {
  if (e.key === "Escape") { part("search").value = ""; zoom(boxes[0]); }
  else if (e.key === "/" && document.activeElement !== part("search")) { e.preventDefault(); part("search").focus(); }
});
}
