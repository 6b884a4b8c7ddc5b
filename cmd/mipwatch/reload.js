// Loaded by `mipwatch serve` only: reloads the page when a newer build is served.
const build = new URL(import.meta.url).searchParams.get("build");
let events, lost = false;

function listen() {
  events = new EventSource(`/_mipwatch/events?build=${build}`);
  events.onmessage = () => {
    events.close();
    location.reload();
  };
  // A server that was started again counts its builds anew.
  events.onerror = () => { lost = true; };
  events.onopen = () => { if (lost) location.reload(); };
}

listen();
// A page that the browser keeps for its Back button must not hold one of the six connections to a host.
addEventListener("pagehide", () => events.close());
addEventListener("pageshow", e => { if (e.persisted) listen(); });
