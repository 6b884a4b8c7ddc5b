// Loaded by `mipwatch serve` only: reloads the page when a newer build is served.
const build = new URL(import.meta.url).searchParams.get("build");
const events = new EventSource(`/_mipwatch/events?build=${build}`);
let lost = false;

events.onmessage = () => {
  events.close();
  location.reload();
};
// A server that was started again counts its builds anew.
events.onerror = () => { lost = true; };
events.onopen = () => { if (lost) location.reload(); };
