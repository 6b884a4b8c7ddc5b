(() => {
  const all = [...document.querySelectorAll("a[href], button, summary, input")].filter((e) => e.checkVisibility());
  const targets = all.map((e) => ({ e, r: e.getBoundingClientRect() })).filter((t) => t.r.width && t.r.height);
  const small = targets.filter((t) => t.r.width < 24 || t.r.height < 24);
  const middle = (r) => [r.left + r.width / 2, r.top + r.height / 2];
  const near = (t, o) => {
    const [x, y] = middle(t.r);
    if (small.includes(o)) {
      const [u, v] = middle(o.r);
      return Math.hypot(x - u, y - v) < 24;
    }
    const dx = Math.max(o.r.left - x, 0, x - o.r.right);
    const dy = Math.max(o.r.top - y, 0, y - o.r.bottom);
    return Math.hypot(dx, dy) < 12;
  };
  const size = ({ r }) => `${Math.round(r.width)} by ${Math.round(r.height)}`;
  return small.filter((t) => t.e.closest(".side, .facts, .row")).flatMap((t) => targets
    .filter((o) => o !== t && !o.e.contains(t.e) && near(t, o))
    .map((o) => `${t.e.textContent} of ${size(t)} beside ${o.e.textContent}`));
})()
