// Progressive enhancement only: every page is complete without it. The scripts of other kinds of pages are part of the
// same module, and may use these names.
const d = document, root = d.documentElement;
const $ = (s, r = d) => r.querySelector(s), $$ = (s, r = d) => [...r.querySelectorAll(s)];
const say = text => { $("#live").textContent = text };

// theme
const theme = root.dataset.theme || "auto";
for (const i of $$("input[name=theme]")) {
  i.checked = i.value === theme;
  i.addEventListener("change", () => {
    if (i.value === "auto") delete root.dataset.theme; else root.dataset.theme = i.value;
    themeColor(i.value);
    // Storage may be forbidden.
    try { localStorage.setItem("theme", i.value) } catch {}
  });
}

// A module for searching texts is loaded when a reader turns to a search field; "/" focuses the page's field
for (const form of $$($("#filters") ? ".seek" : ".find,.seek"))
  form.addEventListener("focusin", () => import(form.dataset.run).then(m => m.search(form)));
d.addEventListener("keydown", e => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.closest?.("input:not([type=radio]),select")) return;
  e.preventDefault();
  const q = $("#q") ?? $("#find");
  q.focus();
  q.select();
});

// Paper is read later.
(onbeforeprint = () => { $("#printed").textContent = `Printed ${new Date(Date.now()).toUTCString().slice(5, 16)}.` })();
