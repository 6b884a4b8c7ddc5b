// Progressive enhancement only: every page is complete without it.
const d = document, root = d.documentElement;
const $ = (s, r = d) => r.querySelector(s), $$ = (s, r = d) => [...r.querySelectorAll(s)];
const say = text => { $("#live").textContent = text };

// theme
const theme = root.dataset.theme || "auto";
for (const i of $$("input[name=theme]")) {
  i.checked = i.value === theme;
  i.addEventListener("change", () => {
    if (i.value === "auto") delete root.dataset.theme; else root.dataset.theme = i.value;
    try { localStorage.setItem("theme", i.value) } catch { /* storage may be forbidden */ }
  });
}

// "/" leads to the search: of this page, or else of the first page
const home = $(".brand").href;
d.addEventListener("keydown", e => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input:not([type=radio]),textarea,select,[contenteditable]")) return;
  e.preventDefault();
  const q = $("#q");
  if (q) { q.focus(); q.select() } else location.assign(home + "#q");
});
if (location.hash === "#q") $("#q")?.focus();

// filters: their state is the address, which is replaced and not pushed, so that Back leaves
const form = $("#filters");
if (form) {
  const keys = ["q", "status", "category", "sort"], box = form.elements, body = $("#list tbody");
  const id = new RegExp(`^(?:${form.dataset.prefix.replace(/\W/g, "\\$&")}[\\s-]*)?0*(\\d+)$`, "i");
  const rows = $$("tr", body).map((tr, at) => ({
    tr, at, text: tr.textContent.toLowerCase(), number: /(\d+)$/.exec($(".n", tr).textContent)?.[1],
    s: tr.dataset.s, c: tr.dataset.c, up: $("time", tr)?.textContent ?? "",
  }));
  let order = "";
  const apply = () => {
    const v = Object.fromEntries(keys.map(k => [k, box[k].value.trim()]));
    const words = v.q.toLowerCase().split(/\s+/).filter(Boolean), exact = id.exec(v.q)?.[1];
    let n = 0;
    for (const r of rows) {
      r.hit = exact !== undefined && r.number === exact;
      const show = (r.hit || words.every(w => r.text.includes(w))) && (!v.status || r.s === v.status) && (!v.category || r.c === v.category);
      r.tr.hidden = !show;
      if (show) n++;
    }
    const want = v.sort + "/" + (exact ?? "");
    if (want !== order) {
      order = want;
      const by = v.sort === "updated" ? (a, b) => b.up > a.up ? 1 : b.up < a.up ? -1 : a.at - b.at : (a, b) => a.at - b.at;
      body.append(...rows.toSorted((a, b) => b.hit - a.hit || by(a, b)).map(r => r.tr));
    }
    const u = new URL(location);
    for (const k of keys) if (v[k]) u.searchParams.set(k, v[k]); else u.searchParams.delete(k);
    if (u.href !== location.href) history.replaceState(null, "", u);
    for (const a of $$("a[data-status]")) if (a.dataset.status === v.status) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
    $("#none").hidden = n > 0;
    const all = rows.length, noun = all === 1 ? "proposal" : "proposals";
    say($("#count").textContent = n === all ? `${all} ${noun}` : `${n} of ${all} ${noun}`);
  };
  const read = new URLSearchParams(location.search);
  for (const k of keys) box[k].value = read.get(k) ?? "";
  if (keys.some(k => read.get(k))) apply();
  form.addEventListener("input", apply);
  form.addEventListener("submit", e => { e.preventDefault(); apply() });
  const plain = e => !(e.ctrlKey || e.metaKey || e.shiftKey || e.altKey);
  $("#clear").addEventListener("click", e => { if (!plain(e)) return; e.preventDefault(); for (const k of keys) box[k].value = ""; apply(); box.q.focus() });
  for (const a of $$("a[data-status]")) a.addEventListener("click", e => {
    if (!plain(e)) return;
    e.preventDefault();
    box.status.value = box.status.value === a.dataset.status ? "" : a.dataset.status;
    apply();
  });
}

// copy buttons; code gets its own here
for (const f of $$("figure.code")) {
  const b = d.createElement("button");
  b.type = "button"; b.className = "btn s"; b.dataset.copy = "code"; b.textContent = "Copy";
  f.append(b);
}
d.addEventListener("click", async e => {
  const b = e.target.closest("[data-copy]");
  if (!b || b.dataset.busy) return;
  const what = b.dataset.copy;
  const text = what === "url" ? location.href : (what === "code" ? $("pre", b.closest("figure")) : $(what)).textContent;
  const label = b.textContent;
  b.dataset.busy = "1";
  try { await navigator.clipboard.writeText(text); b.textContent = "Copied"; say("Copied") } catch { b.textContent = "Not copied"; say("The browser did not allow copying") }
  setTimeout(() => { b.textContent = label; delete b.dataset.busy }, 1600);
});

// the table of contents follows the reader
const toc = new Map($$(".toc a").map(a => [decodeURIComponent(a.hash.slice(1)), a]));
if (toc.size) {
  const seen = new IntersectionObserver(entries => {
    const hit = entries.find(x => x.isIntersecting);
    if (!hit) return;
    for (const a of toc.values()) a.removeAttribute("aria-current");
    toc.get(hit.target.id).setAttribute("aria-current", "true");
  }, { rootMargin: "-10% 0px -75% 0px" });
  for (const key of toc.keys()) { const h = d.getElementById(key); if (h) seen.observe(h) }
}
