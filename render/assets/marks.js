// The chain's state of a hard fork: a word for the filter, and the class and the words of a badge.
const standing = fork => {
  const all = networks(fork), on = all.filter(n => n[3]).map(n => n[0]), left = Math.min(...all.filter(n => n[1] && !n[2]).map(n => n[1])) * 1000 - Date.now();
  return on[0] === all[0][0] ? ["live", "s-final", `Live on ${on[0]}`] : on.length ? ["test", "s-review", `Live on ${on.join(", ")}`]
    : ["ahead", ...left < Infinity ? ["s-last-call", left > 0 ? `In ${span(left)}` : "Due"] : ["s-draft", "Planned"]];
};
const mark = () => {
  for (const e of $$(".chain")) {
    const [, color, words] = standing(e.dataset);
    put(e, words);
    e.className = `b chain js ${color}`;
  }
};
mark();
addEventListener("judged", mark);
