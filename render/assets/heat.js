// How lively the discussion is now, in the places of what it was when the page was made. Without an answer, or
// with an older one, everything stays.
const card = $(".fh");
if (card) ask(card.dataset.api).then(([status, t]) => {
  card.dataset.live = status; // whether it is, for styles and for who watches
  const f = k => $(`[data-f=${k}]`, card), was = $("time", f("as"))?.dateTime;
  if (status !== 200 || was && Date.parse(was) > Date.parse(t.fetchedAt)) return;
  setHeat(card, t.activityScore);
  put($(".facts [data-f=score]"), String(t.activityScore));
  put(f("posts"), figure(t.posts));
  put(f("participants"), figure(t.participants));
  put(f("last"), `${ago(t.lastPostedAt ?? t.createdAt)} ago`);
  put(f("as"), `As of ${when(t.fetchedAt)}`);
});
// What the sidecar can make of this text.
const acts = $(".acts[data-api]");
if (acts) ask(acts.dataset.api).then(([status, w]) => {
  acts.dataset.live = status;
  for (const e of $$("[data-offer]")) if (w?.ai?.[e.dataset.offer]) e.classList.remove("live");
});
