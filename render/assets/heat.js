// The liveliness of the discussion. Without an answer the card is not drawn.
const card = $(".fh");
if (card) ask(card.dataset.api).then(([status, t]) => {
  // Styles and tests read whether it is live.
  card.dataset.live = status;
  if (status !== 200) return;
  const f = k => $(`[data-f=${k}]`, card);
  setHeat(card, t.activityScore);
  put(f("posts"), figure(t.posts));
  put(f("participants"), figure(t.participants));
  put(f("last"), `${ago(t.lastPostedAt ?? t.createdAt)} ago`);
  put(f("as"), `As of ${when(t.fetchedAt)}`);
});
// The sidecar's offers for this text.
const acts = $(".acts[data-api]");
if (acts) ask(acts.dataset.api).then(([status, w]) => {
  acts.dataset.live = status;
  for (const e of $$("[data-offer]")) if (w?.ai?.[e.dataset.offer]) e.classList.remove("live");
});
