// The chain's state of a hard fork: a word for the filter, and the class and the words of a badge or a sentence.
const standing = fork => {
  const all = networks(fork), on = all.filter(n => n[3]).map(n => n[0]);
  if (on[0] === all[0][0]) return ["live", "s-final", `Live on ${on[0]}`];
  if (on.length) return ["test", "s-review", `Live on ${on.join(", ")}`];
  const [next] = all.filter(n => n[1] && !n[2]).sort((a, b) => a[1] - b[1]);
  if (!next) return ["ahead", "s-draft", "Planned"];
  const [id, t] = next, left = t * 1000 - Date.now();
  return ["ahead", "s-last-call", id[0].toUpperCase() + id.slice(1) + (left > 0 ? ` in ${span(left)}` : " due")];
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
