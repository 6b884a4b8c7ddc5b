// The chain's state of a hard fork: a word for the filter, and the class and the words of a badge or a sentence.
const standing = fork => {
  const all = networks(fork), on = all.filter(n => n[3]).map(n => n[0]), [id, t] = all.filter(n => n[1] && !n[2]).sort((a, b) => a[1] - b[1])[0] ?? [], left = t * 1000 - Date.now();
  return on[0] === all[0][0] ? ["live", "s-final", `Live on ${on[0]}`] : on.length ? ["test", "s-review", `Live on ${on.join(", ")}`]
    : ["ahead", ...id ? ["s-last-call", id[0].toUpperCase() + id.slice(1) + (left > 0 ? ` in ${span(left)}` : " due")] : ["s-draft", "Planned"]];
};
const mark = () => {
  for (const e of $$(".chain")) {
    const [, color, words] = standing(e.dataset);
    // A date follows in a sentence.
    put(e, words + (!e.dataset.dated ? "" : color === "s-final" ? " since" : ","));
    e.className = `${e.classList[0]} chain js ${color}`;
  }
};
mark();
addEventListener("judged", mark);
