// ask sends a request to the sidecar and returns status (0: no answer), answer and Retry-After. Requests run one at a
// time, in order.
let worker = null, asked = Promise.resolve();
const ask = url => asked = asked.then(() => new Promise(done => {
  worker ??= new Worker($("script").src);
  // A terminated worker may have answered before.
  const mine = worker;
  mine.onmessage = e => { if (mine === worker) done(e.data) };
  mine.onerror = () => done([0]);
  mine.postMessage(new URL(url, location).href);
}));
const figure = n => n == null ? "–" : n.toLocaleString("en");
const when = time => new Date(time).toLocaleString("en-GB", {
  day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit",
  timeZone: "UTC", timeZoneName: "short",
});
const ago = time => {
  const ms = Math.max(0, Date.now() - Date.parse(time));
  return ms < 6e4 ? `${Math.floor(ms / 1000)} s` : span(ms);
};
const setHeat = (e, n) => { $(".fil", e).setAttribute("d", `M0 5h${n}`); put($("b", e), String(n)) };
