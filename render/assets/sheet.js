// Loaded when a phone's reader scrolls: a bar shows the section, and leads to the contents and to the top.
export const run = list => {
  const d = document, make = (tag, props) => Object.assign(d.createElement(tag), props);
  const bar = make("nav", { className: "here", hidden: true, ariaLabel: "Place in the text" }), here = make("span");
  const sheet = make("dialog", { className: "sheet", ariaLabel: "On this page" });
  const open = make("button"), read = make("progress", { max: 100, ariaLabel: "Reading progress in percent" });
  open.append(make("b", { textContent: "Contents" }), here);
  bar.append(read, open, make("a", { href: "#main", textContent: "Top" }));
  d.body.append(bar, sheet);
  open.addEventListener("click", () => {
    const close = make("button", { className: "btn s", textContent: "Close" });
    sheet.replaceChildren(close, make("h2", { textContent: "On this page" }), list.cloneNode(true));
    sheet.showModal();
  });
  sheet.addEventListener("click", e => { if (e.target === sheet || e.target.closest("a,button")) sheet.close() });
  const text = d.getElementById("text"), place = () => {
    const r = text.getBoundingClientRect();
    bar.hidden = r.top > innerHeight / 2;
    read.value = Math.round(Math.min(1, Math.max(0, -r.top / Math.max(1, r.height - innerHeight))) * 100);
    here.textContent = list.querySelector("[aria-current]")?.textContent ?? "";
  };
  place();
  addEventListener("scroll", place, { passive: true });
};
