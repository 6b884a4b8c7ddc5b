// The proposal whose number is in an address that leads nowhere.
const offer = $("#offer");
const number = location.pathname.match(/\d+/g)?.at(-1)?.replace(/^0+(?=.)/, "");
if (offer && number) ask(`${offer.dataset.api}${number}.json`).then(([status, m]) => {
  offer.dataset.live = status;
  if (status !== 200) return;
  const a = d.createElement("a");
  a.href = `${offer.dataset.pages}${number}/`;
  a.textContent = m.title === m.id ? m.id : `${m.id}: ${m.title.replaceAll("`", "")}`;
  offer.replaceChildren("Did you mean ", a, "?");
});
