// The first page has the beginning of the list, and the present heat. The choice among all proposals is loaded when a
// reader turns to it, or an address contains a choice.
const form = $("#filters");
if (form) {
  // The header's field searches the list.
  const find = $("#find");
  find.setAttribute("form", form.id);
  const box = form.elements, keys = [...box].map(e => e.name).filter(Boolean);
  const table = $("#list"), body = table.tBodies[0], blank = $("#blank").content.firstElementChild, note = $("#heat");

  const heats = new Map(); // by id, once the sidecar has answered
  const showHeat = tr => {
    const e = $(".heat", tr), n = heats.get($(".n", tr).textContent);
    if (e && n !== undefined) setHeat(e, n);
  };
  // The upgrade in force on the main network, of which the oldest possible one is first, and the open calls.
  const current = $$(".current"), calls = $$(".call");
  const now = ({ detail: over }) => {
    const on = c => networks(c.dataset)[0][2], at = current.findLast(on) ?? current[0];
    for (const c of current) c.hidden = c !== at;
    if (at) put($("h2", at), `${on(at) ? "Live" : "First"} on ${networks(at.dataset)[0][0]}`);
    if (at && on(at)) put($("span", at), "since");
    const call = calls.find(c => !closed(c));
    for (const c of calls) c.hidden = c !== call;
    $(".calm").hidden = !!call;
    // Without a next upgrade the latest one is named already.
    for (const c of $$(".over")) c.hidden = !over;
    for (const c of $$(".next")) c.hidden ||= over;
  };
  addEventListener("judged", now);
  judge();
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
    note.textContent = `Heat as of ${when(time)}`;
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
      form, find, keys, box, table, body, blank, heads, chips, every, heats,
      showHeat, askHeat, setHeat, restore, offer, say, put, figure, standing, judge,
    });
    chosen = true;
  }).catch(() => { choosing = null; delete form.dataset.wait; say("Not loaded") });
  const chips = $$(".life [data-status]"), every = $("#all");
  let chosen = false;
  every.ariaCurrent = null;
  for (const c of [every, ...chips]) {
    c.role = "button";
    c.ariaPressed = c === every;
    c.addEventListener("keydown", e => { if (e.key === " ") { e.preventDefault(); c.click() } });
  }
  for (const b of heads) b.disabled = false;
  for (const e of [every, ...chips, ...heads]) e.addEventListener("click", async event => {
    if (chosen || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    await choose();
    if (chosen) e.click();
  });
  for (const e of [form, find, table.tHead])
    for (const type of ["focusin", "pointerover", "input"]) e.addEventListener(type, choose, { once: true });
  if (restore()) { form.dataset.on = ""; form.dataset.wait = ""; choose() }
  // The controls of a choice in the address were visible until here, so that nothing moves.
  delete root.dataset.q;
}
