// Loaded when a reader turns to a field for searching. It ranks as internal/search does, from the same files: a list of
// proposals, parts of an index by the first words in them, titles, and texts for phrases and for what is shown of the best.
const letters = String.fromCharCode(...Array.from({ length: 94 }, (_, i) => i + 33)).replace(/["&<>\\]/g, "");

// terms are the words of a text: each run of letters, digits and underscores, and behind it its parts; of ideographs any two.
const run = /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+)|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{Nd}\p{M}_])+/gu;
const piece = /\p{Lu}+(?=\p{Lu}[^\p{Lu}\p{Nd}_])|\p{Lu}?[^\p{Lu}\p{Nd}_]+|\p{Lu}+|\p{Nd}+/gu;
const fold = s => s.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const kept = s => { const n = [...s].length; return n > 1 && n < 33 && (n < 9 || /\p{L}/u.test(s)) };
const singular = s => !/^[a-z]{4,}$/.test(s) || !s.endsWith("s") || /[sui]s$/.test(s) ? s
  : s.length > 4 && s.endsWith("ies") ? s.slice(0, -3) + "y"
  : /(?:ch|sh|ss|x|z)es$/.test(s) ? s.slice(0, -2) : s.slice(0, -1);
export const terms = text => {
  const out = [], add = (s, start, part) => out.push({ term: singular(fold(s)), part, start, end: start + s.length });
  for (const { 0: word, 1: pairs, index } of text.matchAll(run)) {
    if (pairs) {
      const all = [...word];
      let at = index;
      for (let i = 0; i === 0 || i + 1 < all.length; at += all[i++].length) add(all.slice(i, i + 2).join(""), at, false);
      continue;
    }
    const whole = word.replace(/^_+|_+$/g, ""), start = index + word.indexOf(whole);
    if (!kept(whole)) continue;
    add(whole, start, false);
    for (const { 0: s, index } of whole.matchAll(piece)) if (s !== whole && kept(s)) add(s, start + index, true);
  }
  return out;
};

// postings
const decode = (proposals, sections) => {
  const reader = s => {
    let i = 0;
    const digit = () => letters.indexOf(s[i++]);
    return () => {
      if (i >= s.length) return;
      const first = digit();
      return first < 64 ? first : first < 88 ? 64 + (first - 64) * 89 + digit() : 2200 + digit() * 7921 + digit() * 89 + digit();
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
const special = /(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"?|(\S+))|"([^"]*)("?)/gi;
const numbers = /^\s*0*(\d{1,9})\s*$|\b([a-z]+)[-_ ]?0*(\d{1,9})\b/gi;
const facet = (name, value) => name + ":" + (fold(value).match(/[\p{L}\p{Nd}\p{M}_]+/gu) ?? []).join("-");
const words = (text, open, quoted) => {
  const out = [];
  for (const w of terms(text)) if (w.part) out.at(-1).parts.push(w.term); else out.push({ term: w.term, parts: [], quoted });
  if (out.length && open && !/[\t\n ]$/.test(text)) out.at(-1).begun = true;
  return out;
};
const star = w => w.term + (w.begun ? "*" : "");
export const parse = (text, kinds) => {
  const q = { words: [], phrases: [], filters: [], chips: [], key: "", text: text.slice(0, 400).replace(/[“”„«»]/g, '"') };
  const ask = all => { for (const w of all) if (!q.words.some(o => o.term === w.term)) q.words.push(w) };
  text = q.text.replace(special, (m, name, value, bare, phrase, end) => {
    if (name) {
      q.filters.push(facet(name.toLowerCase(), value || bare || ""));
      q.chips.push(m);
    } else {
      const all = words(phrase, !end, true);
      if (all.length > 1) q.phrases.push(all.map(star).join(" "));
      ask(all);
    }
    return " ";
  });
  for (const [, alone, prefix, n] of text.matchAll(numbers)) {
    const i = kinds.findIndex(k => k.toLowerCase() === prefix?.toLowerCase());
    q.key ||= alone || i === 0 ? alone ?? n : i > 0 ? `${prefix.toLowerCase()}-${n}` : "";
  }
  ask(words(text, true));
  return q;
};

// oneEdit is of two different words.
const oneEdit = (a, b) => {
  [a, b] = [[...a], [...b]];
  while (a.length && a[0] === b[0]) { a.shift(); b.shift() }
  while (a.length && a.at(-1) === b.at(-1)) { a.pop(); b.pop() }
  return a.length < 2 && b.length < 2 || a.length + b.length === 4 && a.join() === b.reverse().join();
};
const impact = [[.5, 1, 1.4, 1.9], [.5, 1, 1.6, 2.5]];

const from = (parts, n) => { const of = parts.findLast(t => +t.from <= n); return [of, n - of.from] };

// shown is what is shown of a proposal, and sectionOf the id, the title and the text of a section of it.
const shown = async (manifest, part, proposal) => { const [of, i] = from(manifest.titles, proposal); return (await part(of)).proposals[i] };
const sectionOf = async (entry, part, section) => { const [of, i] = from(entry.texts, section); return (await part(of)).sections[i] };

// places are those of terms and phrases in a text.
const matches = (term, asked) => asked.endsWith("*") ? term.startsWith(asked.slice(0, -1)) : term === asked;
const places = (text, asked) => {
  const all = terms(text), out = [], phrases = asked.map(a => a.split(" "));
  all.forEach((w, i) => phrases.forEach((phrase, k) => {
    if (w.part && phrase[1]) return;
    for (let j = i, n = 0; j < all.length; j++) {
      if (n && all[j].part) continue;
      if (!matches(all[j].term, phrase[n])) return;
      if (++n === phrase.length) { out.push({ term: asked[k], start: w.start, end: all[j].end }); return }
    }
  }));
  return out;
};

// find ranks: manifest is the list of proposals and parts, and part gives what an entry of it stands for.
export const find = async (manifest, part, q, limit) => {
  const terms = [...q.phrases], instead = {}, unknown = [];
  // at has [term, proposals, sections] of the shards that may have a term: that of proposals, and that of translations.
  const at = async term => (await Promise.all([manifest.shards, manifest.translated].map(async all => {
    const of = all.findLast(s => s.from <= term);
    if (!of) return [];
    const s = await part(of), [names, proposals, sections] = [s.terms, s.proposals, s.sections].map(x => x.split(" "));
    return s.list ??= names.map((t, i) => [t, proposals[i] ?? "", sections[i] ?? ""]);
  }))).flat();
  const hits = e => decode(e[1], e[2]), often = all => all.sort((a, b) => b[1].length - a[1].length);
  const lists = async (w, guess) => {
    const { term } = w, all = await at(term), near = w.begun ? all.filter(([t]) => t.startsWith(term) && t !== term && !t.includes(":")) : [];
    const out = all.filter(([t]) => t === term).map(e => [hits(e), 1]);
    if (out[0]) terms.push(term);
    if (near[0]) terms.push(star(w));
    for (const e of often(near).slice(0, 50)) out.push([hits(e), .7]);
    if (!out[0] && guess && [...term].length > 4) {
      const [best] = often(all.filter(([t]) => oneEdit(term, t)));
      if (best) { out.push([hits(best), .7]); terms.push(instead[term] = best[0]) }
    }
    return out;
  };
  const byName = {};
  for (const f of q.filters) {
    const all = await at(f), found = all.filter(([t]) => t === f), name = f.split(":")[0] + ":", set = byName[name] ??= new Set;
    for (const [p] of found.flatMap(hits)) set.add(p);
    if (!found[0]) {
      const known = [...new Set(all.map(e => e[0]))].filter(o => o.startsWith(name)), first = Math.max(0, Math.min(known.filter(o => o < f).length - 6, known.length - 12));
      unknown.push({ filter: f, known: known.slice(first, first + 12).map(o => o.slice(name.length)) });
    }
  }
  const sets = Object.values(byName), allowed = p => sets.every(s => s.has(p));
  const all = [];
  for (const w of q.words) {
    const found = await lists(w, !w.parts[0] && !w.quoted);
    // A word without a section that has little of it may be in more sections than the index has.
    const whole = !q.phrases[0] || found[0] && found.every(([hits, n]) => n === 1 && hits.some(h => h[1] && !h[2]));
    if (found[0] || !w.parts[0] || w.quoted) all.push({ found, needed: w.quoted && whole });
    else for (const p of w.parts) all.push({ found: await lists({ term: p }, true) });
  }
  const sums = {}, sum = p => sums[p] ??= { words: all.map(() => 0), sections: {} };
  let needed = 0;
  for (const [n, w] of all.entries()) {
    const best = new Map(), have = new Set;
    for (const [hits, factor] of w.found) for (const [p, section, weight] of hits) {
      const k = p * 1e5 + section, v = factor * impact[section ? 0 : 1][weight];
      if (!(best.get(k) >= v)) best.set(k, v);
      have.add(p);
    }
    const rare = Math.log(1 + (manifest.proposals.length - have.size + .5) / (have.size + .5));
    for (const [k, v] of best) {
      const s = sum(k / 1e5 | 0), t = s.sections[k % 1e5] ??= [0, 0];
      s.words[n] = Math.max(s.words[n], rare * v);
      t[0] += rare * v;
      if (w.needed) t[1]++;
    }
    if (w.needed) needed++;
  }
  // Of a proposal with a translation this is the position of the translation.
  const last = Object.fromEntries(manifest.proposals.map((k, i) => [k, i])), named = last[q.key];
  if (named >= 0) sum(named);
  const ranked = [];
  const keys = of => Object.keys(of).map(Number);
  for (const proposal of keys(sums)) {
    // Sections by what they count, the header behind them.
    const s = sums[proposal].sections, order = keys(s).filter(i => s[i][1] >= needed).sort((a, b) => a && b ? s[b][0] - s[a][0] || a - b : b - a);
    if (!allowed(proposal) || needed && !order.length) continue;
    let total = sums[proposal].words.reduce((a, b) => a + b, 0);
    total += .6 * Math.max(0, ...[order[0], order.at(-1)].map(i => s[i]?.[0] ?? 0));
    if (manifest.stages[proposal] === "s") total *= .97;
    ranked.push({ proposal, section: order[0] ?? 0, score: Math.round(1000 * total) + (proposal === named ? 1e6 : 0), order });
  }
  ranked.sort((a, b) => b.score - a.score || a.proposal - b.proposal);
  if (!q.words[0] && !q.key) for (const p of [...sets[0] ?? []].filter(allowed).sort((a, b) => b - a)) ranked.push({ proposal: p, section: 0, score: 0 });
  let found = ranked, read = 0, partial = false;
  if (q.phrases[0]) {
    found = [];
    all: for (const of of ranked) for (const section of of.order) {
      if (partial = read++ === 24 || found.length === limit) break all;
      const entry = await shown(manifest, part, of.proposal), [, title, text] = await sectionOf(entry, part, section);
      if (q.phrases.every(p => [section ? title : entry.title, text].some(t => places(t, [p]).length))) { found.push({ ...of, section }); break }
    }
  }
  const twice = (p, l) => l !== p && found.some(o => o.proposal === l);
  return { found: found.filter(({ proposal: p }) => !twice(p, last[manifest.proposals[p]])), terms, instead, unknown, partial };
};

// excerpt is the part of a text with most of the terms: texts in turn plain and marked.
export const excerpt = (text, all, most = 220) => {
  const found = places(text, all);
  let from = 0, best = 0;
  for (const [i, w] of found.entries()) {
    const in_ = new Set;
    for (let j = i; j < found.length && found[j].end <= w.start + most - 40; j++) in_.add(found[j].term);
    if (in_.size > best) [best, from] = [in_.size, w.start];
  }
  from = Math.max(0, Math.min(from - 40, text.length - most));
  let to = text.indexOf(" ", from);
  if (from && to < from + 40) from = to + 1 || from;
  to = Math.min(text.length, from + most);
  if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + most - 40);
  const out = [from ? "… " : ""];
  let at = from;
  for (const w of found) {
    if (w.start < from || w.end <= at || w.end > to) continue;
    const n = out.length;
    // Terms of scripts without blanks overlap.
    if (n > 1 && w.start <= at) out[n - 2] += text.slice(at, w.end);
    else {
      out[n - 1] += text.slice(at, w.start);
      out.push(text.slice(w.start, w.end), "");
    }
    at = w.end;
  }
  out[out.length - 1] += text.slice(at, to) + (to < text.length ? " …" : "");
  return out;
};

// What pages show of it.
const cache = {};
const load = url => cache[url] ??= fetch(url).then(r => r.ok ? r.json() : Promise.reject()).catch(e => { delete cache[url]; throw e });
const here = url => new URL(url).pathname, part = p => load(here(p.url));
const el = (tag, props, ...children) => { const e = Object.assign(document.createElement(tag), props); e.append(...children); return e };
const button = (text, onclick, ariaLabel = null) => el("button", { type: "button", className: "btn s", onclick, ariaLabel }, text);

// answer is what an index has for a text: what is found, nothing for a text that asks nothing, and what else is to be told.
export const answer = async (index, text, most) => {
  const manifest = await load(index), q = parse(text, manifest.kinds);
  if (!q.words[0] && !q.filters[0] && !q.key) return { q, note: "Type one letter more." };
  const a = await find(manifest, part, q, most);
  const none = a.found[0] ? "" : a.partial ? "The best 24 sections lack the phrase" : "Nothing has these words. Try fewer, or others";
  const other = Object.entries(a.instead).map(([a, b]) => `, with ${b} for ${a}`).join("");
  const wrong = a.unknown.map(u => ` ${u.filter} is nowhere. There are: ${u.known.join(", ")}.`).join("");
  return { ...a, q, manifest, entry: f => shown(manifest, part, f.proposal), note: `${none}${other}.${wrong}` };
};

// chips are the filters of a question, to be taken off.
export const chips = (q, off) => q.chips.flatMap(c => [button(`${c.trim()} ×`, () => off(q.text.replace(c, "")), `Remove ${c.trim()}`), " "]);

// fill has an element show the section that has the words and the part of its text with them, and a link lead there.
export const fill = async (entry, f, terms, link, text, most) => {
  const [id, title, body] = await sectionOf(entry, part, f.section), parts = excerpt(body, terms, Math.max(60, most - title.length));
  text.replaceChildren(...title ? [el("b", {}, title), " "] : [], ...parts.map((p, i) => i % 2 ? el("mark", {}, p) : p));
  // A browser that knows fragments of text marks the words there, too.
  const words = [...new Set(parts.filter((_, i) => i % 2))].slice(0, 4);
  const to = id + (words[0] ? `:~:${words.map(w => `text=${encodeURIComponent(w).replace(/-/g, "%2D")}`).join("&")}` : "");
  link.href = link.pathname + (to && `#${to}`);
};
export const whenSeen = (e, show) => new IntersectionObserver((all, o) => {
  if (all.some(a => a.isIntersecting)) { o.disconnect(); show().catch(() => {}) }
}).observe(e);

export const search = form => {
  if (form.dataset.on) return;
  form.dataset.on = 1;
  const field = form.elements.q;
  const own = form.querySelector("#found");
  const box = own ?? form.appendChild(el("div", { className: "found pop card", hidden: true }));
  let asked = 0;

  const item = (entry, f, terms) => {
    const lang = entry.locale, link = el("a", { href: here(entry.url), lang }, el("span", { className: "num" }, entry.id), ` ${entry.title}`);
    const text = el("p", { className: "ex small muted", lang, dir: "auto" }), last = entry.lastCallDeadline;
    const until = last ? ` until ${new Date(last).toUTCString().slice(5, 16)}` : "";
    const li = el("li", {}, el("p", {}, link, " ", el("span", { className: `b ${entry.mark}` }, entry.status), until), text);
    whenSeen(li, () => fill(entry, f, terms, link, text, innerWidth < 600 ? 120 : 220));
    return li;
  };

  const ask = async most => {
    const text = field.value, mine = ++asked, locale = form.elements.locale?.value;
    const to = `?${locale ? `locale=${locale}&` : ""}q=${encodeURIComponent(text)}`;
    const tell = (told, q, ...more) => {
      if (mine !== asked) return;
      if (box.contains(document.activeElement)) field.focus(); // it goes
      box.hidden = false;
      box.replaceChildren(el("p", { className: "small muted" }, ...q ? chips(q, rest => { field.value = rest; field.focus(); ask(5) }) : [], told), ...more);
      document.querySelector("#live").textContent = told;
    };
    if (own) history.replaceState(null, "", text || locale ? to : location.pathname);
    if (!text.trim()) { box.hidden = !own; box.replaceChildren(); return }
    try {
      const { q, found, terms, note, partial, entry } = await answer(form.dataset.index, text, most), n = found?.length;
      if (!n) return tell(note, q);
      const items = await Promise.all(found.slice(0, most).map(async f => item(await entry(f), f, terms)));
      const more = own ? n > most || partial && n === most ? button("More", () => ask(most + 15)) : ""
        : el("a", { href: form.getAttribute("action") + to }, "All results");
      tell(`${n} proposal${n > 1 ? "s" : ""}${partial ? " or more" : ""}${note}`, q, el("ol", {}, ...items), more);
    } catch { tell("Not loaded. Are you offline?") }
  };

  let wait;
  field.oninput = () => { clearTimeout(wait); wait = setTimeout(ask, 120, 5) };
  form.onsubmit = e => { if (own) { e.preventDefault(); ask(5) } };
  form.onkeydown = e => {
    const links = [...box.querySelectorAll("li a")], by = { ArrowDown: 1, ArrowUp: -1 }[e.key], to = links.indexOf(document.activeElement) + by;
    if (e.key === "Escape" && !own) { field.focus(); box.hidden = true }
    if (!by || !links[0]) return;
    e.preventDefault();
    (to < 0 ? field : links[to] ?? links.at(-1)).focus();
  };
  if (own) field.value = new URLSearchParams(location.search).get("q") ?? "";
  else {
    form.addEventListener("focusout", e => { if (!form.contains(e.relatedTarget)) box.hidden = true });
    field.onfocus = () => { box.hidden = !box.firstChild };
  }
  if (field.value) ask(5);
};
