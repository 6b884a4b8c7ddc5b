// Faults of a page's layout that a reader sees, as sentences. It runs in the page.
(() => {
  const root = document.documentElement, width = root.clientWidth, faults = [];
  for (const d of document.querySelectorAll("details")) d.open = true;
  const describe = e => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + [...e.classList].map(c => "." + c).join("")
    + " “" + e.textContent.trim().replace(/\s+/g, " ").slice(0, 50) + "”";
  const hidden = e => e.closest(".vh, .skip") || e.clientWidth === 1
    || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const clips = o => o !== "visible";
  // How far two boxes overlap. A gap is negative.
  const across = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const down = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);

  if (root.scrollWidth > width) {
    const out = [...document.querySelectorAll("body *")]
      .filter(e => !hidden(e) && Math.round(e.getBoundingClientRect().right) >= root.scrollWidth);
    faults.push(`the page scrolls sideways: ${root.scrollWidth} of ${width} px, by ${describe(out.at(-1) ?? root)}`);
  }

  for (const e of document.querySelectorAll("body *")) {
    if (e.clientWidth === 0 || e.closest("svg, math") || hidden(e)) continue;
    const style = getComputedStyle(e);
    const wide = e.scrollWidth > e.clientWidth + 1, high = e.scrollHeight > e.clientHeight + 1;
    if (wide && ["hidden", "clip"].includes(style.overflowX) && style.textOverflow !== "ellipsis")
      faults.push(`cut at the side without a sign: ${describe(e)}`);
    const shaded = style.backgroundImage !== "none" || style.maskImage !== "none";
    if (wide && ["auto", "scroll"].includes(style.overflowX) && !shaded && !e.classList.contains("vh"))
      faults.push(`scrolls sideways without a sign: ${describe(e)}`);
    if (high && ["hidden", "clip"].includes(style.overflowY) && style.webkitLineClamp === "none")
      faults.push(`cut below without a sign: ${describe(e)}`);
  }

  // Words that a style sheet adds have no boxes that a script could ask for: they become words of the page.
  const sheet = new CSSStyleSheet();
  sheet.insertRule(".probe-before::before, .probe-after::after { content: none !important }");
  document.adoptedStyleSheets.push(sheet);
  const probes = [];
  for (const e of document.querySelectorAll("body *")) {
    for (const side of ["before", "after"]) {
      const style = getComputedStyle(e, "::" + side), words = /^"(.*\w.*)"$/.exec(style.content)?.[1];
      if (!words || style.position === "absolute") continue;
      const span = document.createElement("span");
      span.textContent = words;
      span.style.fontSize = style.fontSize;
      span.style.display = style.display;
      e.classList.add("probe-" + side);
      side === "before" ? e.prepend(span) : e.append(span);
      probes.push(() => { span.remove(); e.classList.remove("probe-" + side) });
    }
  }

  // A box less what the element and those around it clip.
  const clipped = (r, e) => {
    const box = { left: r.left, right: r.right, top: r.top, bottom: r.bottom, clipped: false };
    for (let a = e; a && a !== document.body; a = a.parentElement) {
      const style = getComputedStyle(a);
      if (!clips(style.overflowX) && !clips(style.overflowY)) continue;
      box.clipped = true;
      const c = a.getBoundingClientRect();
      box.left = Math.max(box.left, c.left); box.right = Math.min(box.right, c.right);
      box.top = Math.max(box.top, c.top); box.bottom = Math.min(box.bottom, c.bottom);
    }
    return box;
  };

  // The boxes of all visible text, less what an ancestor clips.
  const boxes = [], range = document.createRange();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, e = node.parentElement;
    // What stays at the edge of the window covers what scrolls below it.
    if (!node.data.trim() || e.closest("math, script, noscript, option, nav.here") || hidden(e)) continue;
    range.selectNodeContents(node);
    for (const r of range.getClientRects()) {
      const box = clipped(r, e), inScroller = box.clipped;
      box.e = node.parentElement;
      // A glyph does not fill the height of its line, and lines of dense text touch.
      const inset = (box.bottom - box.top) / 4;
      box.top += inset; box.bottom -= inset;
      if (box.right - box.left < 2 || box.bottom - box.top < 1) continue;
      if (!inScroller && box.right > width + 1) faults.push(`text beyond the edge: ${describe(e)}`);
      // A menu covers what is below it.
      if (e.closest(".more > div, #more > div")) continue;
      const inline = e => e !== document.body && getComputedStyle(e).display.startsWith("inline");
      box.container = e;
      while (inline(box.container)) box.container = box.container.parentElement;
      boxes.push(box);
    }
  }
  boxes.sort((a, b) => a.top - b.top);
  const shortened = e => {
    const style = getComputedStyle(e);
    return style.textOverflow === "ellipsis" || style.webkitLineClamp !== "none";
  };
  for (const [i, a] of boxes.entries()) {
    for (let j = i + 1; j < boxes.length && boxes[j].top < a.bottom; j++) {
      const b = boxes[j];
      if (down(a, b) <= 1 || a.e === b.e && shortened(a.container)) continue;
      const shared = across(a, b), both = () => `${describe(a.e)} and ${describe(b.e)}`;
      if (shared > 2) faults.push(`two texts overlap: ${both()}`);
      else if (shared > -2 && a.container !== b.container) faults.push(`two texts touch: ${both()}`);
    }
  }
  // Graphics overlap texts as badly.
  for (const g of document.querySelectorAll("svg")) {
    if (hidden(g) || g.querySelector("text")) continue;
    const r = g.getBoundingClientRect();
    for (const b of boxes)
      if (across(r, b) > 2 && down(r, b) > 1) faults.push(`a drawing covers a text: ${describe(b.e)}`);
  }
  for (const remove of probes) remove();
  // Boxes that a reader sees, by a border or a ground of their own, lie within each other or apart.
  const seen = [...document.querySelectorAll("body *")].filter(e => {
    if (hidden(e) || e.closest("svg, nav.here, dialog, .top, #more > div")) return false;
    const style = getComputedStyle(e);
    if (style.position === "absolute" || style.display === "table-row") return false;
    if (style.display.startsWith("inline")) return false;
    return parseFloat(style.borderLeftWidth) && parseFloat(style.borderRightWidth)
      || style.backgroundColor !== "rgba(0, 0, 0, 0)";
  }).map(e => [clipped(e.getBoundingClientRect(), e), e])
    .filter(([r]) => r.right > r.left && r.bottom > r.top)
    .sort((a, b) => a[0].top - b[0].top);
  for (const [i, [a, e]] of seen.entries()) {
    for (let j = i + 1; j < seen.length && seen[j][0].top < a.bottom - 2; j++) {
      const [b, o] = seen[j];
      if (!e.contains(o) && !o.contains(e) && across(a, b) > 2 && down(a, b) > 2)
        faults.push(`two boxes overlap: ${describe(e)} and ${describe(o)}`);
    }
  }
  return [...new Set(faults)];
})()
