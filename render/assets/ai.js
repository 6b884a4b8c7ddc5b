// Loaded for a summary or a translation. A model's words become text and elements, never HTML.
import { render } from "./markdown.js";

const d = document, patience = 15000; // milliseconds
const make = (tag, attributes = {}, ...children) => {
  const e = d.createElement(tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  e.append(...children);
  return e;
};
const groups = [
  ["Validators", "validators"], ["Developers", "developers"], ["Users", "users"], ["Foundation", "the foundation"],
];
const seconds = n => {
  if (!(n > 0)) return "";
  if (n === 1) return " Try again in 1 second.";
  return n < 120 ? ` Try again in ${n} seconds.` : ` Try again in ${Math.ceil(n / 60)} minutes.`;
};
// moment formats a time like the pages.
const moment = text => {
  const words = new Date(text).toUTCString().replace(/^.*, 0?(.*) (.*):.*/, "$1, $2 UTC");
  return make("time", { datetime: text }, words);
};

// explain describes why there is no answer.
const explain = (status, code, wait) => {
  if (status === 429) return "Too many requests." + (seconds(wait) || " Try again in a minute.");
  if (code === "ai_disabled") return "This site asks no language model, so there is nothing to show here.";
  if ([404, 405, 501].includes(status))
    return "The live service that would answer this is not running here, or does not know this proposal yet.";
  const later = seconds(wait) || " Try again in a while.";
  if (status === 504) return "The language model took too long." + later;
  if (status === 502 || status === 503) return "The language model gave no usable answer." + later;
  return `The request failed (status ${status}).` + seconds(wait);
};

// ask posts to a live route. It returns the answer, or throws an error whose message is for people.
const ask = async (api, body) => {
  let r;
  try {
    r = await fetch(api, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      signal: AbortSignal.timeout(patience),
    });
  } catch (e) {
    const late = e.name === "TimeoutError";
    throw Error(late ? "No answer came in time. Try again in a while." : "The request failed. Are you online?");
  }
  const answer = await r.json().catch(() => null);
  if (!r.ok) throw Error(explain(r.status, answer?.code, Number(r.headers.get("Retry-After"))));
  if (!answer || typeof answer !== "object") throw Error("The answer could not be read.");
  return answer;
};

// busy runs a button's job, one at a time, with its state in a status line.
const busy = async (button, status, word, job) => {
  if (button.dataset.busy) return;
  button.dataset.busy = "1";
  button.setAttribute("aria-disabled", "true");
  status.textContent = word;
  try {
    await job();
  } catch (e) {
    status.textContent = e instanceof TypeError ? "The answer could not be read." : e.message;
  }
  delete button.dataset.busy;
  button.removeAttribute("aria-disabled");
};

// spans renders a text's Markdown code spans.
const spans = text => {
  const out = [];
  let at = 0;
  for (const m of text.matchAll(/(?<!`)(`+)(?!`)([^]+?)(?<!`)\1(?!`)/g)) {
    out.push(text.slice(at, m.index), make("code", {}, m[2]));
    at = m.index + m[0].length;
  }
  return [...out, text.slice(at)];
};

// place is the place of a quote: a section of this page, or of another proposal (MIP-4#s-abstract).
const place = (section, pages) => {
  const [, other, number, id] = /^(?:([^#]*?(\d+))#)?(.*)$/.exec(section);
  const name = id.replace(/^s-/, "").replaceAll("-", " ");
  if (other) return make("a", { href: `${pages}${number}/#${id}` }, `${other}, ${name}`);
  const heading = d.getElementById(id);
  return make("a", { href: heading ? "#" + id : "#text" }, heading?.textContent.trim() || name);
};

// axis is a group with a statement of the text or a request of the upgrade. The upgrade's times are on the page. By
// rules a group has only quotes.
const axis = ([name, words], a, rules, box) => {
  const copy = part => [...box.querySelector(`[data-ask=${part}]`)?.cloneNode(true).childNodes ?? []];
  const asked = box.querySelector(`.asked[data-ask=${name}]`)?.cloneNode(true), level = a.severity;
  const lead = a.actionEvidence ?? (rules ? a.evidence[0] : null);
  const more = a.evidence.filter(e => !lead || e.section !== lead.section || e.quote !== lead.quote), n = more.length;
  const quote = e => {
    const text = e.quote.replace(/!?\[([^\]]*)\]\([^()\s]*\)/g, "$1");
    return [make("q", {}, ...spans(text)), " ", place(e.section, box.dataset.pages)];
  };
  const past = box.classList.contains("past");
  const act = a.actionRequired ? ["yes", ...past ? [`It asked ${words} to adapt:`] : copy("needed")]
    : a.actionEvidence && ["no", asked ? "The text asks for nothing" : "No action needed"];
  const impact = () => level[0].toUpperCase() + level.slice(1) + " impact";
  return make("section", { class: "ax" },
    make("header", {}, make("h3", {}, name), ...a.stated ? [make("span", { class: "sev ic " + level }, impact())] : []),
    ...a.stated && act ? [make("p", { class: "act ic " + act[0] }, ...act.slice(1))] : [],
    ...lead ? [make("p", { class: "says" }, ...quote(lead))] : [],
    ...a.stated && !rules ? [make("p", {}, ...spans(a.impact))] : [],
    ...n ? [make("details", {},
      make("summary", {}, `${n} ${lead ? "more " : ""}quote${n > 1 ? "s" : ""} from the text`),
      make("ul", {}, ...more.map(e => make("li", {}, ...quote(e)))))] : [],
    ...asked ? [asked] : []);
};

// panel replaces the page's summary: the form of templates/impact.tmpl.
const panel = (box, s, hashOfText) => {
  const rules = s.source === "extractive", old = s.stale || hashOfText && s.contentHash !== hashOfText, f = s.fallback;
  const title = box.querySelector("h2");
  const named = groups
    .map(g => [g, s[g[0].toLowerCase()], !!box.querySelector(`.asked[data-ask=${g[0]}]`)])
    .filter(([, a, asked]) => a.stated || asked);
  // Those that have to act come first.
  const acts = ([[name], a, asked]) => a.stated && a.actionRequired || asked && name === "Validators";
  const spoken = named.toSorted((x, y) => acts(y) - acts(x)).map(([g, a]) => axis(g, a, rules, box));
  const changes = s.whatsChanging, own = box.querySelector(".tldr");
  const made = rules ? [] : [make("span", {}, "Made ", moment(s.generatedAt), " by " + s.source)];
  const hash = make("span", { class: "num" }, s.contentHash.slice(0, 7));
  const origin = rules ? "Picked by rules" : "AI-generated, not part of the proposal";
  const match = old ? make("span", { class: "ic old" }, "Older than the text (made from ", hash, ")")
    : make("span", { class: "ic same" }, "Matches this text (", hash, ")");
  const parts = [
    make("header", {}, title, make("span", { class: "tag" }, origin)),
    ...f ? [make("p", { class: "ic old" },
      "This is shown instead of what you asked for. " + f.detail + seconds(f.retryAfter))] : [],
    ...rules ? own ? [own] : [] : [make("p", { class: "tldr" }, ...spans(s.tldr))], // the page's own is that of rules
    ...spoken.length ? [make("div", { class: "axes" }, ...spoken)] : [],
    ...changes.length ? [make("details", rules ? {} : { open: "" },
      make("summary", {}, `What ${rules ? "else " : ""}changes`),
      make("ul", { class: "ch" }, ...changes.map(x => make("li", {}, ...spans(x)))))] : [],
    make("footer", {}, ...made, match, make("a", { href: box.dataset.pages + "../about/ai/" }, "How it is made")),
  ];
  box.replaceChildren(...parts);
  for (const e of d.querySelectorAll("[data-who]")) e.remove(); // of the page's own summary
  title.tabIndex = -1;
  title.focus();
  d.getElementById("live").textContent = "The summary is ready.";
};

const summarise = button => {
  const box = d.getElementById("impact").closest("section");
  const status = box.querySelector("[role=status]");
  return busy(button, status, "Asking for a summary. This may take some seconds.", async () => {
    const text = fetch(box.dataset.proposal).then(r => r.json()).catch(() => null);
    panel(box, await ask(box.dataset.api, { mipNumber: box.dataset.number }), (await text)?.contentHash);
  });
};

// The English text, to return to, and the fetched translations, by language.
const article = d.getElementById("text"), english = [...article.childNodes], fetched = new Map();

// leads is the target of a link in a translation: the web, a proposal's page or a place on this one.
const leads = box => dest => {
  if (/^(https?:\/\/|mailto:)/i.test(dest)) { try { return new URL(dest).href } catch { return null } }
  const prefix = box.dataset.prefix.replace(/\W/g, "\\$&");
  const proposal = new RegExp(`^[^#?:]*?${prefix}-(\\d+)(?:\\.md)?/?(?:#(.+))?$`, "i");
  const [, number, fragment] = proposal.exec(dest) ?? [];
  if (number) return `${box.dataset.pages}${number}/${fragment ? "#s-" + fragment.replace(/^s-/, "") : ""}`;
  const id = /^#(.+)$/.exec(dest)?.[1];
  const here = id && [id, "s-" + id, "s-" + id.toLowerCase()].find(x => english.some(n => n.id === x));
  return here ? "#" + here : null;
};

// translated are the nodes of a translation. Its headings get the levels and ids of the English ones if their number is
// the same. A first heading that repeats the title is left out, as in the English text.
const translated = (t, box) => {
  const { nodes, headings } = render(t.markdown, leads(box));
  const theirs = english.filter(n => /^H[2-6]$/.test(n.tagName ?? "") && n.id && n.querySelector(".h"));
  const first = english.find(n => n.tagName === "SPAN" && n.id);
  if (first && headings.length === theirs.length + 1) {
    nodes[nodes.indexOf(headings.shift())] = make("span", { id: first.id });
  }
  if (headings.length === theirs.length) headings.forEach((h, i) => {
    const like = make(theirs[i].tagName, { id: theirs[i].id });
    const link = make("a", { class: "h", href: "#" + theirs[i].id });
    if (h.querySelector("a")) {
      link.setAttribute("aria-label", "Link to this section");
      link.append("#");
      like.append(...h.childNodes, " ", link);
    } else {
      link.append(...h.childNodes);
      like.append(link);
    }
    nodes[nodes.indexOf(h)] = like;
  });
  return nodes;
};

const note = (t, language) => {
  const file = t.source === "file";
  const made = file ? "Translation committed with the proposal" : "Machine translation by " + t.source;
  return make("div", { class: "note ic ic-globe", id: "translated" }, make("div", {},
    make("p", {}, `${made} (${language}, `, moment(t.generatedAt), "). The English text is authoritative."),
    ...t.stale ? [make("p", { class: "ic old" }, "Older than the English text, which has changed since.")] : []));
};

// show replaces a text, and marks its language as current.
const show = (box, choice, nodes, lang, dir, head) => {
  d.getElementById("translated")?.remove();
  if (head) article.before(head);
  article.replaceChildren(...nodes);
  if (lang) Object.assign(article, { lang, dir });
  else for (const name of ["lang", "dir"]) article.removeAttribute(name);
  for (const e of box.querySelectorAll("[aria-current]")) e.removeAttribute("aria-current");
  choice.setAttribute("aria-current", "true");
};

const translate = button => {
  const box = button.closest("section"), home = box.querySelector("a");
  const status = box.querySelector("[role=status]"), name = button.textContent;
  if (!box.dataset.ready) {
    box.dataset.ready = "1";
    home.addEventListener("click", e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || !d.getElementById("translated")) return;
      e.preventDefault();
      show(box, home, english);
      status.textContent = "The English text is shown.";
    });
  }
  return busy(button, status, `Asking for a translation (${name}). This may take some seconds.`, async () => {
    const wanted = { mipNumber: box.dataset.number, locale: button.lang };
    const t = fetched.get(button.lang) ?? await ask(box.dataset.api, wanted);
    const description = t.description ? [make("br"), t.description] : [];
    const title = make("p", {}, make("strong", {}, ...spans(t.title)), ...description);
    show(box, button, [title, ...translated(t, box)], t.locale, button.dir, note(t, name));
    fetched.set(button.lang, t);
    status.textContent = `The translation is shown (${name}).`;
  });
};

// run is called by the page's own script with the pressed button.
export const run = button => button.lang ? translate(button) : summarise(button);
