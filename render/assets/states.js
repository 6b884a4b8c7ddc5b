// A page contains dates and nothing that time makes false: the reader's clock gives the time left, and the next
// upgrade. A sidecar's answer, by the chains' own time, takes precedence.
const put = (e, text) => { if (e && e.textContent !== text) e.textContent = text };
const day = 86400;
const span = ms => {
  const s = Math.abs(ms) / 1000;
  const [size, unit] = s < 3600 ? [60, "minute"] : s < day ? [3600, "hour"] : s < 60 * day ? [day, "day"]
    : s < 730 * day ? [30.44 * day, "month"] : [365.25 * day, "year"];
  const n = Math.floor(s / size) || 1;
  return `${n} ${unit}${n > 1 ? "s" : ""}`;
};
// The forks as the chains have them.
const said = Object.create(null);
const active = (fork, id, t) => {
  const s = said[fork]?.status;
  return s ? s === "active" || s.slice(10).split(", ").includes(id) : t && t * 1000 <= Date.now();
};
// A fork's networks: [id, Unix time or nothing, whether it is active, whether it or a later one is].
const networks = ({ fork, at }) => at.split(" ").map(pair => {
  const [id, t, later] = pair.split(/[=~]/), on = active(fork, id, t);
  return [id, t, on, on || active(said[fork]?.activation?.[id]?.followedBy?.hardfork, id, later)];
});
// A deadline includes its day.
const closed = ({ dataset }) => Date.parse(dataset.until) + day * 1000 <= Date.now();
const judge = (forks = []) => {
  for (const f of forks) said[f.name] = f;
  for (const e of $$(".age")) {
    // A deadline includes its day.
    const { until } = e.dataset, [[, t, on]] = until ? [[]] : networks(e.dataset);
    const left = (until ? Date.parse(until) + day * 1000 : t * 1000) - Date.now(), far = span(left);
    put(e, on ? left > 0 ? "active" : `active for ${far}`
      : left > 0 ? `in ${far}` : until ? `passed ${far} ago` : "due");
  }
  // Open calls for comments come first.
  for (const e of $$(".closing [data-until]")) if (closed(e)) $("tbody").append(e.closest("tr"));
  for (const e of $$(".tense")) put(e, e.dataset[networks(e.dataset).every(n => n[3]) ? "past" : "now"]);
  for (const e of $$(".undated")) put(e, networks(e.dataset)[0][3] ? "not on its own here" : "no date yet");
  for (const e of $$(".state")) {
    const all = networks(e.dataset), on = all.filter(n => n[2]).map(n => n[0]), timed = all.filter(n => n[1]);
    const card = e.closest(".next"), passed = !timed.length && all.every(n => n[3]);
    put(e, said[e.dataset.fork]?.status ?? (passed ? "not on its own" : !timed.length ? "planned"
      : !on.length ? "scheduled" : on.length === all.length ? "active" : `active on ${on.join(", ")}`));
    let current = true;
    for (const li of card ? $$("[data-step]", card) : $$(".strip [data-step]")) {
      const [, , done, passed] = all.find(n => n[0] === li.dataset.step), now = current && !passed;
      li.className = done ? "s-final done" : now ? "s-last-call" : "s-draft";
      li.ariaCurrent = now ? "step" : null;
      current &&= passed;
    }
  }
  // Of the possible next upgrades, newest first, the next is the one with the soonest time, or else one without a time.
  let next, soonest = Infinity;
  for (const e of $$(".next[data-at]")) {
    const all = networks(e.dataset), timed = all.filter(n => n[1]);
    const left = all.filter(n => timed.length ? n[1] && !n[2] : !n[3]);
    const first = Math.min(...left.map(n => n[1] || Infinity));
    if (left.length && first <= soonest) [next, soonest] = [e, first];
  }
  for (const e of $$("[data-holds]")) e.hidden = !networks(e.dataset)[0][2] == e.dataset.holds;
  for (const c of $$(".next")) c.hidden = c !== (next ?? $(".next"));
  put($(".next:not([hidden]) h2"), next ? "Next upgrade" : "Latest upgrade (no next one announced)");
  dispatchEvent(new CustomEvent("judged", { detail: !next }));
};
judge();
setInterval(() => judge(), 6e4);
