// What a reader does with the page of a profile, and what has to be seen then. `tests/profile.rs` puts this at the end of a page,
// lets a browser open it, and reads the results from the text of #session.
{
  const said = [];
  const check = (what, holds, seen = "") => said.push(`${holds ? "ok" : "WRONG"} ${what}${holds ? "" : `: ${seen}`}`);
  const all = selector => [...document.querySelectorAll(selector)];
  const fire = (el, type) => el.dispatchEvent(new MouseEvent(type, { bubbles: true, view: window }));
  const frames = () => all("#flame .frame");
  const frame = name => frames().find(el => el.dataset.name === name);
  const width = el => el.getBoundingClientRect().width / document.getElementById("flame").clientWidth;
  const search = text => { const el = document.getElementById("search"); el.value = text; el.dispatchEvent(new Event("input")); };
  try {
    check("there is a frame for each way of calls", frames().map(el => el.dataset.name).sort().join() === "fib,main,sort", frames().length);
    check("main is as wide as all", width(frame("main")) > 0.99, width(frame("main")));
    const wide = width(frame("sort")), narrow = width(frame("fib"));
    check("what executes more is wider", wide > 0.5 && narrow < 0.3 && wide + narrow < 1, `${wide} ${narrow}`);
    check("callers stand above", frame("main").offsetTop < frame("fib").offsetTop);
    fire(frame("fib"), "mouseenter");
    check("a frame says what it is", /^fib: [\d,]+ instructions \([\d.]+%\), .* 177 calls$/.test(document.getElementById("about").textContent), document.getElementById("about").textContent);

    fire(frame("fib"), "click");
    check("a click zooms", width(frame("fib")) > 0.99 && !frame("sort"), frames().map(width).join());
    check("with those that led there", frame("main").classList.contains("above"));
    fire(document.getElementById("reset"), "click");
    check("and back", Math.abs(width(frame("sort")) - wide) < 0.01 && document.getElementById("reset").hidden);

    search("^SO");
    check("a search lights up what fits", frame("sort").classList.contains("hit") && !frame("fib").classList.contains("hit"));
    const share = parseFloat(document.getElementById("found").textContent);
    check("and says how much of all it is", Math.abs(share / 100 - wide) < 0.02, share);
    check("in the table, too", all("#functions tr.hit").length === 1);
    search("[");
    check("what is no expression is taken as it is", frames().every(el => !el.classList.contains("hit")));
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    check("Escape ends it", document.getElementById("found").textContent === "" && document.getElementById("search").value === "");

    const row = document.getElementById("l9");
    check("the source has counts", row.cells[0].textContent === "970" && row.cells[3].textContent.includes("if (a[i] > a[j])"), row.textContent);
    check("what was never executed is marked", document.getElementById("l15").classList.contains("never"));
    fire(all("#loops tr[data-line]")[0], "click");
    check("a loop leads to its line", document.getElementById("l8").classList.contains("at"), all("tr.at").map(el => el.id).join());
    check("loops have rounds", all("#loops tr[data-line]")[0].cells[0].textContent === "970");
  } catch (error) {
    check("no error", false, error.stack);
  }
  said.push("end");
  const out = document.createElement("pre");
  out.id = "session"; out.textContent = said.join("\n");
  document.body.append(out);
}
