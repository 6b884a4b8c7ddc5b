// The proposal whose number is in an unknown address.
const offer = $("#offer");
const number = location.pathname.match(/\d+/g)?.at(-1)?.replace(/^0+(?=.)/, "");
// The address of another kind than the main one has the prefix before the number.
const named = k => new RegExp(`\\b${k}s?[-_/]+0*${number}(?!\\d)`, "i").test(location.pathname);
const kind = offer?.dataset.kinds.split(" ").find(k => k && named(k));
if (offer && number) ask(`${offer.dataset.api}${kind ? `${kind}-` : ""}${number}.json`).then(([status, m]) => {
  offer.dataset.live = status;
  if (status !== 200) return;
  const a = d.createElement("a");
  a.href = new URL(m.url).pathname;
  a.textContent = m.title === m.id ? m.id : `${m.id}: ${m.title.replaceAll("`", "")}`;
  offer.replaceChildren("Did you mean ", a, "?");
});
