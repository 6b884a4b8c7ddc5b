// Loaded when a reader turns to a search field. It ranks like internal/search, from the same files: a list of
// proposals, parts of an index by their first words, titles, and texts for phrases and for the excerpts of the best.
// terms are the words of a text: each run of letters, digits and underscores, followed by its parts, and any two
// adjacent ideographs.
const run = /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}]+)|(?:(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}])[\p{L}\p{Nd}\p{M}_]|(?<=\d)\.(?=\d)|(?<=[A-Za-z])(\+\+|#(?![\p{L}\p{Nd}\p{M}_])))+/gu;
const piece = /\p{Lu}+(?=\p{Lu}[^\p{Lu}\p{Nd}_.+#])|\p{Lu}?[^\p{Lu}\p{Nd}_.+#]+|\p{Lu}+|\p{Nd}+/gu;
const fold = s => s.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const kept = s => /^(?=.*[\p{L}.]|.{2,8}$).{2,32}$/u.test(s);
const singular = s => !/^[a-z]{4,}$/.test(s) ? s
  : s.replace(/(?<=..)ies$/, "y").replace(/(?<=(?<!ca)ch|sh|ss|x|zz)es$|(?<![sui])s$/, "");
export const terms = text => {
  const out = [];
  const add = (s, start, part) => {
    const term = fold(s);
    if (term) out.push({ term: singular(term), part, start, end: start + s.length });
  };
  for (const { 0: word, 1: pairs, index } of text.matchAll(run)) {
    if (pairs) {
      let at = index, last = "";
      for (const c of word) { if (last) add(last + c, at); at += last.length; last = c }
      if (at === index) add(word, at);
      continue;
    }
    const whole = word.replace(/^_+|(?<!_)_+$/g, ""), start = index + word.search(/[^_]/);
    if (!kept(whole)) continue;
    add(whole, start);
    for (const { 0: s, index } of whole.matchAll(piece)) if (s !== whole && kept(s)) add(s, start + index, true);
  }
  return out;
};

// table is a decoded part of an index: the hits of each term. A hit is a proposal, a weight, of which the last two are
// the header's, and a part of its texts.
const impact = [1, 1.4, 1.9, 1.9, 2.5];
const table = ({ terms, among, postings }, parts) => {
  const bytes = atob(postings);
  let at = 0, last = [];
  const bit = () => bytes.charCodeAt(at >> 3) >> 7 - (at++ & 7) & 1;
  const run = (of, most, n = 0) => n < most && bit() === of ? run(of, most, n + 1) : n;
  const bits = (n, v = 0) => n > 0 ? bits(n - 1, 2 * v + bit()) : v;
  const below = of => {
    const n = 31 - Math.clz32(of), v = bits(n), short = (2 << n) - of;
    return v < short ? v : 2 * v + bit() - short;
  };
  const sorted = (n, least, most) => {
    if (!n) return [];
    const middle = n >> 1, p = least + middle + below(most - least - n + 2);
    return [...sorted(middle, least, p - 1), p, ...sorted(n - middle - 1, p + 1, most)];
  };
  return terms.split(/(?=[A-Z])/).map(t => {
    last = [...last.slice(0, t.charCodeAt() - 65), ...t.slice(1)];
    const term = last.join("");
    return [term, sorted(bits(run(0, 20), 1), 0, among - 1)
      .map(p => term.includes(":") ? [p] : [p, run(1, 4), below(parts[p])])];
  });
};

// queries
const special = /(?:^|\s)(status|type|category|kind|author|upgrade):(?:"([^"]*)"?|(\S+))|"([^"]*)("?)/gi;
const numbers = /^\s*0*(\d{1,9})\s*$|\b([a-z]+)[-_ ]?0*(\d{1,9})\b/gi;
const words = (text, open, quoted) => {
  const out = [];
  for (const w of terms(text))
    if (w.part) out.at(-1).parts.push(w.term);
    else out.push({ term: w.term, parts: [], quoted });
  if (open && out[0] && /[^\t\n ]$/.test(text)) out.at(-1).begun = true;
  return out;
};
const star = w => w.term + (w.begun ? "*" : "");
export const parse = (text, kinds) => {
  const q = { words: [], phrases: [], filters: [], chips: [], key: "",
    text: text.slice(0, 400).replace(/[“”„«»]/g, '"') };
  const ask = all => { for (const w of all) if (!q.words.some(o => o.term === w.term)) q.words.push(w) };
  text = q.text.replace(special, (m, name, value, bare, phrase, end) => {
    if (name) {
      const parts = fold(value ?? bare).match(/[\p{L}\p{Nd}\p{M}_]+/gu) ?? [];
      q.filters.push(name.toLowerCase() + ":" + parts.join("-"));
      q.chips.push(m);
    } else {
      const all = words(phrase, !end, true);
      if (all.length > 1) q.phrases.push(all.map(star).join(" "));
      ask(all);
    }
    return " ";
  });
  for (const [, alone, prefix, n] of text.matchAll(numbers)) {
    const kind = prefix?.toLowerCase(), i = kinds.findIndex(k => k.toLowerCase() === kind);
    q.key ||= alone || (i ? i > 0 ? `${kind}-${n}` : "" : n);
  }
  ask(words(text, true));
  return q;
};

// oneEdit is for two different words.
const oneEdit = (a, b) => {
  [a, b] = [[...a], [...b]];
  while (a[0] && a[0] === b[0]) { a.shift(); b.shift() }
  while (a[0] && a.at(-1) === b.at(-1)) { a.pop(); b.pop() }
  return a.length < 2 && b.length < 2 || a.length + b.length === 4 && a.join() === b.reverse().join();
};

// shown is the visible part of a proposal.
const shown = async (manifest, part, proposal) => {
  const of = manifest.titles.findLast(t => +t.from <= proposal);
  return (await part(of.url)).proposals[proposal - of.from];
};

// places are the places of terms and phrases in a text.
const matches = (term, asked) => asked.endsWith("*") ? term.startsWith(asked.slice(0, -1)) : term === asked;
const places = (text, asked) => {
  const all = terms(text), out = [];
  all.forEach((w, i) => asked.forEach(term => {
    const phrase = term.split(" ");
    if (w.part && phrase[1]) return;
    for (let j = i, n = 0; j < all.length; j++) {
      if (n && all[j].part) continue;
      if (!matches(all[j].term, phrase[n])) return;
      if (++n === phrase.length) { out.push({ term, start: w.start, end: all[j].end }); return }
    }
  }));
  return out;
};

// best is the section with the phrases and most of the other terms. Ties are broken by more in the title, more places,
// or an address.
export const best = (sections, terms) => {
  let most = -1, best;
  for (const s of sections) {
    const [, titled, text] = s.map(t => places(t, terms));
    const all = new Set([...titled, ...text].map(p => p.term.replace("*", "")));
    let score = all.size && 1e5 * titled.length + 2 * text.length + !!s[0];
    for (const t of all) score += t.includes(" ") ? 1e8 : 1e6;
    if (score > most) [best, most] = [s, score];
  }
  return best;
};

// find ranks. manifest is the list of proposals and parts, and part loads an entry of it.
export const find = async (manifest, part, q, limit) => {
  const terms = [...q.phrases], instead = {}, unknown = [];
  // at is [term, hits] of the part that may have a term.
  const at = async term => {
    const of = manifest.shards.findLast(s => s.from <= term), s = of && await part(of.url);
    return s ? s.list ??= table(s, manifest.parts) : [];
  };
  const lists = async (w, guess) => {
    const { term } = w, all = (await at(term)).filter(([t]) => !t.includes(":"));
    all.sort((a, b) => b[1].length - a[1].length);
    const near = all.filter(([t]) => w.begun && t.startsWith(term) && t !== term);
    const out = all.filter(([t]) => t === term).map(e => [e[1], 1]);
    if (out[0]) terms.push(term);
    if (near[0]) terms.push(star(w));
    for (const e of near.slice(0, 50)) out.push([e[1], .7]);
    if (!out[0] && guess && [...term].length > 4) {
      const best = all.find(([t]) => oneEdit(term, t));
      if (best) { out.push([best[1], .7]); terms.push(instead[term] = best[0]) }
    }
    return out;
  };
  const byName = {};
  for (const f of q.filters) {
    const all = await at(f), found = all.find(([t]) => t === f);
    const name = f.split(":")[0] + ":", set = byName[name] ??= new Set;
    for (const [p] of found?.[1] ?? []) set.add(p);
    if (!found) {
      const known = all.map(([t]) => t).filter(t => t.startsWith(name));
      const first = Math.max(0, Math.min(known.filter(t => t < f).length - 6, known.length - 12));
      unknown.push({ filter: f, known: known.slice(first, first + 12).map(t => t.slice(name.length)) });
    }
  }
  const sets = Object.values(byName), allowed = p => sets.every(s => s.has(p)), all = [];
  for (const w of q.words) {
    const found = await lists(w, !w.parts[0] && !w.quoted);
    if (found[0] || !w.parts[0] || w.quoted) all.push({ found, needed: w.quoted });
    else for (const p of w.parts) all.push({ found: await lists({ term: p }, true) });
  }
  // The score of each word for each proposal, and the sum of the scores within a part.
  const sums = [], sum = p => sums[p] ??= { words: all.map(() => 0), parts: [], header: 0 };
  for (const [n, w] of all.entries()) {
    const best = new Map();
    for (const [hits, factor] of w.found) for (const [p, weight, part] of hits) {
      const v = factor * impact[weight];
      if (!(best.get(p)?.[0] >= v)) best.set(p, [v, part, weight]);
    }
    const rare = Math.log(1 + (manifest.proposals.length - best.size + .5) / (best.size + .5));
    for (const [p, [v, part, weight]] of best) {
      const s = sum(p);
      s.words[n] = rare * v;
      s.parts[part] = (s.parts[part] ?? 0) + rare * v;
      if (weight > 2) s.header += rare * v;
    }
  }
  const named = manifest.proposals.indexOf(q.key);
  if (named >= 0) sum(named);
  const ranked = [];
  sums.forEach(({ words, parts, header }, proposal) => {
    const order = Object.keys(parts).map(Number).sort((a, b) => parts[b] - parts[a] || a - b);
    if (!allowed(proposal) || words.some((v, n) => all[n].needed && !v)) return;
    let total = words.reduce((a, b) => a + b, 0) + .6 * Math.max(header, parts[order[0]] ?? 0);
    if (manifest.stages[proposal] === "s") total *= .97;
    ranked.push({ proposal, part: order[0] ?? 0, score: Math.round(1000 * total) + (proposal === named) * 1e6, order });
  });
  const better = (a, b) => b.score - a.score || a.proposal - b.proposal;
  ranked.sort(better);
  if (!q.words[0] && !q.key)
    for (const proposal of [...sets[0] ?? []].filter(allowed).sort((a, b) => b - a))
      ranked.push({ proposal, part: 0, score: 0 });
  let found = ranked, read = 0, partial;
  if (q.phrases[0]) {
    // Every section has the words of the title. The others are where most of the words are, or in the remaining parts.
    found = [];
    const full = () => partial ||= read === 24 || found.length === limit;
    for (const others of [0, 1]) for (const of of ranked) {
      if (of.has || others && of.order.length === manifest.parts[of.proposal]) continue;
      if (full()) break;
      const { title, texts } = await shown(manifest, part, of.proposal);
      const phrases = q.phrases.filter(p => !places(title, [p])[0]);
      of.has = !phrases[0];
      for (const n of others ? [...texts.keys()].filter(n => !of.order.includes(n)) : of.order) {
        if (of.has || full()) break;
        read++;
        of.has = (await part(texts[n])).sections
          .some(([, ...s]) => phrases.every(p => s.some(t => places(t, [p])[0])));
        if (of.has) of.part = n;
      }
      if (of.has) found.push(of);
    }
    found.sort(better);
  }
  return { found, terms, instead, unknown, partial };
};

// excerpt is the part of a text with most of the terms, as alternating plain and marked texts.
export const excerpt = (text, all, most = 220) => {
  // ends is the position of the next occurrence of each term.
  const found = places(text, all), ends = {};
  let from = 0, best = 1;
  for (const { term, start, end } of found.toReversed()) {
    ends[term] = end;
    const n = Object.values(ends).filter(e => e <= start + most - 40).length;
    if (n >= best) { from = start; best = n }
  }
  from = Math.max(0, Math.min(from - 40, text.length - most));
  let to = text.indexOf(" ", from);
  if (from && to < from + 40) from = to + 1 || from;
  to = Math.min(text.length, from + most);
  if (to < text.length) to = Math.max(text.lastIndexOf(" ", to), from + most - 40);
  const out = [from ? "… " : ""];
  let at = from;
  for (const { start, end } of found) {
    if (start < from || end <= at || end > to) continue;
    const n = out.length;
    // Terms of scripts without blanks overlap.
    if (n > 1 && start <= at) out[n - 2] += text.slice(at, end);
    else {
      out[n - 1] += text.slice(at, start);
      out.push(text.slice(start, end), "");
    }
    at = end;
  }
  out[out.length - 1] += text.slice(at, to) + (to < text.length ? " …" : "");
  return out;
};

// load fetches a document, or a packed part in a range of a file, which a host may send whole.
const load = async (url, range) => {
  const r = await fetch(url, range && { headers: { range } });
  if (!r.ok) throw r;
  if (!range) return r.json();
  const [from, to] = range.match(/\d+/g);
  let b = await r.blob();
  if (r.status < 206) b = b.slice(from, +to + 1);
  return new Response(b.stream().pipeThrough(new DecompressionStream("deflate-raw"))).json();
};
const cache = {}, here = url => new URL(url, location).pathname;
const part = url => cache[url] ??= load(here(url), url.split("#")[1])
  .catch(e => { delete cache[url]; throw e });
const el = (tag, props, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};
const button = (text, onclick, ariaLabel) =>
  el("button", { type: "button", className: "btn s", onclick, ariaLabel }, text);

// answer searches an index, of which a host without rules has only the file.
export const answer = async (index, text, most) => {
  const manifest = await part(index).catch(() => part(index + ".json"));
  const q = parse(text, manifest.kinds);
  if (!q.words[0] && !q.filters[0] && !q.key) return { q, note: "Type one letter more." };
  const a = await find(manifest, part, q, most);
  let note = a.found[0] ? "" : a.partial ? "The best texts lack the phrase" : "No proposal contains these words";
  for (const [word, other] of Object.entries(a.instead)) note += `, with ${other} for ${word}`;
  note = a.found[0] || !a.unknown[0] ? note + "." : "";
  for (const { filter, known } of a.unknown) {
    const [name, value] = filter.split(":");
    note += ` No proposal has the ${name} "${value}".`;
    const many = name.replace(/./, c => c.toUpperCase()).replace(/s$/, "se").replace(/y$/, "ie");
    if (known[0]) note += ` ${many}s: ${known.join(", ")}.`;
  }
  return { ...a, q, manifest, entry: f => shown(manifest, part, f.proposal), note: note.trim() };
};

// chips are the removable filters of a query.
export const chips = (q, off) => q.chips.flatMap(c => [
  button(`${c.trim()} ×`, () => off(q.text.replace(c, "")), `Remove ${c.trim()}`), " ",
]);

// fill makes an element show the matching section and its excerpt, and a link lead there.
export const fill = async (entry, f, terms, link, text, most) => {
  const [id, title, body] = best((await part(entry.texts[f.part])).sections, terms);
  const parts = excerpt(body, terms, Math.max(60, most - title.length));
  text.replaceChildren(el("b", {}, title), " ", ...parts.map((p, i) => i % 2 ? el("mark", {}, p) : p));
  const texts = [...new Set(parts.filter((_, i) => i % 2))].slice(0, 4)
    .map(w => `text=${encodeURIComponent(w).replace(/-/g, "%2D")}`).join("&");
  link.hash = id + (texts && ":~:" + texts);
};
export const whenSeen = (e, show) => new IntersectionObserver((all, o) => {
  if (all.at(-1).isIntersecting) { o.disconnect(); show().catch(() => {}) }
}).observe(e);

export const search = form => {
  if (form.dataset.on) return;
  form.dataset.on = 1;
  const field = form.elements.q, own = form.querySelector("#found");
  const box = own ?? form.appendChild(el("div", { className: "found pop card", hidden: true }));
  let asked = 0, wait;

  const item = (entry, f, terms) => {
    const link = el("a", { href: here(entry.url) }, el("span", { className: "num" }, entry.id), ` ${entry.title}`);
    const text = el("p", { className: "ex small muted", dir: "auto" }), until = entry.lastCallDeadline;
    const li = el("li", { lang: "en" },
      el("p", {}, link, " ", el("span", { className: `b ${entry.mark}` }, entry.status),
        until ? ` until ${new Date(until).toUTCString().match(/[1-9]\d? \w+ \d+/)}` : ""), text);
    whenSeen(li, () => fill(entry, f, terms, link, text, innerWidth < 600 ? 120 : 220));
    return li;
  };

  const ask = async (most = 5) => {
    const text = field.value, mine = ++asked, to = `?q=${encodeURIComponent(text)}`;
    const tell = (told, q, ...more) => {
      if (mine !== asked) return;
      if (box.contains(document.activeElement)) field.focus();
      box.hidden = false;
      box.replaceChildren(el("p", { className: "small muted" },
        ...q ? chips(q, rest => { field.value = rest; field.focus(); ask() }) : [], told), ...more);
      document.querySelector("#live").textContent = told;
    };
    if (own) history.replaceState(null, "", text ? to : location.pathname);
    if (!text.trim()) { box.hidden = !own; box.replaceChildren(); return }
    try {
      const { q, found, terms, note, partial, entry } = await answer(form.dataset.index, text, most);
      const n = found?.length;
      if (!n) return tell(note, q);
      const items = await Promise.all(found.slice(0, most).map(async f => item(await entry(f), f, terms)));
      const more = !own ? el("a", { href: form.action + to }, "All results")
        : n > most || partial && n === most ? button("More", () => ask(most + 15)) : "";
      tell(`${n} proposal${n > 1 ? "s" : ""}${partial ? " or more" : ""}${note}`, q, el("ol", {}, ...items), more);
    } catch (e) { tell(`The index did not load (${e.status ?? "offline?"}).`) }
  };

  field.oninput = () => { clearTimeout(wait); wait = setTimeout(ask, 120) };
  form.onsubmit = e => { if (own) { e.preventDefault(); ask() } };
  form.onkeydown = e => {
    const links = [...box.querySelectorAll("li a")];
    const by = (e.key === "ArrowDown") - (e.key === "ArrowUp"), to = links.indexOf(document.activeElement) + by;
    if (e.key === "Escape" && !own) { field.focus(); box.hidden = true }
    if (!by || !links[0]) return;
    e.preventDefault();
    (to < 0 ? field : links[to] ?? links.at(-1)).focus();
  };
  if (own) field.value = new URLSearchParams(location.search).get("q");
  else {
    form.addEventListener("focusout", e => { if (!form.contains(e.relatedTarget)) box.hidden = true });
    field.onfocus = () => { box.hidden = !box.firstChild };
  }
  if (field.value) ask();
};
