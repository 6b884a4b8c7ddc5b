// copy buttons; headings and code get theirs here
for (const a of $$(".prose a.h")) {
  const b = d.createElement("button"), h = a.parentElement;
  b.className = "hc ic ic-link"; b.dataset.copy = "url" + a.hash; b.title = "Copy link";
  b.setAttribute("aria-label", `Copy link to ${(a === h.firstElementChild ? a : h).textContent.replace(/\s*#$/, "")}`);
  h.append(b);
}
for (const f of $$("figure.code")) {
  const b = d.createElement("button");
  b.className = "btn s"; b.dataset.copy = "code"; b.textContent = "Copy";
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

// on a phone a bar says which section is read, and leads to the contents and to the top
const list = $(".mtoc");
const bar = d.createElement("nav"), here = d.createElement("span"), sheet = d.createElement("dialog");
if (list) {
  const open = d.createElement("button"), label = d.createElement("b"), up = d.createElement("a");
  const close = d.createElement("button"), heading = d.createElement("h2"), read = d.createElement("progress");
  bar.className = "here"; bar.hidden = true; bar.setAttribute("aria-label", "Place in the text");
  label.textContent = "Contents"; open.append(label, here);
  up.href = "#main"; up.textContent = "Top";
  read.max = 100; read.setAttribute("aria-label", "Reading progress in percent");
  bar.append(read, open, up);
  sheet.className = "sheet"; sheet.setAttribute("aria-label", "On this page");
  close.className = "btn s"; close.textContent = "Close";
  heading.textContent = "On this page";
  sheet.append(close, heading, list.cloneNode(true));
  d.body.append(bar, sheet);
  open.addEventListener("click", () => sheet.showModal());
  sheet.addEventListener("click", e => { if (e.target === sheet || e.target.closest("a,button")) sheet.close() });
  const text = $("#text"), place = () => {
    const r = text.getBoundingClientRect();
    bar.hidden = r.top > innerHeight / 2;
    read.value = Math.round(Math.min(1, Math.max(0, -r.top / Math.max(1, r.height - innerHeight))) * 100);
  };
  place();
  addEventListener("scroll", place, { passive: true });
}

// a link of another publisher (#specification, #user-content-specification) leads to its section as well
const stray = () => {
  const plain = s => s.toLowerCase().replace(/^(#|user-content-|s-)+|[^a-z\d]/g, "");
  const to = $(":target") ? 0 : $$(".prose [id]").find(e => plain(encodeURIComponent(e.id)) === plain(location.hash));
  if (to) location.replace("#" + to.id);
};
stray();
addEventListener("hashchange", stray);

// the tables of contents follow the reader
const toc = Map.groupBy($$(".toc a, .sheet a"), a => decodeURIComponent(a.hash.slice(1)));
// A heading that a link leads to stands a little below the upper edge: see scroll-padding-top.
const edge = 112;
const headings = [...toc.keys()].map(key => d.getElementById(key)).filter(Boolean);
let current;
const follow = () => {
  const at = headings.findLast(h => h.getBoundingClientRect().top < edge);
  if (at === current) return;
  current = at;
  here.textContent = at ? toc.get(at.id)[0].textContent : "";
  for (const [key, links] of toc) for (const a of links)
    if (key === at?.id) a.setAttribute("aria-current", "true"); else a.removeAttribute("aria-current");
};
if (headings.length) {
  follow();
  addEventListener("scroll", follow, { passive: true });
}
