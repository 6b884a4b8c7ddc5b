// Loaded when a reader turns to a field for searching. It ranks as internal/search does, from the same files: a list of
// proposals, parts of an index by the first words in them, titles, and the texts of the best for what is shown of them.
const letters = "!#$%'()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";
const radix = letters.length, single = 64, escape = radix - 1, double = single + (escape - single) * radix;
const digits = new Map([...letters].map((c, i) => [c, i]));

// words of a text: each run of letters, digits and underscores, and behind it its parts.
const run = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{Nd}\p{M}_])+/gu;
const fold = s => s.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const kept = s => { const n = [...s].length; return n > 1 && n < 33 && (n < 9 || /\p{L}/u.test(s)) };
const singular = s => !/^[a-z]{4,}$/.test(s) || !s.endsWith("s") || /[sui]s$/.test(s) ? s
  : s.length > 4 && s.endsWith("ies") ? s.slice(0, -3) + "y"
  : /(?:ch|sh|ss|x|z)es$/.test(s) ? s.slice(0, -2) : s.slice(0, -1);
const kind = c => !c ? "" : c === "_" ? "_" : /\p{Nd}/u.test(c) ? "0" : /\p{Lu}/u.test(c) ? "A" : "a";
const cuts = s => {
  const out = [0];
  let i = 0, at = 0, before = "", last = "";
  for (const c of s) {
    const now = kind(c), was = kind(last);
    if (i && (now !== was)) {
      if (now === "a" && was === "A") { if (kind(before) === "A" && at > out.at(-1)) out.push(at) } else out.push(i);
    }
    before = last;
    last = c;
    at = i;
    i += c.length;
  }
  return [...out, s.length];
};
export const terms = text => {
  const out = [];
  for (const m of text.matchAll(run)) {
    if (/^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]/u.test(m[0])) {
      const all = [...m[0]];
      let at = m.index;
      for (let i = 0; i === 0 || i + 1 < all.length; i++) {
        const pair = all.slice(i, i + 2).join("");
        out.push({ term: fold(pair), part: false, start: at, end: at + pair.length });
        at += all[i].length;
      }
      continue;
    }
    const whole = m[0].replace(/^_+|_+$/g, "");
    if (!whole || !kept(whole)) continue;
    const start = m.index + m[0].indexOf(whole), add = (s, at, part) => out.push({ term: singular(fold(s)), part, start: at, end: at + s.length });
    add(whole, start, false);
    const places = cuts(whole);
    if (places.length > 2) for (let i = 1; i < places.length; i++) {
      const piece = whole.slice(places[i - 1], places[i]), s = piece.replace(/^_+|_+$/g, "");
      if (kept(s)) add(s, start + places[i - 1] + piece.indexOf(s), true);
    }
  }
  return out;
};

// postings
export const decode = (proposals, sections) => {
  const reader = s => {
    let i = 0;
    const digit = () => digits.get(s[i++]);
    return () => {
      if (i >= s.length) return;
      const first = digit();
      if (first < single) return first;
      if (first < escape) return single + (first - single) * radix + digit();
      return double + digit() * radix * radix + digit() * radix + digit();
    };
  };
  const hits = [], p = reader(proposals), s = reader(sections);
  for (let at = 0, n; (n = p()) !== undefined;) {
    at += n;
    for (let section = 0, end = false; !end;) {
      if ((n = s()) === undefined) return hits;
      section += n >> 3;
      hits.push([at, section, n >> 1 & 3]);
      end = n & 1;
    }
  }
  return hits;
};

// questions
const filters = /(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"|(\S+))/gi;
const numbers = /^\s*0*(\d{1,9})\s*$|\b([a-z]+)[-_ ]?0*(\d{1,9})\b/gi;
const facet = (name, value) => name + ":" + (fold(value).match(/[\p{L}\p{Nd}\p{M}_]+/gu) ?? []).join("-");
export const parse = (text, kinds) => {
  const q = { words: [], filters: [], key: "" };
  text = text.slice(0, 400).replace(filters, (_, name, quoted, bare) => { q.filters.push(facet(name.toLowerCase(), quoted || bare || "")); return " " });
  for (const [, alone, prefix, n] of text.matchAll(numbers)) {
    const i = kinds.findIndex(k => k.toLowerCase() === prefix?.toLowerCase());
    q.key ||= alone || i === 0 ? alone ?? n : i > 0 ? `${prefix.toLowerCase()}-${n}` : "";
  }
  for (const w of terms(text)) {
    if (w.part) q.words.at(-1).parts.push(w.term); else if (!q.words.some(o => o.term === w.term)) q.words.push({ term: w.term, parts: [] });
  }
  q.begun = text !== "" && !/[\t\n ]$/.test(text);
  return q;
};

const oneEdit = (a, b) => {
  [a, b] = [[...a], [...b]];
  if (a.length > b.length) [a, b] = [b, a];
  if (b.length - a.length > 1) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const same = (x, y) => a.slice(x).join("") === b.slice(y).join("");
  if (a.length < b.length) return same(i, i + 1);
  return i < a.length && (same(i + 1, i + 1) || a[i] === b[i + 1] && a[i + 1] === b[i] && same(i + 2, i + 2));
};
const impact = [[.5, 1, 1.4, 1.9], [.5, 1, 1.6, 2.5]];

// find ranks: manifest is the list of proposals and parts, and part gives the shard of an entry of it.
export const find = async (manifest, part, q) => {
  const terms = [], instead = {};
  const at = async term => {
    const i = manifest.shards.findLastIndex(s => s.from <= term);
    if (i < 0) return { terms: [], hits: () => [] };
    const s = await part(manifest.shards[i]);
    s.list ??= [s.terms, s.proposals, s.sections].map(x => x.split(" "));
    const [names, proposals, sections] = s.list;
    return { terms: names, size: i => proposals[i].length, hits: i => decode(proposals[i] ?? "", sections[i] ?? "") };
  };
  const lists = async (term, begun, alone) => {
    const t = await at(term), out = [], i = t.terms.indexOf(term);
    if (i >= 0) { out.push([t.hits(i), 1]); terms.push(term) }
    if (begun) {
      const near = t.terms.map((_, i) => i).filter(i => t.terms[i].startsWith(term) && t.terms[i] !== term && !t.terms[i].includes(":"));
      near.sort((a, b) => t.size(b) - t.size(a) || a - b);
      for (const i of near.slice(0, 50)) out.push([t.hits(i), .7]);
      if (near.length) terms.push(term + "*");
    }
    if (!out.length && alone && [...term].length > 4) {
      let best = -1;
      t.terms.forEach((o, i) => { if (oneEdit(term, o) && (best < 0 || t.size(i) > t.size(best))) best = i });
      if (best >= 0) { out.push([t.hits(best), .7]); terms.push(instead[term] = t.terms[best]) }
    }
    return out;
  };
  let allowed = null;
  const byName = {};
  for (const f of q.filters) {
    const t = await at(f), i = t.terms.indexOf(f), set = byName[f.split(":")[0]] ??= new Set;
    if (i >= 0) for (const [p] of t.hits(i)) set.add(p);
  }
  for (const set of Object.values(byName)) allowed = allowed ? new Set([...allowed].filter(p => set.has(p))) : set;
  const words = [];
  for (const [i, w] of q.words.entries()) {
    const found = await lists(w.term, q.begun && i === q.words.length - 1, !w.parts.length);
    if (found.length || !w.parts.length) words.push(found); else for (const p of w.parts) words.push(await lists(p, false, true));
  }
  const sums = new Map(), sum = p => sums.get(p) ?? sums.set(p, { words: words.map(() => 0), sections: new Map }).get(p);
  words.forEach((word, n) => {
    const best = new Map(), have = new Set;
    for (const [hits, factor] of word) for (const [p, section, weight] of hits) {
      const k = p * 1e5 + section, v = factor * impact[section ? 0 : 1][weight];
      if (!(best.get(k) >= v)) best.set(k, v);
      have.add(p);
    }
    const rare = Math.log(1 + (manifest.proposals.length - have.size + .5) / (have.size + .5));
    for (const [k, v] of best) {
      const s = sum(Math.floor(k / 1e5)), section = k % 1e5;
      s.words[n] = Math.max(s.words[n], rare * v);
      s.sections.set(section, (s.sections.get(section) ?? 0) + rare * v);
    }
  });
  const named = q.key ? manifest.proposals.indexOf(q.key) : -1;
  if (named >= 0) sum(named);
  const found = [];
  for (const [proposal, s] of sums) {
    if (allowed && !allowed.has(proposal)) continue;
    let total = s.words.reduce((a, b) => a + b, 0), best = 0, section = 0;
    for (const [i, score] of s.sections) if (i && (score > best || score === best && i < section)) [best, section] = [score, i];
    total += .6 * Math.max(best, s.sections.get(0) ?? 0);
    if (manifest.stages[proposal] === "s") total *= .97;
    found.push({ proposal, section, score: Math.round(1000 * total) + (proposal === named ? 1e6 : 0) });
  }
  found.sort((a, b) => b.score - a.score || a.proposal - b.proposal);
  if (!q.words.length && !q.key && allowed) for (const p of [...allowed].sort((a, b) => b - a)) found.push({ proposal: p, section: 0, score: 0 });
  return { found, terms, instead };
};

// text without what is no text in Markdown
const notText = /<!--.*?-->|<\/?[A-Za-z][^<>]*>|\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"\n]*")?\)|https?:\/\/[^\s<>()[\]"`]+/gs;
const matches = (term, all) => all.some(t => t.endsWith("*") ? term.startsWith(t.slice(0, -1)) : t === term);

// excerpt is the part of a text with most of the terms: texts in turn plain and marked. It looks at the beginning of a long
// text alone, since some expressions take time quadratic in what they read.
export const excerpt = (markdown, all, most = 220) => {
  const text = markdown.slice(0, 32768).replace(/!?\[([^[\]\n]*)\](?=\()/g, "$1]").replace(notText, " ").replace(/[`*|#>]+|^[^\S\n\r\u2028\u2029]*[-+]\s|-{3,}/gm, " ").replace(/\s+/g, " ").trim();
  const found = terms(text).filter(w => matches(w.term, all));
  let from = 0, best = 0;
  for (const [i, w] of found.entries()) {
    const in_ = new Set;
    for (let j = i; j < found.length && found[j].end <= w.start + most - 40; j++) in_.add(found[j].term);
    if (in_.size > best) [best, from] = [in_.size, w.start];
  }
  from = Math.max(0, Math.min(from - 40, text.length - most));
  if (from) from = text.indexOf(" ", from) + 1 || from;
  let to = Math.min(text.length, from + most);
  if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + most - 40);
  const out = [from ? "… " : ""];
  let at = from;
  for (const w of found) {
    if (w.start < at || w.end > to) continue;
    out[out.length - 1] += text.slice(at, w.start);
    out.push(text.slice(w.start, w.end), "");
    at = w.end;
  }
  out[out.length - 1] += text.slice(at, to) + (to < text.length ? " …" : "");
  return out;
};

// part of a proposal's file that is its n-th section; 0 is what stands before the first heading, or all.
const sectionOf = (file, title) => {
  const body = file.replace(/^\uFEFF?\s*---\r?\n.*?\r?\n---\r?\n/s, ""), plain = s => (s.match(/[\p{L}\p{Nd}]+/gu) ?? []).join(" ");
  if (title === undefined) return body;
  const lines = body.split("\n");
  let fence = "", from = title ? -1 : 0;
  for (const [i, line] of lines.entries()) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (mark && (!fence || line.trim().startsWith(fence))) fence = fence ? "" : mark;
    if (fence || !/^ {0,3}#{1,6}\s|^(=+|-+)\s*$/.test(line)) continue;
    if (from >= 0 && i > from + 1) return lines.slice(from + (title ? 1 : 0), i).join("\n");
    const at = /^ {0,3}#/.test(line) ? line : lines[i - 1] ?? "";
    if (from < 0 && plain(at) === plain(title)) from = i;
  }
  return from < 0 ? body : lines.slice(from + 1).join("\n");
};

// Styles of what only this script adds to a page. Each answer has its room before its text is there.
const styles = `.found ol{list-style:none;padding:0;margin-top:1rem;display:grid;gap:1rem}.found a{font-weight:600}.found li{overflow-wrap:anywhere;max-width:52rem}
.found mark{background:var(--amber-bg);color:var(--text);border-radius:3px}.found .ex{height:4.5em;line-height:1.5;overflow:hidden}
.pop{position:absolute;z-index:9;right:0;top:calc(100% + .5rem);width:min(38rem,100vw - 2rem);max-height:75vh;overflow:auto;padding:1rem;background:var(--bg);border:1px solid var(--ctl)}
@media (max-width:52rem){.found .ex{height:7.5em}.pop{left:0;width:auto}}`;

export const search = form => {
  if ("on" in form.dataset) return;
  form.dataset.on = "";
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  document.adoptedStyleSheets.push(sheet);
  form.elements.q.autocomplete = "off";
  const d = document, say = text => { d.querySelector("#live").textContent = text }, field = form.elements.q, cache = new Map();
  const el = (tag, props, ...children) => { const e = Object.assign(d.createElement(tag), props); e.append(...children); return e };
  const page = d.querySelector("#found"), own = page && form.contains(page) ? page : null;
  const box = own ?? form.appendChild(el("div", { className: "found pop", hidden: true }));
  const load = (url, as = "json") => cache.get(url) ?? cache.set(url, fetch(url).then(r => r.ok ? r[as]() : Promise.reject(r.status)).catch(e => { cache.delete(url); throw e })).get(url);
  const here = url => new URL(url).pathname;
  const marked = parts => parts.map((p, i) => i % 2 ? el("mark", {}, p) : p);
  const seen = new IntersectionObserver(all => { for (const a of all) if (a.isIntersecting) { seen.unobserve(a.target); a.target.show() } });
  let asked = 0, shown = 5;

  const item = (entry, f, all) => {
    const section = f.section ? entry.sections[f.section - 1] : null, url = here(entry.url) + (section ? `#${section[0]}` : "");
    const link = el("a", { href: url }, el("span", { className: "num" }, entry.id), ` ${entry.title}`);
    const text = el("p", { className: "ex small muted" });
    const li = el("li", {}, el("p", {}, link, " ", el("span", { className: `b ${entry.mark}` }, entry.status)), text);
    if (section?.[1]) text.before(el("p", { className: "small" }, section[1]));
    li.show = () => load(here(entry.url).replace(/\/$/, ".md"), "text").then(file => {
      const parts = excerpt(sectionOf(file, section?.[1]), all, d.body.clientWidth < 600 ? 120 : 220);
      text.replaceChildren(...marked(parts));
      // A browser that knows fragments of text marks the words there, too.
      const words = [...new Set(parts.filter((_, i) => i % 2))].slice(0, 4);
      if (words.length) link.href = `${url}${section ? "" : "#"}:~:${words.map(w => `text=${encodeURIComponent(w).replace(/-/g, "%2D")}`).join("&")}`;
    }).catch(() => {});
    seen.observe(li);
    return li;
  };

  const show = (...children) => {
    if (box.contains(d.activeElement)) field.focus(); // it goes
    box.hidden = false;
    box.replaceChildren(...children);
  };
  const note = text => { show(el("p", { className: "small muted" }, text)); say(text) };
  const ask = async most => {
    shown = most;
    const text = field.value, mine = ++asked;
    if (own) history.replaceState(null, "", text ? `?q=${encodeURIComponent(text)}` : location.pathname);
    if (!text.trim()) { box.hidden = !own; box.replaceChildren(); return }
    try {
      const manifest = await load(form.dataset.index), part = p => load(here(p.url));
      const q = parse(text, manifest.kinds);
      if (!q.words.length && !q.filters.length && !q.key) { if (mine === asked) note("Type one letter more."); return }
      const { found, terms: all, instead } = await find(manifest, part, q);
      const top = found.slice(0, shown);
      const entries = await Promise.all(top.map(async f => {
        const at = manifest.titles.findLastIndex(t => Number(t.from) <= f.proposal), of = manifest.titles[at];
        return (await part(of)).proposals[f.proposal - Number(of.from)];
      }));
      if (mine !== asked) return;
      if (!top.length) { note("Nothing has these words. Try fewer, or other ones."); return }
      const other = Object.entries(instead), told = `${found.length} ${found.length === 1 ? "proposal" : "proposals"}${other.length ? `, with ${other.map(([a, b]) => `${b} for ${a}`).join(" and ")}` : ""}`;
      show(el("p", { className: "small muted" }, told), el("ol", {}, ...top.map((f, i) => item(entries[i], f, all))));
      if (!own) box.append(el("a", { href: `${form.getAttribute("action")}?q=${encodeURIComponent(text)}` }, "All results"));
      else if (found.length > shown) box.append(el("button", { type: "button", className: "btn s", onclick: () => ask(shown + 15) }, "More"));
      say(told);
    } catch { if (mine === asked) note("Not loaded. Are you offline?") }
  };

  let wait = 0;
  field.addEventListener("input", () => { clearTimeout(wait); wait = setTimeout(ask, 120, 5) });
  form.addEventListener("submit", e => { if (own) { e.preventDefault(); ask(5) } });
  form.addEventListener("keydown", e => {
    const links = [...box.querySelectorAll("li a")], i = links.indexOf(d.activeElement), to = { ArrowDown: i + 1, ArrowUp: i - 1 }[e.key];
    if (e.key === "Escape" && !own) { field.focus(); box.hidden = true }
    if (to === undefined || !links.length) return;
    e.preventDefault();
    (to < 0 ? field : links[Math.min(to, links.length - 1)]).focus();
  });
  if (!own) {
    form.addEventListener("focusout", e => { if (!form.contains(e.relatedTarget)) box.hidden = true });
    field.addEventListener("focus", () => { box.hidden = !box.childNodes.length });
  }
  if (own) field.value = new URLSearchParams(location.search).get("q") ?? "";
  if (field.value) ask(5);
};
