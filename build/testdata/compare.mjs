// Asks three searches the questions that there are for a site, and prints how many each answers: {name: {first, five, slipped}}.
import { copyFileSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { inflateRawSync } from "node:zlib";

const [site, corpus, kind] = process.argv.slice(2), MiniSearch = createRequire(import.meta.url)("minisearch");
const json = name => JSON.parse(readFileSync(name, "utf8"));
const questions = json("../internal/search/testdata/questions.json").map((q, n) => ({ ...q, n })).filter(q => q.corpus === corpus);

// slip is that of quality_test.go in internal/search.
const slip = (text, n) => {
  const words = text.split(/\s+/), k = words.findIndex((_, k) => /^[a-z]{5,}$/i.test(words[(k + n) % words.length])), i = (k + n) % words.length;
  if (k < 0) return text;
  const w = words[i], at = 1 + n * 7 % (w.length - 2), start = w.slice(0, at), rest = w.slice(at);
  words[i] = start + [rest.slice(1), rest[1] + rest[0] + rest.slice(2), "x" + rest.slice(1), "q" + rest][n % 4];
  return words.join(" ");
};

const result = {};
const count = async (name, ask) => {
  const of = result[name] = { first: 0, five: 0, slipped: 0 };
  for (const q of questions) {
    const at = (await ask(q.question)).slice(0, 5).indexOf(String(q.proposal));
    of.first += at === 0;
    of.five += at >= 0;
    of.slipped += (await ask(slip(q.question, q.n)))[0] === String(q.proposal);
  }
};

copyFileSync("../render/assets/search.js", `${site}/search.mjs`);
const { parse, find } = await import(`${site}/search.mjs`), manifest = json(`${site}/api/v1/search.json`);
const part = async url => {
  const { pathname, hash } = new URL(url), [first, last] = hash.match(/\d+/g).map(Number);
  return JSON.parse(inflateRawSync(readFileSync(site + pathname).subarray(first, last + 1)));
};
await count("script", async text => (await find(manifest, part, parse(`${text} `, manifest.kinds), 5)).found.map(f => manifest.proposals[f.proposal]));

const mini = new MiniSearch({ fields: ["title", "description", "text"] });
for (const id of manifest.proposals) {
  const { title, description } = json(`${site}/api/v1/mips/${id}.json`);
  mini.add({ id, title, description: description ?? "", text: readFileSync(`${site}/${kind}/${id}.md`, "utf8") });
}
await count("minisearch", text => mini.search(text).map(r => r.id));

// Pagefind is made for a browser: it asks for its files at an address without a host, and looks for a document.
const server = createServer((q, a) => a.end(readFileSync(site + q.url.split("?")[0]))).listen(0, "127.0.0.1");
await new Promise(done => server.once("listening", done));
const base = `http://127.0.0.1:${server.address().port}`, ask = fetch;
Object.assign(globalThis, {
  window: globalThis, location: new URL(base), fetch: url => ask(new URL(url, base)),
  document: { currentScript: null, querySelector: () => ({ getAttribute: () => "en" }) },
});
copyFileSync(`${site}/pagefind/pagefind.js`, `${site}/pagefind.mjs`);
const pagefind = await import(`${site}/pagefind.mjs`);
await pagefind.options({ basePath: "/pagefind/", baseUrl: "/" });
await count("pagefind", async text => {
  const found = (await pagefind.search(text)).results.slice(0, 5);
  return (await Promise.all(found.map(f => f.data()))).map(d => /(\d+)\/$/.exec(d.url)?.[1]);
});
server.close();
console.log(JSON.stringify(result));
