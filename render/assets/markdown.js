// Markdown as elements and text only: HTML and unknown markup stay text. Patterns can be quadratic in blanks and
// paragraphs: longer runs of blanks are cut, and longer paragraphs stay text.
const d = document, deepest = 12, longest = 10000, blanks = /([ \t]{200})[ \t]+/g;
const make = (tag, attributes, ...children) => {
  const e = d.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};

const fence = /^ {0,3}(`{3,}(?!`)|~{3,}(?!~))(?=[^`]*$)\s*([^`\s]*)/, rule = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;
const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/, underline = /^ {0,3}(=+|-+)[ \t]*$/;
const item = /^( {0,3})([-*+]|(\d{1,9})[.)])(?:( {1,4})(?=\S)| *$| (?= ))/, quote = /^ {0,3}> ?/;
const definition = /^ {0,3}\[([^\]^][^\]]*)\]:\s*<?([^\s>]+)>?(?:\s+.*)?$/;
const display = /^ *\$\$(?:[^$`\\\n]|\\.|\n(?!\s*\n))+\$\$ *(?:\n|$)/;
const delimiter = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const starts = line => [fence, heading, rule, quote, /^ {0,3}(?:[-*+]|1[.)]) /].some(r => r.test(line));
const indent = line => /^ */.exec(line)[0].length;

// cells splits a row of a table. \| and code spans do not end a cell.
const cells = row => {
  const out = [];
  let cell = "", code = false;
  for (let i = 0; i < row.length; i++) {
    if (row[i] === "\\" && row[i + 1] === "|") { cell += "|"; i++; continue }
    if (row[i] === "`") code = !code && row.indexOf("`", i + 1) > 0;
    if (row[i] === "|" && !code) { out.push(cell); cell = "" } else cell += row[i];
  }
  out.push(cell);
  if (/^\s*$/.test(out[0])) out.shift();
  if (out.length && /^\s*$/.test(out.at(-1))) out.pop();
  return out.map(c => c.trim());
};

const entities = {
  amp: "&", lt: "<", gt: ">", quot: '"', nbsp: "\u00a0", copy: "\u00a9", ndash: "\u2013", mdash: "\u2014",
  hellip: "\u2026", times: "\u00d7", le: "\u2264", ge: "\u2265",
};
const escaped = /\\([!-/:-@[-`{-~])|&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(\w+));/g;
const plain = s => s.replace(escaped, (all, esc, dec, hex, name) => {
  if (esc) return esc;
  if (name) return Object.hasOwn(entities, name) ? entities[name] : all;
  const n = dec ? Number(dec) : parseInt(hex, 16);
  return n > 0 && n <= 0x10ffff && (n < 0xd800 || n > 0xdfff) ? String.fromCodePoint(n) : "\ufffd";
});

// Inline markup, in order of precedence: escape, code, autolink, image, link, reference, strong, emphasis,
// strikethrough, bare address, line break, harmless HTML elements without attributes, formula.
const marks = RegExp([
  /(\\[!-/:-@[-`{-~])/,
  /(?<!`)(`+)(?!`)([^]*?[^`])\2(?!`)/,
  /<((?:https?:\/\/|mailto:)[^\s<>]+)>/,
  /!\[([^\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)/,
  /\[((?:\\.|`[^`]*`|[^\[\]`])+)\](?:\(<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\)|\[([^\]]*)\])?/,
  /(\*\*|__)(?=\S)([^]*?\S)\9/,
  /([*_])(?=[^\s*_])([^*_]*[^\s*_])\11/,
  /~~(?=\S)([^~]*\S)~~/,
  /(https?:\/\/[^\s<>]*[^\s<>.,;:!?"')\]])/,
  /( {2,}|\\)\n/,
  /<(su[bp]|kbd|b|i)>([^<]*)<\/\16>|<br\s*\/?>/,
  /(?<![\w$])(\$\$(?:[^$`\\]|\\.)+\$\$|\$`[^`$]+`\$|\$(?!\s)(?:[^$`\\]|\\.)*[^\s$`\\]\$)(?![\w$])/,
].map(r => r.source).join("|"), "g");

const formula = tex => make("code", { class: "math" }, tex.replace(/^\$[$`]?|[$`]?\$$/g, "").trim());

// renderer renders one text. link returns the target of a destination, or null, which leaves only the text.
const renderer = link => {
  const refs = new Map(), headings = [];
  const anchor = (dest, children) => {
    const href = link(plain(dest));
    if (!href) return children;
    const a = make("a", { href }, ...children);
    if (/^https?:/.test(href)) a.rel = "noopener";
    return [a];
  };
  const inline = (text, depth = 0, within = false) => {
    if (depth > deepest || text.length > longest) return [text];
    const out = [], more = (s, inLink = within) => inline(s, depth + 1, inLink);
    let at = 0;
    const put = (m, ...nodes) => { out.push(plain(text.slice(at, m.index)), ...nodes); at = m.index + m[0].length };
    for (const m of text.matchAll(marks)) {
      const [all, esc, , code, auto, alt, label, dest, ref, , strong, mark, em, struck, bare, , tag, inner, tex] = m;
      const word = i => /[\p{L}\p{N}]/u.test(text[i] ?? "");
      if (esc) put(m, esc[1]);
      else if (code !== undefined) put(m, make("code", {}, code.replaceAll("\n", " ").replace(/^ (.*\S.*) $/, "$1")));
      else if (auto || bare) put(m, ...within ? [auto ?? bare] : anchor(auto ?? bare, [auto ?? bare]));
      else if (alt !== undefined) put(m, alt);
      else if (label !== undefined) {
        const to = dest ?? refs.get((ref || label).toLowerCase().trim());
        if (to !== undefined && !within) put(m, ...anchor(to, more(label, true)));
        else if (to !== undefined) put(m, ...more(label));
        // The text of a footnote stands where it was written.
        else if (label[0] === "^" && !/\s/.test(label)) put(m, make("sup", {}, label.slice(1)));
        else put(m, "[", ...more(label), all.slice(label.length + 1));
      } else if (strong !== undefined) put(m, make("strong", {}, ...more(strong)));
      else if (em !== undefined) {
        const inside = mark === "_" && (word(m.index - 1) || word(m.index + all.length));
        put(m, inside ? all : make("em", {}, ...more(em)));
      } else if (struck !== undefined) put(m, make("del", {}, ...more(struck)));
      else if (tex) put(m, formula(tex));
      else if (tag) put(m, make(tag, {}, ...more(inner)));
      else put(m, make("br", {}));
    }
    return [...out, plain(text.slice(at))];
  };
  const block = (lines, language = "") => {
    const label = language ? language + " code" : "Code";
    const copy = make("button", { class: "btn s", type: "button", "data-copy": "code" }, "Copy");
    return make("figure", { class: "code" }, ...language ? [make("figcaption", {}, make("span", {}, language))] : [],
      make("pre", { tabindex: "0", "aria-label": label }, make("code", {}, lines.join("\n") + "\n")), copy);
  };
  const list = (lines, i, depth) => {
    const first = item.exec(lines[i]), ordered = first[3] !== undefined, kind = first[2].at(-1);
    const items = [];
    let loose = false;
    for (let m; i < lines.length && (m = item.exec(lines[i])) && m[2].at(-1) === kind && !rule.test(lines[i]);) {
      const width = m[0].length, own = [lines[i].slice(width)];
      let blank = false;
      for (i++; i < lines.length; i++) {
        if (!lines[i].trim()) { blank = true; own.push(""); continue }
        const inner = indent(lines[i]);
        if (inner >= Math.min(width, indent(m[0]) + 2)) own.push(lines[i].slice(Math.min(width, inner)));
        else if (!blank && !starts(lines[i]) && !item.test(lines[i])) own.push(lines[i]); // a paragraph that goes on
        else break;
        loose ||= blank;
        blank = false;
      }
      loose ||= blank && i < lines.length && item.exec(lines[i])?.[2].at(-1) === kind;
      while (own.length && !own.at(-1)) own.pop();
      const task = /^\[([ xX])\] /.exec(own[0] ?? "");
      if (task) own[0] = own[0].slice(task[0].length);
      items.push([task?.[1], blocks(own, depth + 1)]);
    }
    const e = make(ordered ? "ol" : "ul", ordered && first[3] !== "1" ? { start: String(Number(first[3])) } : {});
    for (const [task, nodes] of items) {
      const li = make("li", {}, ...loose ? nodes : nodes.flatMap(n => n.tagName === "P" ? [...n.childNodes] : [n]));
      if (task) {
        const check = make("input", { type: "checkbox", disabled: "", "aria-label": task === " " ? "To do" : "Done" });
        check.defaultChecked = task !== " ";
        (li.firstElementChild?.tagName === "P" ? li.firstElementChild : li).prepend(check, " ");
        li.className = "task";
      }
      e.append(li);
    }
    return [e, i];
  };
  const table = (lines, i) => {
    const head = cells(lines[i]);
    const align = cells(lines[i + 1]).map(c => c.endsWith(":") ? c.startsWith(":") ? "c" : "r" : "");
    const cell = (tag, text, k) => {
      const attributes = { ...tag === "th" && { scope: "col" }, ...align[k] && { class: align[k] } };
      return make(tag, attributes, ...inline(text ?? ""));
    };
    const body = make("tbody", {});
    for (i += 2; i < lines.length && lines[i].trim() && !starts(lines[i]); i++) {
      const row = cells(lines[i]);
      body.append(make("tr", {}, ...head.map((_, k) => cell("td", row[k], k))));
    }
    return [make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table" },
      make("table", {}, make("thead", {}, make("tr", {}, ...head.map((t, k) => cell("th", t, k)))), body)), i];
  };
  const title = (level, text, depth) => {
    const h = make("h" + Math.min(6, level + 1), {}, ...inline(text));
    if (!depth) headings.push(h);
    return h;
  };
  const blocks = (lines, depth) => {
    if (depth > deepest) return [lines.join("\n")];
    const out = [];
    for (let i = 0; i < lines.length;) {
      const line = lines[i];
      let m, node;
      if (!line.trim()) { i++; continue }
      if (indent(line) >= 4) {
        const code = [];
        for (; i < lines.length && (indent(lines[i]) >= 4 || !lines[i].trim()); i++) code.push(lines[i].slice(4));
        while (!code.at(-1).trim()) code.pop();
        out.push(block(code));
      } else if (m = fence.exec(line)) {
        const code = [], open = indent(line), end = new RegExp(`^ {0,3}\\${m[1][0]}{${m[1].length},}\\s*$`);
        for (i++; i < lines.length && !end.test(lines[i]); i++)
          code.push(lines[i].slice(Math.min(open, indent(lines[i]))));
        i++;
        out.push(block(code, m[2]));
      } else if (m = heading.exec(line)) { out.push(title(m[1].length, m[2] ?? "", depth)); i++ }
      else if (m = display.exec(line.includes("$$") ? lines.slice(i, i + 64).join("\n") : "")) {
        out.push(make("div", { class: "math" }, formula(m[0].trim())));
        i += m[0].trimEnd().split("\n").length;
      }
      else if (rule.test(line)) { out.push(make("hr", {})); i++ }
      else if (quote.test(line)) {
        const own = [], more = s => quote.test(s) || s.trim() && !starts(s);
        for (; i < lines.length && more(lines[i]); i++) own.push(lines[i].replace(quote, ""));
        out.push(make("blockquote", {}, ...blocks(own, depth + 1)));
      } else if (item.test(line)) { [node, i] = list(lines, i, depth); out.push(node) }
      else if (line.includes("|") && delimiter.test(lines[i + 1] ?? "")
        && cells(line).length === cells(lines[i + 1]).length) { [node, i] = table(lines, i); out.push(node) }
      else if (definition.test(line)) i++;
      else {
        const text = [line.trimStart()];
        let under = null;
        for (i++; i < lines.length && lines[i].trim(); i++) {
          under = underline.exec(lines[i]);
          if (under || starts(lines[i])) break;
          text.push(lines[i].trimStart());
        }
        if (under) { out.push(title(under[1][0] === "=" ? 1 : 2, text.join(" "), depth)); i++ }
        else out.push(make("p", {}, ...inline(text.join("\n").trimEnd())));
      }
    }
    return out;
  };
  return text => {
    const lines = text.replace(/\r\n?/g, "\n").replace(blanks, "$1").split("\n");
    let code = null, kept = false; // a tab in code
    for (const [i, line] of lines.entries()) {
      const f = fence.exec(line)?.[1];
      if (f && (!code || f[0] === code[0] && f.length >= code.length)) {
        code = code ? null : f;
        kept = code && line[0] === f[0];
      }
      if (!kept) lines[i] = line.replaceAll("\t", "    ");
      const m = !code && definition.exec(line), key = m && m[1].toLowerCase().trim();
      if (m && !refs.has(key)) refs.set(key, m[2]);
    }
    return { nodes: blocks(lines, 0), headings };
  };
};

// render returns the nodes of a text and, in order, the nodes of its own headings.
export const render = (text, link) => renderer(link)(text);
