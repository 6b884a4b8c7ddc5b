// Upgrades by the chains' own time, on a page that shows some and requests nothing else.
const asks = $(".forks");
const askForks = async () => {
  if (d.hidden || asks.dataset.live === "404") return;
  const [status, w] = await ask(asks.dataset.api);
  asks.dataset.live = status;
  if (!w) return;
  judge(w.hardforks);
  dispatchEvent(new CustomEvent("answered", { detail: w }));
};
if (asks) { askForks(); setInterval(askForks, 60000) }
