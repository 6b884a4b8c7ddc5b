// The dashboard's live figures. Only texts, links and the width of bars change, so nothing moves; a figure
// that cannot be renewed stays, with its age.
const board = d.getElementById("now");
const every = 6000, num = new Intl.NumberFormat("en");
let last = null, failed = "", timer = 0, controller = null;

const put = (e, text) => { if (e && e.textContent !== text) e.textContent = text };
const ago = time => {
  if (!time) return "";
  const s = Math.max(0, Math.floor((Date.now() - Date.parse(time)) / 1000));
  return s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min` : s < 86400 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
};
const figure = n => n == null ? "unknown" : num.format(n);
// The words of a source: fresh, old or down, never by colour alone.
const source = (key, state, text) => {
  const li = board.querySelector(`[data-source="${key}"]`);
  if (!li) return;
  li.className = state;
  put(li.querySelector("span"), text);
};
const problems = { upstream_timeout: "takes too long", upstream_unavailable: "does not answer" };

const show = w => {
  for (const card of $$("[data-network]", board)) {
    const id = card.dataset.network, n = w.networks[id];
    if (!n) continue;
    const f = k => card.querySelector(`[data-f=${k}]`);
    put(f("height"), figure(n.blockHeight));
    put(f("finalized"), figure(n.finalizedHeight));
    put(f("block"), n.blockTime ? `${ago(n.blockTime)} ago` : "unknown");
    put(f("note"), n.regressed ? "lower than seen before" : n.status === "ok" ? "producing" : n.status === "stale" && !n.error ? "stands still" : n.status === "stale" ? "last known" : "unknown");
    source(id, n.status === "ok" ? "ok" : n.status === "stale" ? "old" : "down", n.status === "ok" ? `${ago(n.fetchedAt)} old` : n.fetchedAt ? `old, ${ago(n.fetchedAt)}` : problems[n.error] ?? "does not answer");
  }
  const topics = new Map(w.mips.filter(m => m.forumTopicId).map(m => [m.forumTopicId, m]));
  $$("[data-topic]", board).forEach((row, i) => {
    const t = w.forum[i], m = t && topics.get(t.topicId);
    row.hidden = !t && w.forum.length > 0;
    if (!t) return;
    const [a, replies, when, heat] = ["a", "[data-f=replies]", "[data-f=last]", "[data-f=heat]"].map(s => row.querySelector(s));
    a.href = m ? m.url : t.url;
    put(a, m ? `${m.id} ${m.title.replaceAll("`", "")}` : t.title);
    put(replies, figure(t.replies));
    put(when, `${ago(t.lastPostedAt ?? t.createdAt)} ago`);
    put(heat, String(t.activityScore));
    row.querySelector(".fil").setAttribute("width", t.activityScore);
  });
  const error = w.errors.forum;
  source("forum", !error ? "ok" : w.freshness.forum ? "old" : "down", !error ? w.freshness.forum ? `${ago(w.freshness.forum)} old` : "no topic" : w.freshness.forum ? `old, ${ago(w.freshness.forum)}` : problems[error] ?? "does not answer");
  for (const tag of $$("[data-fork]")) put(tag, w.hardforks.find(h => h.name === tag.dataset.fork)?.status ?? tag.textContent);
  const list = d.getElementById("disagree");
  if (list) list.replaceChildren(...(w.discrepancies.length ? w.discrepancies.map(x => x.message) : ["Nothing: texts and chains agree."]).map(text => Object.assign(d.createElement("li"), { textContent: text })));
};

const fail = text => {
  for (const li of $$("[data-source]", board)) { li.className = last ? "old" : "down"; put(li.querySelector("span"), text) }
  if (text !== failed) put(d.getElementById("live"), `Live figures: ${text}`);
  failed = text;
};

// ask renews the figures and says in how many milliseconds to ask again; 0: never.
const ask = async () => {
  controller = new AbortController();
  const limit = setTimeout(() => controller.abort(), 10000);
  try {
    const r = await fetch(board.dataset.api, { signal: controller.signal, headers: { Accept: "application/json" } });
    if (r.status === 404) { fail("not offered on this site"); return 0 }
    if (!r.ok) { fail("no answer"); return Math.max(every, 1000 * (Number(r.headers.get("Retry-After")) || 0)) }
    last = await r.json();
    failed = "";
    show(last);
  } catch {
    if (!d.hidden) fail("no answer");
  } finally { clearTimeout(limit) }
  return every;
};
const loop = async () => {
  const wait = await ask();
  if (wait && !d.hidden) timer = setTimeout(loop, wait); else timer = 0;
  if (!wait) stopped = true;
};
let stopped = false;
if (board) {
  d.addEventListener("visibilitychange", () => {
    if (d.hidden) { clearTimeout(timer); timer = 0; controller?.abort() } else if (!timer && !stopped) loop();
  });
  loop();
}
