// The dashboard's live figures. Only texts, links and the length of lines change, in places of fixed size, so nothing
// moves. A figure that cannot be refreshed stays, with its age.
const board = $("#now[data-api]");
let timer, stopped;

// The state of a source in words: fresh, old or down, never only by color. Figures stay once known.
const source = (li, ok, at, why) => {
  at ??= li.dataset.at;
  if (at) li.dataset.at = at;
  // Figures of the forum are cached for five minutes, and take a little longer to arrive.
  const fresh = ok && Date.now() - Date.parse(at) <= (li.dataset.source === "forum" ? 420000 : 120000);
  li.className = fresh ? "ok" : at ? "old" : "down";
  put($("span", li), fresh ? `${ago(at)} old` : !at ? why : `old, ${ago(at)}${ok || !why ? "" : `: ${why}`}`);
};
const reason = code => code === "upstream_timeout" ? "too slow" : "no answer";

// The line of a network is milliseconds per block between observed heads, a few heads apart, since a chain has whole
// seconds.
const seen = {}, apart = 4, kept = 40;
const draw = (id, recent, card) => {
  const s = seen[id] ??= [];
  for (const h of recent)
    if (!s.length || h.blockHeight > s.at(-1)[0]) s.push([h.blockHeight, Date.parse(h.blockTime)]);
  s.splice(0, s.length - kept);
  const ms = s.slice(apart).map(([h, t], i) => (t - s[i][1]) / (h - s[i][0]));
  const pace = $("[data-f=pace]", card);
  if (ms.length < 2) return put(pace, "–");
  const low = Math.round(Math.min(...ms)), high = Math.round(Math.max(...ms));
  // From 0 to twice the declared block time, or else the mean.
  const middle = card.dataset.pace * 1000 || ms.reduce((a, b) => a + b) / ms.length;
  const line = ms.map((v, i) => [300 * i / (ms.length - 1), 40 - 20 * Math.min(2, v / middle)]
    .map(n => n.toFixed(1)).join(" ")).join("L");
  const [area, path] = $$(".spark path", card);
  path.setAttribute("d", `M${line}`);
  area.setAttribute("d", `M${line}L300 40L0 40Z`);
  put(pace, `${low}${high > low ? ` to ${high}` : ""} ms`);
};

const show = w => {
  for (const card of $$("[data-network]", board)) {
    const id = card.dataset.network, n = w.networks[id], f = k => $(`[data-f=${k}]`, card);
    if (!n) continue;
    const known = n.status === "ok" || n.status === "stale" && !n.error;
    source($(`[data-source="${id}"]`), known, n.fetchedAt, n.error ? reason(n.error) : "");
    if (n.blockHeight == null) continue;
    put(f("height"), figure(n.blockHeight));
    put(f("finalized"), figure(n.finalizedHeight));
    put(f("block"), n.blockTime ? `${ago(n.blockTime)} ago` : "–");
    const good = n.status === "ok" && !n.regressed;
    put(f("note"), good ? "Producing" : n.regressed ? "Lower than before" : n.error ? "Last known" : "Not advancing");
    f("note").className = good ? "b s-final" : "b s-last-call";
    draw(id, n.recent ?? [], card);
  }
  const forum = $("[data-source=forum]"), why = w.errors.forum;
  if (forum) source(forum, !why, w.freshness.forum, why ? reason(why) : "no topic");
  if (w.forum.length) $$("[data-topic]", board).forEach((row, i) => {
    const t = w.forum[i], m = t?.proposals?.[0], a = $("a", row), f = k => $(`[data-f=${k}]`, row);
    put(f("replies"), t ? figure(t.replies) : "");
    if (!t) return;
    a.href = m ? `../${m.id.toLowerCase().replace("-", "/")}/` : t.url;
    put(a, m ? `${m.id} ${m.title.replaceAll("`", "")}` : t.title);
    put(f("last"), `${ago(t.lastPostedAt ?? t.createdAt)} ago`);
    setHeat(row, t.activityScore);
  });
  judge(w.hardforks);
  put($("#compared"), `As of ${when(w.freshness.hardforks)}`);
};

const loop = async () => {
  const [status, w, wait] = await ask(board.dataset.api), ok = status === 200;
  if (ok) show(w); else for (const li of $$("[data-source]", board)) source(li, false, null, "no answer");
  // Only 404 means that there is no sidecar. A sidecar without figures still counts as one.
  const silent = $("#silent"), { hidden } = silent;
  silent.hidden = status === 404 || !!$(".src :is(.ok,.old)");
  if (hidden && !silent.hidden) say(silent.textContent);
  // An empty place takes no room, unless there are answers and the content that it would push is painted already.
  if (!ok || getComputedStyle($(".grid")).visibility === "hidden") root.dataset.asked = "";
  stopped = status === 404;
  if (!stopped && !d.hidden) timer = setTimeout(loop, Math.max(6000, wait * 1000 || 0));
};
if (board) {
  d.addEventListener("visibilitychange", () => {
    if (stopped) return;
    clearTimeout(timer);
    worker?.terminate();
    worker = null;
    asked = Promise.resolve();
    if (!d.hidden) loop();
  });
  loop();
}
