// The first page has the beginning of the list, and the present heat. The choice among all proposals is loaded when a
// reader turns to it, or an address contains a choice.
const form = $("#filters");
if (form) {
  const box = form.elements, keys = [...box].map(e => e.name).filter(Boolean);
  const table = $("#list"), body = table.tBodies[0], blank = $("#blank").content.firstElementChild, note = $("#heat");

  const heats = new Map(); // by id, once the sidecar has answered
  const showHeat = tr => {
    const e = $(".heat", tr), n = heats.get($(".n", tr).textContent);
    if (e && n !== undefined) setHeat(e, n);
  };
  // The upgrade in force on the main network, of which the oldest possible one is first, and the open calls.
  const current = $$(".current"), calls = $$(".call");
  const now = () => {
    const on = c => networks(c.dataset)[0][2], at = current.findLast(on) ?? current[0];
    for (const c of current) c.hidden = c !== at;
    if (at) put($("h2", at), `${on(at) ? "Live" : "First"} on ${networks(at.dataset)[0][0]}`);
    for (const c of calls) c.hidden = closed($("[data-until]", c));
    for (const c of $$(".calm")) c.hidden = calls.some(c => !c.hidden);
  };
  now();
  addEventListener("judged", now);
  let asked = !note, choosing = null, changed = () => {};
  const askHeat = async () => {
    if (asked) return;
    asked = true;
    const [status, w] = await ask(form.dataset.api);
    note.dataset.live = status;
    if (status === 200) judge(w.hardforks);
    const time = status === 200 && w.freshness.forum;
    if (!time) return;
    for (const t of w.forum) for (const m of t.proposals ?? []) heats.set(m.id, t.activityScore);
    for (const tr of body.rows) showHeat(tr);
    await choosing;
    await changed();
    note.textContent = `Forum heat as of ${when(time)}`;
    table.classList.remove("nh");
    option.hidden = false;
  };
  // The answer for a long list is long, so only sorting by heat requests it.
  const most = 200;
  const option = $("[value=heat]", box.sort);
  if (form.dataset.all <= most) askHeat();
  else if (option) ask(form.dataset.api.replace("=forum", "=ai")).then(([status, w]) => {
    option.hidden = status !== 200;
    if (status === 200) judge(w.hardforks);
  });

  // restore sets the form from the address, and returns whether there is a choice.
  const heads = $$("th button", table);
  const restore = () => {
    const was = new URLSearchParams(location.search);
    offer(was.get("sort") ?? "");
    for (const k of keys) box[k].value = was.getAll(k).join(",");
    return keys.some(k => box[k].value);
  };
  // A column can be sorted in both orders, and the form shows which.
  const offer = sort => {
    const b = heads.find(b => `-${b.parentElement.dataset.sort}` === sort);
    const offered = [...box.sort.options].some(o => o.value === sort);
    if (b && !offered) box.sort.add(new Option(`${b.textContent}, reversed`, sort));
  };
  const choose = () => choosing ??= import(form.dataset.run).then(async m => {
    changed = await m.choose({
      form, keys, box, table, body, blank, heads, chips, heats,
      showHeat, askHeat, setHeat, restore, offer, say, put, figure, standing, judge,
    });
    chosen = true;
  }).catch(() => { choosing = null; delete form.dataset.wait; say("Not loaded") });
  const chips = $$(".life [data-status]");
  let chosen = false;
  for (const c of chips) {
    c.role = "button";
    c.ariaPressed = "false";
    c.addEventListener("keydown", e => { if (e.key === " ") { e.preventDefault(); c.click() } });
  }
  for (const b of heads) b.disabled = false;
  for (const e of [...chips, ...heads]) e.addEventListener("click", async event => {
    if (chosen || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    await choose();
    if (chosen) e.click();
  });
  for (const e of [form, table.tHead, $(".life")])
    for (const type of ["focusin", "pointerover", "input"]) e.addEventListener(type, choose, { once: true });
  if (restore()) { form.dataset.on = root.dataset.q; form.dataset.wait = ""; choose() }
  // The controls of a choice in the address were visible until here, so that nothing moves.
  delete root.dataset.q;
}
