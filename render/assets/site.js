// Progressive enhancement only: every page is complete without it. What follows on a kind of page is part of
// the same module, and may use these names.
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

// "/" leads to the search: of this page, or else of the first page
const home = $(".brand").href;
d.addEventListener("keydown", e => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey || e.target.closest?.("input:not([type=radio]),textarea,select,[contenteditable]")) return;
  e.preventDefault();
  const q = $("#q");
  if (q) { q.focus(); q.select() } else location.assign(home + "#q");
});
if (location.hash === "#q") $("#q")?.focus();

// Paper is read later.
(onbeforeprint = () => { $("#printed").textContent = `Printed ${new Date(Date.now()).toUTCString().slice(5, 16)}.` })();
