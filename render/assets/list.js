// filters: their state is the address, which is replaced and not pushed, so that Back leaves
const form = $("#filters");
if (form) {
  const keys = ["q", "status", "category", "sort"], box = form.elements, body = $("#list tbody");
  const id = new RegExp(`^(?:${form.dataset.prefix.replace(/\W/g, "\\$&")}[\\s-]*)?0*(\\d+)$`, "i");
  const rows = $$("tr", body).map((tr, at) => ({
    tr, at, text: $$("td:not(.he)", tr).map(c => c.textContent).join(" ").toLowerCase(), number: /(\d+)$/.exec($(".n", tr).textContent)?.[1],
    s: tr.dataset.s, c: tr.dataset.c, up: $("time", tr)?.textContent ?? "", cell: $(".heat", tr), heat: Number.parseInt($(".heat b", tr)?.textContent),
  }));
  // The page holds the heat of the moment that it was made, or places for it. What the sidecar says later
  // takes the same places; a long list asks only when somebody sorts by heat, since the answer is as long.
  const note = $("#heat"), most = 200;
  let order = "", heat = 0, asked = !note;
  const askHeat = async () => {
    if (asked) return;
    asked = true;
    const [status, w] = await ask(form.dataset.api);
    note.dataset.live = status;
    const time = status === 200 && w.freshness.forum, was = $("time", note)?.dateTime;
    if (!time) return;
    if (was && Date.parse(was) > Date.parse(time)) return;
    const of = new Map(w.forum.flatMap(t => (t.proposals ?? []).map(m => [String(m.number), t.activityScore])));
    for (const r of rows) {
      const score = of.get(r.number);
      if (score !== undefined && r.cell) { r.heat = score; setHeat(r.cell, score) }
    }
    heat++;
    note.textContent = `Forum heat as of ${when(time)}`;
    $("#list").classList.remove("nh");
    $("[value=heat]", box.sort).hidden = false;
    apply();
  };
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
    if (v.sort === "heat") askHeat();
    const want = `${v.sort}/${exact ?? ""}/${heat}`;
    if (want !== order) {
      order = want;
      const down = { updated: r => r.up, heat: r => Number.isNaN(r.heat) ? -1 : r.heat }[v.sort] ?? (() => 0);
      const by = (a, b) => down(b) > down(a) ? 1 : down(b) < down(a) ? -1 : a.at - b.at;
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
  if (rows.length <= most) askHeat();
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
