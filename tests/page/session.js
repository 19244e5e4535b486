// What a reader does with the page, and what has to be seen then. `tests/page.rs` puts this at the end of a page, lets a
// browser open it, and reads the results from the text of #session.
{
  const said = [];
  const check = (what, holds, seen = "") => said.push(`${holds ? "ok" : "WRONG"} ${what}${holds ? "" : `: ${seen}`}`);
  const all = selector => [...document.querySelectorAll(selector)];
  const fire = (el, type) => el.dispatchEvent(new MouseEvent(type, { bubbles: true, view: window }));
  const rows = pane => all(`#${pane} .row`);
  const text = el => el ? el.textContent.replace(/^\d*/, "").trim() : "";
  const hot = pane => rows(pane).filter(row => row.classList.contains("hot"));
  const step = name => rows("steps").find(row => row.querySelector(".name").textContent === name);
  const heading = pane => document.querySelector(`article[data-pane=${pane}] h2`).textContent;
  const wide = el => el.getBoundingClientRect().width > 0;
  const told = run => { try { run(); } catch (error) { check("no error", false, error.stack); } };

  told(() => {
    // Search, and pick a function.
    const search = document.getElementById("search");
    search.value = "MULT"; search.dispatchEvent(new Event("input"));
    check("the search leaves one function", rows("functions").length === 1, rows("functions").length);
    fire(rows("functions")[0], "click");
    check("it is picked", document.getElementById("picked").textContent === "multiply");
    search.value = ""; search.dispatchEvent(new Event("input"));
    check("without words all are there", rows("functions").map(row => row.querySelector(".name").textContent).join() === "random,fill,multiply,main", rows("functions").map(text).join());

    // A pass.
    fire(step("mem2reg"), "click");
    check("the headings name the pass", heading("before") === "Before mem2reg" && heading("after") === "After mem2reg", heading("after"));
    const gone = rows("before").filter(row => row.classList.contains("gone")).map(text);
    const came = rows("after").filter(row => row.classList.contains("came")).map(text);
    check("variables go", gone.some(line => /^%k\.\d+ = alloca i32$/.test(line)), gone.join("; "));
    check("phis come", came.some(line => /^%k\.\d+ = phi i32/.test(line)), came.join("; "));
    check("values keep their names", rows("before").some(row => rows("after").some(other => /^%v\d+ = icmp/.test(text(row)) && text(other).split(" ")[0] === text(row).split(" ")[0])));
    check("both sides are one below the other", rows("before").length === rows("after").length);

    // A line in one lights up in all.
    const line = rows("source").find(row => row.textContent.includes("sum = sum + x[i][k]"));
    check("the source is there", !!line);
    fire(line, "mouseover");
    for (const pane of ["source", "before", "after", "machine", "assembly"]) {
      check(`${pane} lights up`, hot(pane).length > 0 && hot(pane).every(row => row.dataset.line === line.dataset.line), hot(pane).length);
    }
    check("not all of it", hot("after").length < rows("after").length / 2);
    check("the product is lit", hot("after").some(row => /fmul float/.test(text(row))), hot("after").map(text).join("; "));
    check("its instruction, too", hot("assembly").some(row => /fm(ul|add)\.s/.test(text(row))), hot("assembly").map(text).join("; "));
    const back = rows("assembly").find(row => row.classList.contains("hot"));
    fire(rows("source")[0], "mouseover");
    check("it goes out", hot("assembly").length === 0, hot("assembly").length);
    fire(back, "mouseover");
    check("the other way round, too", hot("source").length === 1 && hot("source")[0] === line, hot("source").length);

    // Machine code.
    fire(step("allocate"), "click");
    check("registers are the machine's", rows("after").some(row => /\ba\d\b/.test(text(row))) && rows("before").some(row => /\bv\d+:/.test(text(row))));
    check("calls name functions", rows("functions").length === 4);

    // Pictures.
    fire(step("mem2reg"), "click");
    const view = name => fire(document.querySelector(`[data-view=${name}]`), "click");
    view("cfg");
    const blocks = new Set(rows("after").map(text).filter(line => /^b\d+:$/.test(line)).map(line => line.slice(0, -1)));
    const nodes = all("#drawing .node");
    check("control flow has every block", nodes.length >= blocks.size && blocks.size > 5 && [...blocks].every(b => nodes.some(node => node.dataset.block === b)), `${nodes.length} ${blocks.size}`);
    check("loops go back", all("#drawing .edge.back").length === 3, all("#drawing .edge.back").length);
    check("blocks do not overlap", nodes.every((a, k) => nodes.slice(k + 1).every(b => {
      const [p, q] = [a, b].map(node => node.querySelector("rect").getBBox());
      return p.x + p.width <= q.x || q.x + q.width <= p.x || p.y + p.height <= q.y || q.y + q.height <= p.y;
    })));
    fire(line.isConnected ? line : rows("source").find(row => row.dataset.line === line.dataset.line), "mouseover");
    check("blocks light up", all("#drawing .node.hot").length === 1, all("#drawing .node.hot").length);
    view("dom");
    check("the dominator tree has an edge less than blocks", all("#drawing .edge").length === all("#drawing .node").length - 1);
    view("loops");
    const loops = all("#drawing .loop"), depth = loop => +/depth (\d+)/.exec(loop.textContent)[1];
    check("three loops, one in the other", loops.map(depth).join() === "1,2,3", loops.map(depth).join());
    const area = loop => { const box = loop.querySelector("rect").getBBox(); return box.width * box.height; };
    check("inner ones inside", area(loops[0]) > area(loops[1]) && area(loops[1]) > area(loops[2]));
    view("live");
    const ranges = all("#drawing .range");
    check("live ranges of registers", ranges.length > 10 && ranges.some(r => /^a0: rows/.test(r.dataset.say)) && ranges.some(r => /^fa\d: rows/.test(r.dataset.say)), ranges.length);
    fire(step("select"), "click");
    check("... and of values", all("#drawing .range").some(r => /^v\d+: rows/.test(r.dataset.say)));
    view("code");

    // Panes, and what has not changed.
    fire(document.querySelector("#panes [data-pane=machine]"), "click");
    check("a pane goes", !wide(document.getElementById("machine")) && wide(document.getElementById("assembly")));
    fire(step("gvn"), "click");
    const before = rows("after").length;
    fire(document.getElementById("fold"), "click");
    check("only changes", rows("after").some(row => row.classList.contains("fold")) && rows("after").length < before, rows("after").length);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", bubbles: true }));
    check("keys go through the passes", heading("after") !== "After gvn", heading("after"));
  });
  const out = document.createElement("pre");
  out.id = "session"; out.textContent = said.join("\n") + "\nend";
  document.body.append(out);
}
