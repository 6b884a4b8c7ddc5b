// filters: their state is the address, which is replaced and not pushed, so that Back leaves
const form = $("#filters");
if (form) {
  const keys = ["q", "status", "category", "sort"], box = form.elements, body = $("#list tbody");
  const id = new RegExp(`^(?:${form.dataset.prefix.replace(/\W/g, "\\$&")}[\\s-]*)?0*(\\d+)$`, "i");
  const rows = $$("tr", body).map((tr, at) => ({
    tr, at, text: tr.textContent.toLowerCase(), number: /(\d+)$/.exec($(".n", tr).textContent)?.[1],
    s: tr.dataset.s, c: tr.dataset.c, up: $("time", tr)?.textContent ?? "",
  }));
  let order = "", heat = "";
  // Heat is live: it is asked for when somebody sorts by it, and shown with the time at which it was true.
  const askHeat = async () => {
    if (heat) return;
    heat = "asked";
    const note = $("#heat"), cell = (tr, tag, more) => tr.appendChild(Object.assign(d.createElement(tag), { className: "r he", ...more }));
    // The column is there from now on, so that nothing moves when its figures come.
    const column = [cell($("#list thead tr"), "th", { textContent: "Heat", scope: "col" }), ...rows.map(x => cell(x.tr, "td", { textContent: "…" }))];
    try {
      const r = await fetch(form.dataset.api);
      if (!r.ok) throw r;
      const w = await r.json(), time = w.freshness.forum;
      if (!time) throw r;
      const scores = new Map(w.forum.map(t => [t.topicId, t.activityScore])), of = new Map(w.mips.map(m => [String(m.number), scores.get(m.forumTopicId)]));
      rows.forEach((x, i) => { column[i + 1].textContent = (x.heat = of.get(x.number)) ?? "" });
      heat = time;
      note.textContent = `Forum heat as of ${new Date(time).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
      apply();
    } catch {
      for (const c of column) c.remove();
      note.textContent = "Forum heat is not to be had now";
    }
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
      const down = { updated: r => r.up, heat: r => r.heat ?? -1 }[v.sort] ?? (() => 0);
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
