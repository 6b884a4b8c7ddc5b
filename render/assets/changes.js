// Changes: the style sheet shows the chosen kind, and this script one proposal. The address has both.
const form = $("#choice"), box = form?.elements, none = $("#none");
if (form) {
  const years = $$("#years a").slice(1), newest = !years.some(a => a.ariaCurrent);
  // The changes of one proposal are on the pages of all years.
  let reading = null;
  const read = () => reading ??= Promise.all(years.map(async a => {
    const page = new DOMParser().parseFromString(await (await fetch(a.href)).text(), "text/html");
    return $$("#changes > *", page);
  })).then(all => $("#changes").replaceChildren(...all.flat()), () => { reading = null });
  const draw = async () => {
    const of = box.proposal.value.trim().toLowerCase(), exact = /^([a-z][a-z\d]*-)?\d+$/.test(of);
    if (of) form.dataset.of = of; else delete form.dataset.of; // the numbers are those of all proposals
    if (of && newest) await read();
    for (const li of $$("#changes li:not(:has(li))")) {
      const id = $(".of", li)?.textContent.split(" ")[0].toLowerCase();
      li.hidden = of && (exact ? id !== of && !id?.endsWith(`-${of}`) : !li.textContent.toLowerCase().includes(of));
    }
    for (const e of $$("#changes details")) {
      e.parentElement.hidden = !$("li:not([hidden])", e);
      e.open = Boolean(of || box.kind.value);
    }
    none.hidden = $$("#changes section").some(e => e.checkVisibility());
    for (const a of years) a.search = location.search;
  };
  const restore = () => {
    const was = new URLSearchParams(location.search);
    box.kind.value = was.get("kind") ?? "";
    if (!box.kind.value) box.kind[0].checked = true;
    box.proposal.value = was.get("proposal") ?? "";
    return draw();
  };
  const choose = kept => {
    const to = new URL(location);
    for (const k of ["kind", "proposal"]) {
      const value = box[k].value.trim();
      if (value) to.searchParams.set(k, value); else to.searchParams.delete(k);
    }
    if (to.href !== location.href) history[kept ? "pushState" : "replaceState"](null, "", to);
    return draw();
  };
  form.addEventListener("input", e => choose(e.target.type === "radio"));
  form.addEventListener("submit", e => { e.preventDefault(); choose(true) });
  addEventListener("popstate", restore);
  // Everything that the address excludes was hidden until here, so that nothing moves.
  (location.search ? restore() : Promise.resolve()).finally(() => { delete root.dataset.q });
}
