// The list and the drawings by words, which are in the address.
const field = $("#q"), lines = $$(".rel tbody tr");
const seek = () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = e => words.every(w => e.textContent.toLowerCase().includes(w));
  for (const l of lines) l.hidden = !has(l);
  for (const a of $$(".graphs a")) a.classList.toggle("off", !has(a));
  const n = lines.filter(l => !l.hidden).length;
  put($("#found"), words.length ? `${n} of ${lines.length}` : "");
  say($("#found").textContent);
  const to = new URL(location);
  if (words.length) to.searchParams.set("q", field.value); else to.searchParams.delete("q");
  history.replaceState(null, "", to);
};
if (field) {
  field.addEventListener("input", seek);
  field.value ||= new URLSearchParams(location.search).get("q") ?? "";
  if (field.value) seek();
}
