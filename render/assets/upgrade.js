// The time of each network in the reader's zone unless it is UTC, as in the page, and the block at
// about that time, if the sidecar has the head.
const clocks = $$(".clocks [data-time]"), zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const clock = { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" };
for (const c of clocks) {
  const at = new Date(c.dataset.time * 1000);
  const local = at.toLocaleString("en-GB", clock);
  if (at.getTimezoneOffset()) put($("[data-f=local]", c), `${local} in ${zone}`);
}
addEventListener("answered", ({ detail: { networks: heads } }) => {
  for (const c of clocks) {
    const n = heads?.[c.dataset.chain], { pace, time } = c.dataset;
    if (n?.blockHeight == null || !pace) continue;
    const left = time - Date.parse(n.blockTime) / 1000;
    const block = Math.round((n.blockHeight + left / pace) / 1000) * 1000;
    if (left > 0) put($("[data-f=block]", c), `about block ${figure(block)}, at ${pace} s a block`);
  }
});
// The page of a role ends with what every network has. The chains' answer may differ from the clock's.
const past = $(".past"), parts = $$("section.block");
const over = s => !!$(".state", s) && networks($(".state", s).dataset).every(n => n[3]);
const settle = () => {
  if (parts.every(s => past.contains(s) === over(s))) return;
  for (const s of parts) if (over(s)) past.firstElementChild.after(s); else past.before(s);
  past.hidden = !past.children[1];
};
if (past) { settle(); addEventListener("judged", settle) }
// Ticks stay in this browser.
const boxes = $$(".todo input"), kept = `done ${location.pathname}`;
const ticked = (() => { try { return new Set(JSON.parse(localStorage[kept] ?? "[]")) } catch { return new Set() } })();
for (const b of boxes) {
  const what = b.nextElementSibling.textContent;
  b.checked = ticked.has(what);
  b.addEventListener("change", () => {
    if (b.checked) ticked.add(what); else ticked.delete(what);
    try { localStorage[kept] = JSON.stringify([...ticked]) } catch {}
  });
}
$("[data-print]")?.addEventListener("click", () => print());
