// Loaded only by `mipwatch serve`: reloads the page when a newer build is served.
const shown = new URL(import.meta.url).searchParams.get("edition");

setInterval(async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch("/_mipwatch/edition");
    if (answer.ok && await answer.text() !== shown) location.reload();
  } catch {
    // The server is not running. Its next build has another name.
  }
}, 500);
