// copy buttons; headings and code get theirs here
for (const a of $$(".prose a.h")) {
  const b = d.createElement("button"), h = a.parentElement;
  b.type = "button"; b.className = "hc ic ic-link"; b.dataset.copy = "url" + a.hash; b.title = "Copy link";
  b.setAttribute("aria-label", `Copy link to ${(a === h.firstElementChild ? a : h).textContent.replace(/\s*#$/, "")}`);
  h.append(b);
}
for (const f of $$("figure.code")) {
  const b = d.createElement("button");
  b.type = "button"; b.className = "btn s"; b.dataset.copy = "code"; b.textContent = "Copy";
  f.append(b);
}
d.addEventListener("click", async e => {
  // what few readers ask for is loaded when they do
  const r = e.target.closest("[data-run]");
  if (r) try { (await import(r.dataset.run)).run(r) } catch { say("Not loaded") }
  const b = e.target.closest("[data-copy]");
  if (!b || b.dataset.busy) return;
  const what = b.dataset.copy;
  const text = what.startsWith("url") ? location.href.split("#")[0] + (what.slice(3) || location.hash) : (what === "code" ? $("pre", b.closest("figure")) : $(what)).textContent;
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
