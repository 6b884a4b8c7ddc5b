// Loaded when a reader chooses among all proposals. They come from /api/v1/index, in the order of the page. The address
// has the choice. Words are searched in all texts, as on the search page: rows of results come from the index of texts,
// so that a search alone never loads the whole list.
const names = new Intl.Collator("en", { numeric: true }), falling = ["updated", "heat", "chain"];
const plain = e => !(e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) && (e.preventDefault(), true);

export const choose = async ({
  form, find, keys, box, table, body, blank, heads, chips, every, heats,
  showHeat, askHeat, setHeat, restore, offer, say, put, figure, standing, judge,
}) => {
  const d = document, $ = (s, r = d) => r.querySelector(s);
  const make = (tag, props) => Object.assign(d.createElement(tag), props);
  const home = $(".brand").href, none = $("#none"), pager = $("#pager");
  const networks = form.dataset.networks.split(" ").filter(Boolean);
  const kinds = [...box.kind?.options ?? []].map(o => o.value);
  const order = chips.map(c => c.dataset.status);
  // Sort keys of the columns. Descending ones begin with the greatest.
  const columns = {
    number: m => m.number, title: m => m.title, status: m => order.indexOf(m.slug), category: m => m.category,
    chain: m => m.activations[0]?.timestamp,
    updated: m => m.updated && Date.parse(m.updated), heat: m => heats.get(m.id),
  };
  const sorting = v => {
    const key = v.sort.replace(/^-/, "");
    return [key, falling.includes(key) === v.sort.startsWith("-") ? 1 : -1];
  };

  // The part of a proposal that both lists have, in the form of the page's rows: each network with its time, or after a
  // tilde the time of the fork that follows. Of some upgrades no activation is known.
  const undated = [...box.upgrade?.options ?? []].filter(o => o.dataset.undated === "").map(o => `upgrade/${o.value}`);
  const known = m => {
    m.slug = m.lists.find(l => l.startsWith("status/")).slice(7);
    const all = m.lists.some(l => undated.includes(l)) ? [] : networks;
    m.on = all.map(id => ({ id, ...m.activations.find(a => a.network === id) }));
    const at = a => a.network ? (a.hardfork === m.hardfork ? "" : "~") + a.timestamp : "";
    m.chain = { fork: m.hardfork, at: m.on.map(a => `${a.id}=${at(a)}`).join(" ") };
    return m;
  };
  let reading = null;
  const read = () => reading ??= fetch(form.dataset.index).then(r => r.json()).then(x => {
    for (const [at, m] of x.mips.entries()) {
      m.at = at;
      m.number = Number(/\d+$/.exec(m.id)[0]);
      m.people = known(m).authors.join("\n").toLowerCase();
    }
    return x.mips;
  }).catch(() => { reading = null });

  // Columns keep their width when other rows replace these. The titles have the rest.
  for (const { parentElement: th } of heads)
    if (th.dataset.sort !== "title" && th.offsetWidth) th.style.width = `${th.getBoundingClientRect().width}px`;

  // A row is a copy of one that has everything. A title has code spans, as on the other pages.
  const clear = $(".heat", blank);
  if (clear) { setHeat(clear, 0); $("b", clear).textContent = "" }
  for (const e of [$(".t", blank), $(".ti p > :last-child", blank)]) e.textContent = "";
  for (const e of blank.querySelectorAll(".end")) e.remove();
  const title = (e, text) => text.split(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/s).forEach((s, i) => {
    if (i % 3 === 0) e.append(s);
    if (i % 3 === 2) e.append(make("code", { textContent: s.replace(/^ (.*[^ ].*) $/s, "$1") }));
  });
  const day = t => new Date(t).toUTCString().replace(/^.*?, 0?(.*) .*:.*/, "$1");
  // since is when a proposal's hard fork reaches a network, in words.
  const since = (m, a) => {
    if (a.timestamp === 0) return "from the first block";
    if (!a.network) return "no date yet";
    return a.hardfork === m.hardfork ? day(a.time) : `no date of its own (${a.hardfork})`;
  };
  const row = (m, answer) => {
    const tr = blank.cloneNode(true);
    const text = (s, v) => { const e = $(s, tr); if (v) e.textContent = v; else e.remove() };
    text(".n", m.id);
    const kind = kinds.indexOf(m.id.toLowerCase().replace(/-\d+$/, ""));
    // The first two options are the select's own word and the main kind.
    $(".n", tr).className = kind > 1 ? `n k${(kind - 2) % 3 + 1}` : "n";
    title($(".t", tr), m.title);
    $(".t", tr).href = new URL(m.url).pathname;
    const about = $(".ti p", tr), until = $(".until", tr), f = answer?.hits.get(m.id.toLowerCase());
    if (f?.score) {
      // The matches, in place of the description.
      const link = $(".t", tr), text = make("p", { className: "ex" });
      link.after(text);
      answer.whenSeen(tr, async () => answer.fill(await answer.entry(f), f, answer.terms, link, text, 120));
    }
    if (m.description && !f?.score) title(about.lastElementChild, m.description); else about.lastElementChild.remove();
    for (const words of m.ended) title(about.insertBefore(make("b", { className: "end" }), until), words);
    const on = $(".on", tr), path = m.lists.find(l => l.startsWith("upgrade/"));
    if (on && !m.hardfork) {
      on.classList.add("no");
      on.replaceChildren(make("span", { title: "In no upgrade", textContent: "–" }));
    } else if (on) {
      const mark = $(".chain", on);
      if (mark) Object.assign(mark.dataset, m.chain);
      $("a", on).textContent = m.hardfork;
      $("a", on).href = `${new URL(home).pathname}${path.split("/").map(encodeURIComponent).join("/")}/`;
      const [main] = m.on, first = main?.network ? main : m.on.find(a => a.network) ?? main;
      if (first) put($(".still", on), `${first.id} ${since(m, first)}`);
      else for (const e of on.querySelectorAll(".chain, .still")) e.remove();
    }
    const badge = $(".b", tr), known = chips.find(c => c.dataset.status === m.slug);
    badge.textContent = m.status ?? "No status";
    const superseded = m.ended.some(words => words.startsWith("Superseded"));
    badge.className = `b ${known ? $(".c", known).classList[1] : "s-other"}${superseded ? " was" : ""}`;
    if (badge.matches(".s-last-call") && m.lastCallDeadline) {
      put($("time", until), day(m.lastCallDeadline));
      $("time", until).dateTime = until.dataset.until = m.lastCallDeadline;
    } else until.remove();
    if (!about.firstElementChild) about.remove();
    $(".up", tr).classList.toggle("cr", !m.updated || Date.parse(m.updated) === Date.parse(m.created));
    text(".up time", m.updated && day(m.updated));
    if (m.forumTopicId === null && !heats.has(m.id)) $(".heat", tr)?.remove();
    showHeat(tr);
    return tr;
  };

  const chosen = () => Object.fromEntries(keys.map(k => [k, box[k].value.trim()]));
  const address = v => {
    const u = new URL(location);
    for (const k of keys) if (v[k]) u.searchParams.set(k, v[k]); else u.searchParams.delete(k);
    u.search = u.search.replaceAll("%2C", ",");
    return u.href;
  };
  const turn = (v, page, pages) => {
    const link = (n, text, rel) => {
      const href = address({ ...v, page: n > 1 ? String(n) : "" });
      const a = make("a", { href, textContent: text, className: "btn s" });
      if (rel) a.rel = rel; else a.ariaLabel = `Page ${n}`;
      if (!rel && n === page) a.ariaCurrent = "page";
      return a;
    };
    const near = Array.from({ length: pages }, (_, i) => i + 1)
      .filter(n => n === 1 || n === pages || Math.abs(n - page) <= 1);
    pager.hidden = pages === 1;
    pager.replaceChildren(
      ...page > 1 ? [link(page - 1, "Previous", "prev")] : [],
      ...near.flatMap((n, i) => [...n - (near[i - 1] ?? 0) > 1 ? ["…"] : [], link(n, String(n))]),
      ...page < pages ? [link(page + 1, "Next", "next")] : [],
    );
  };

  const search = async (text, most) => {
    const { run, index } = $(".find").dataset, module = await import(run);
    const answer = await module.answer(index, text, most);
    const { found, manifest, q } = answer;
    const id = key => (/\D/.test(key) ? key : `${manifest.kinds[0]}-${key}`).toLowerCase();
    const hits = found && new Map(found.map((f, rank) => [id(manifest.proposals[f.proposal]), { ...f, rank }]));
    const result = f => ({
      slug: manifest.statuses[manifest.status[f.proposal]],
      read: () => answer.entry(f).then(known),
    });
    return { ...module, ...answer, hits, ranked: found && (q.words[0] || q.key) && found.map(result) };
  };

  // The initial page is no answer, and as long as others. Each row of the results is read: there are ten.
  const first = [...body.rows], size = first.length, ten = 10;
  const counts = [every, ...chips].map(c => $(".n", c).textContent);
  let drawn = 0;
  const draw = async () => {
    if (box.sort.value.endsWith("heat")) askHeat();
    const mine = ++drawn, v = chosen(), on = v.status.split(",").filter(Boolean);
    const [key, sign] = sorting(v), value = columns[key];
    const listed = keys.some(k => v[k] && !["q", "status", "page"].includes(k));
    const at = Math.max(1, Math.floor(Number(v.page)) || 1);
    if (listed) read();
    // A phrase search waits for the shown number of results, and one that shows whether there are more.
    const answer = v.q ? await search(v.q, listed || on[0] ? size : ten * at + 1).catch(() => null) : {};
    const { hits, q, partial, ranked } = answer ?? {}, idle = !hits && !listed && !on[0] && at === 1;
    const all = answer && !idle && (listed || !ranked) && await read();
    if (mine !== drawn) return;
    // The present rows are no answer, and do not show that, so this is above them.
    const fail = text => { delete form.dataset.wait; say($("#count").textContent = text) };
    if (!answer) return fail("The texts cannot be searched now. Are you offline?");
    if (all === undefined) return fail("The list cannot be read now. The lists by status are still there.");
    const by = v.author.toLowerCase(), total = Number(form.dataset.all), many = ranked ? ten : size;
    // A search with only filters keeps the order of the list.
    const rank = m => { const f = hits?.get(m.id.toLowerCase()); return f?.score ? f.rank : 0 };
    const wanted = m => (!hits || hits.has(m.id.toLowerCase())) && m.people.includes(by)
      && ["kind", "category", "type", "upgrade"].every(k => !v[k] || m.lists.includes(`${k}/${v[k]}`))
      && (!v.chain || v.chain === (!m.hardfork ? "none" : m.on[0] && standing(m.chain)[0]));
    const rest = idle ? first : ranked && !all ? ranked : all.filter(wanted);
    const found = on[0] ? rest.filter(m => on.includes(m.slug)) : rest;
    const compare = (x, y) => typeof x === "string" ? names.compare(x, y) : x - y;
    if (all) found.sort((a, b) => {
      const x = value?.(a) ?? null, y = value?.(b) ?? null;
      const sorted = x === null || y === null ? (x === null) - (y === null) : sign * compare(x, y);
      return sorted || rank(a) - rank(b) || a.at - b.at;
    });
    const count = idle ? total : found.length, pages = Math.max(1, Math.ceil(count / many)), page = Math.min(pages, at);
    const shown = found.slice(many * (page - 1), many * page);
    const rows = await Promise.all(shown.map(m => m.read?.() ?? m)).catch(() => null);
    if (mine !== drawn) return;
    if (!rows) return fail("The texts cannot be searched now. Are you offline?");
    delete form.dataset.wait;
    body.replaceChildren(...idle ? first : rows.map(m => row(m, hits && answer)));
    if (idle) first.forEach(showHeat);
    judge();
    turn(v, page, pages);
    for (const [i, c] of [every, ...chips].entries()) {
      const n = $(".n", c);
      n.style.minWidth ||= `${n.textContent.length}ch`; // so that nothing moves
      put(n, idle ? counts[i] : figure(rest.filter(m => c === every || m.slug === c.dataset.status).length));
    }
    none.textContent = hits?.size === 0 ? answer.note : "No proposal matches. Try fewer words, or clear the filters.";
    none.hidden = count > 0;
    const some = count < total ? `${figure(count)}${partial ? " or more" : ""} of ` : "";
    const where = page > 1 ? `, page ${page} of ${pages}` : "";
    const note = hits?.size && answer.note !== "." ? answer.note : "";
    const told = `${some}${figure(total)} ${total === 1 ? "proposal" : "proposals"}${where}${note}`;
    const change = text => { box.q.value = text; box.q.focus(); apply() };
    $("#count").replaceChildren(...set(v), ...q ? answer.chips(q, change) : [], hits ? told : answer.note ?? told);
    say(none.hidden ? $("#count").lastChild.textContent : none.textContent);
  };

  // What is set in the form, which may be folded, each with a button that removes it.
  const off = (words, remove) => {
    const b = make("button", { type: "button", className: "btn s" });
    b.textContent = `${words} ×`;
    b.ariaLabel = `Remove ${words}`;
    b.addEventListener("click", () => { remove(); table.focus({ preventScroll: true }) });
    return b;
  };
  const set = v => [
    ...chips.filter(c => c.ariaPressed === "true" && c.closest("#more"))
      .map(c => off($(".c", c).textContent, () => c.click())),
    ...keys.filter(k => v[k] && !["q", "status", "sort", "page"].includes(k))
      .map(k => off(box[k].selectedOptions?.[0].text ?? v[k], () => { box[k].value = ""; apply(true) })),
  ];

  // Controls that show the choice at once, before the proposals are loaded.
  const { sort } = box, usual = sort.options[0].text;
  const mark = () => {
    const v = chosen(), [key, sign] = sorting(v), on = v.status.split(",");
    if (sort.offsetWidth) sort.style.minWidth ||= `${sort.offsetWidth}px`; // so that nothing moves
    sort.options[0].text = v.q ? "Best first" : usual;
    for (const c of chips) c.ariaPressed = on.includes(c.dataset.status);
    every.ariaPressed = !v.status;
    // The row of statuses scrolls on a phone.
    const row = every.closest("ul"), pressed = chips.find(c => c.ariaPressed === "true");
    if (pressed) row.scrollLeft = pressed.offsetLeft - every.offsetLeft;
    const way = sign > 0 ? "ascending" : "descending";
    for (const { parentElement: th } of heads) th.ariaSort = th.dataset.sort === key ? way : null;
    if (keys.some(k => v[k])) form.dataset.on = ""; else delete form.dataset.on;
    return address(v);
  };
  // Back undoes a choice, but not each typed letter.
  const apply = (kept, page = "") => {
    box.page.value = page;
    const to = mark();
    if (to !== location.href) history[kept ? "pushState" : "replaceState"](null, "", to);
    return draw();
  };

  for (const b of heads) b.addEventListener("click", () => {
    const key = b.parentElement.dataset.sort, was = box.sort.value;
    const to = was === key ? `-${key}` : was === `-${key}` ? "" : key;
    offer(to);
    box.sort.value = to;
    apply(true);
  });
  for (const c of chips) c.addEventListener("click", e => {
    if (!plain(e)) return;
    const on = new Set(box.status.value.split(",").filter(Boolean)), s = c.dataset.status;
    if (!on.delete(s)) on.add(s);
    box.status.value = order.filter(s => on.has(s)).join(",");
    apply(true);
  });
  every.addEventListener("click", e => {
    if (!plain(e)) return;
    box.status.value = "";
    apply(true);
  });
  pager.addEventListener("click", async e => {
    const a = e.target.closest("a");
    if (!a || !plain(e)) return;
    await apply(true, new URL(a.href).searchParams.get("page") ?? "");
    table.focus({ preventScroll: true });
    form.scrollIntoView();
  });
  let wait = 0;
  for (const e of [form, find]) e.addEventListener("input", e => {
    clearTimeout(wait);
    if (e.target.matches("select")) apply(true); else wait = setTimeout(apply, 120);
  });
  form.addEventListener("submit", e => { e.preventDefault(); apply(true, box.page.value) });
  $("#clear").addEventListener("click", e => {
    if (!plain(e)) return;
    for (const k of keys) box[k].value = "";
    apply(true);
    box.q.focus();
  });
  // As many suggestions as a large list has authors.
  const suggest = async () => {
    const people = new Set((await read() ?? []).flatMap(m => m.authors));
    const options = [...people].sort(names.compare).map(value => make("option", { value }));
    $("#authors").replaceChildren(...options);
  };
  const near = e => { if (e === box.author) suggest(); else if (e?.matches("select")) read() };
  for (const e of form.querySelectorAll("select, #author")) e.addEventListener("focus", () => near(e), { once: true });
  near(d.activeElement);
  addEventListener("popstate", () => { restore(); mark(); draw() });

  // The reader may have begun to type before this was loaded.
  if (keys.some(k => box[k].value)) await apply(false, box.page.value);
  return () => box.sort.value.endsWith("heat") ? draw() : undefined;
};
