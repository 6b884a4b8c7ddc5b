// copy buttons; headings and code get theirs here
for (const a of $$(".prose a.h")) {
  const b = d.createElement("button"), h = a.parentElement;
  b.className = "hc ic ic-link"; b.dataset.copy = "url" + a.hash; b.title = "Copy link";
  b.ariaLabel = `Copy link to ${(a === h.firstElementChild ? a : h).textContent.replace(/\s*#$/, "")}`;
  h.append(b);
}
for (const f of $$("figure.code")) {
  const b = d.createElement("button");
  b.className = "btn s"; b.dataset.copy = "code"; b.textContent = "Copy";
  f.append(b);
}
// a wide drawing begins at its first node
for (const f of $$(".diagram .scroll")) f.scrollLeft = $(".box", f)?.getBBox().x + 60 - f.clientWidth / 2;
d.addEventListener("click", async e => {
  // rare features are loaded on demand
  const r = e.target.closest("[data-run]");
  if (r) try { (await import(r.dataset.run)).run(r) } catch { say("Not loaded") }
  const b = e.target.closest("[data-copy]");
  if (!b || b.dataset.busy) return;
  const what = b.dataset.copy;
  const shown = () => (what === "code" ? $("pre", b.closest("figure")) : $(what)).textContent;
  const text = what.startsWith("url") ? location.href.split("#")[0] + (what.slice(3) || location.hash) : shown();
  const label = b.textContent;
  b.dataset.busy = "1";
  try {
    await navigator.clipboard.writeText(text);
    b.textContent = "Copied";
    say("Copied");
  } catch {
    b.textContent = "Not copied";
    say("The browser did not allow copying");
  }
  setTimeout(() => { b.textContent = label; delete b.dataset.busy }, 1600);
});

// on a phone a bar shows the current section
const list = $(".mtoc");
const addSheet = () => import(list.dataset.sheet).then(m => m.run(list)).catch(() => {});
if (list?.parentElement.checkVisibility()) addEventListener("scroll", addSheet, { once: true });

// a link of another publisher (#specification, #user-content-specification) leads to its section too
const stray = () => {
  const plain = s => s.toLowerCase().replace(/^(#|user-content-|s-)+|[^a-z\d]/g, "");
  const to = $(":target") ? 0 : $$(".prose [id]").find(e => plain(encodeURIComponent(e.id)) === plain(location.hash));
  if (to) location.replace("#" + to.id);
};
stray();
addEventListener("hashchange", stray);

// the tables of contents follow the reader
const toc = Map.groupBy($$(".toc a, .mtoc a"), a => decodeURIComponent(a.hash.slice(1)));
// The target heading of a link is a little below the upper edge: see scroll-padding-top.
const edge = 112;
const headings = [...toc.keys()].map(key => d.getElementById(key)).filter(Boolean);
let current;
const follow = () => {
  const at = headings.findLast(h => h.getBoundingClientRect().top < edge);
  if (at === current) return;
  current = at;
  for (const [key, links] of toc) for (const a of links) a.ariaCurrent = key === at?.id || null;
};
if (headings.length) {
  follow();
  addEventListener("scroll", follow, { passive: true });
}

// Only the browser knows which version its reader saw last.
const since = $(".since");
if (since) try {
  const key = `seen ${location.pathname}`, { at } = since.dataset;
  since.hidden = (localStorage[key] ?? at) === at;
  localStorage[key] = at;
} catch {}
