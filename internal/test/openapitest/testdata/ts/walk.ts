// Asks a site for all that it answers, through openapi-fetch and the types that openapi-typescript made of the site's
// OpenAPI document. Prints each answer as a line of JSON: where it is in the types, and its body.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./api.js";

declare const process: { argv: string[] };

/** bases are the addresses of the site where all is well, and of others by what is wrong there. */
const { bases, examples: x } = JSON.parse(process.argv[2] ?? "") as {
  bases: Record<"sound" | "empty" | "busy" | "down" | "late" | "closed", string>;
  examples: { n: number; topicId: number; year: number } & Record<
    "locale" | "skill" | "status" | "category" | "type" | "name" | "login" | "role" | "q",
    string
  >;
};

type API = Client<paths>;
type Call = (api: API) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
type Edit = (request: Request) => Request;

const client = (base: keyof typeof bases, edit: Edit = (request) => request): API =>
  createClient<paths>({ baseUrl: bases[base], fetch: (request) => fetch(edit(request)) });
const field =
  (name: string, value: string): Edit =>
  (request) => {
    request.headers.set(name, value);
    return request;
  };
/** body replaces the body of a request that has one. */
const body =
  (text: string): Edit =>
  (request) =>
    request.body ? new Request(request.url, { method: request.method, headers: request.headers, body: text }) : request;

async function check(operation: string, call: Call, api: API): Promise<Response> {
  const { data, error, response } = await call(api);
  const [method, path] = operation.split(" ");
  const media = response.headers.get("Content-Type")?.split(";")[0] ?? null;
  console.log(JSON.stringify({ method, path, status: response.status, media, body: data ?? error ?? null }));
  return response;
}

const sound = client("sound");
const list = await sound.GET("/api/v1/mips");
if (!list.data) throw new Error(`no list of proposals: ${list.error.detail}`);
const proposals = await Promise.all(
  list.data.mips.map(async ({ number, title, frontmatter }) => {
    const one = await sound.GET("/api/v1/mips/{n}", { params: { path: { n: number } } });
    if (!one.data) throw new Error(one.error.detail);
    if (one.data.title !== title || Object.keys(frontmatter).length === 0) throw new Error(`${title} has no header`);
    return one.data;
  }),
);

const text = { parseAs: "text" } as const;
const numbers = [x.n, ...proposals.map((p) => p.number)];
/** The first call of an operation has the examples' arguments. */
const files: Record<string, Call[]> = {
  "get /api/v1/mips": [(api) => api.GET("/api/v1/mips")],
  "get /api/v1/search": [(api) => api.GET("/api/v1/search")],
  "get /api/v1/index": [(api) => api.GET("/api/v1/index")],
  "get /api/v1/mips/{n}": numbers.map((n) => (api) => api.GET("/api/v1/mips/{n}", { params: { path: { n } } })),
  "get /api/v1/mips/{n}/summary": numbers.map((n) => (api) => api.GET("/api/v1/mips/{n}/summary", { params: { path: { n } } })),
  "get /api/v1/mips/{n}/translations/{locale}": [
    { n: x.n, locale: x.locale },
    ...proposals.flatMap((p) => p.translations.map(({ locale }) => ({ n: p.number, locale }))),
  ].map((path) => (api) => api.GET("/api/v1/mips/{n}/translations/{locale}", { params: { path } })),
  "get /api/v1/mips/{n}/history": numbers.map((n) => (api) => api.GET("/api/v1/mips/{n}/history", { params: { path: { n } } })),
  "get /api/v1/hardforks": [(api) => api.GET("/api/v1/hardforks")],
  "get /api/v1/for/{role}": [(api) => api.GET("/api/v1/for/{role}", { params: { path: { role: x.role as "validators" } } })],
  "get /api/v1/events": [(api) => api.GET("/api/v1/events")],
  "get /api/v1/events/{year}": [(api) => api.GET("/api/v1/events/{year}", { params: { path: { year: x.year } } })],
  "get /api/v1/site": [(api) => api.GET("/api/v1/site")],
  "get /api/v1/diagnostics": [(api) => api.GET("/api/v1/diagnostics")],
  "get /upgrade/{name}.md": [(api) => api.GET("/upgrade/{name}.md", { params: { path: { name: x.name } }, ...text })],
  "get /mip/{n}.md": numbers.map((n) => (api) => api.GET("/mip/{n}.md", { params: { path: { n } }, ...text })),
  "get /feed.xml": [(api) => api.GET("/feed.xml", text)],
  "get /feed.atom": [(api) => api.GET("/feed.atom", text)],
  "get /feed.json": [(api) => api.GET("/feed.json")],
  "get /changes/feed.xml": [(api) => api.GET("/changes/feed.xml", text)],
  "get /changes/feed.atom": [(api) => api.GET("/changes/feed.atom", text)],
  "get /changes/feed.json": [(api) => api.GET("/changes/feed.json")],
  "get /status/{status}/feed.atom": [
    (api) => api.GET("/status/{status}/feed.atom", { params: { path: { status: x.status } }, ...text }),
  ],
  "get /category/{category}/feed.atom": [
    (api) => api.GET("/category/{category}/feed.atom", { params: { path: { category: x.category } }, ...text }),
  ],
  "get /type/{type}/feed.atom": [(api) => api.GET("/type/{type}/feed.atom", { params: { path: { type: x.type } }, ...text })],
  "get /upgrade/{name}/feed.atom": [
    (api) => api.GET("/upgrade/{name}/feed.atom", { params: { path: { name: x.name } }, ...text }),
  ],
  "get /author/{login}/feed.atom": [
    (api) => api.GET("/author/{login}/feed.atom", { params: { path: { login: x.login } }, ...text }),
  ],
  "get /mip/{n}/feed.atom": [(api) => api.GET("/mip/{n}/feed.atom", { params: { path: { n: x.n } }, ...text })],
  "get /calendar.ics": [(api) => api.GET("/calendar.ics", text)],
  "get /upgrade/{name}/calendar.ics": [(api) => api.GET("/upgrade/{name}/calendar.ics", { params: { path: { name: x.name } }, ...text })],
  "get /for/{role}/calendar.ics": [
    (api) => api.GET("/for/{role}/calendar.ics", { params: { path: { role: x.role as "validators" } }, ...text }),
  ],
  "get /llms.txt": [(api) => api.GET("/llms.txt", text)],
  "get /llms-full.txt": [(api) => api.GET("/llms-full.txt", text)],
  "get /skill.md": [(api) => api.GET("/skill.md", text)],
  "get /.well-known/agent-skills/index.json": [(api) => api.GET("/.well-known/agent-skills/index.json")],
  "get /.well-known/agent-skills/{skill}/SKILL.md": [
    (api) =>
      api.GET("/.well-known/agent-skills/{skill}/SKILL.md", { params: { path: { skill: x.skill as "mip-proposals" } }, ...text }),
  ],
  "get /openapi.json": [(api) => api.GET("/openapi.json")],
  "get /.well-known/api-catalog": [(api) => api.GET("/.well-known/api-catalog")],
  "get /sitemap.xml": [(api) => api.GET("/sitemap.xml", text)],
  "get /robots.txt": [(api) => api.GET("/robots.txt", text)],
};
/** Proposals are named in each way. */
const names = proposals.flatMap((p) => [p.number, `${p.number}`, p.id]);
const live: Record<string, Call[]> = {
  "get /api/search": [
    { q: x.q },
    { q: "", limit: 50, offset: 1, status: [x.status, "draft"] },
    ...proposals.map(({ title }) => ({ q: title })),
  ].map((query) => (api) => api.GET("/api/search", { params: { query } })),
  "get /api/forum-activity": [x.topicId, ...proposals.flatMap((p) => p.forumTopicId ?? [])].map(
    (topicId) => (api) => api.GET("/api/forum-activity", { params: { query: { topicId } } }),
  ),
  "get /api/network-info": [(api) => api.GET("/api/network-info")],
  "get /api/mip-watch": [
    (api) => api.GET("/api/mip-watch"),
    (api) => api.GET("/api/mip-watch", { params: { query: { parts: ["forum", "networks"] } } }),
  ],
  "post /api/ai-summary": names.map((mipNumber) => (api) => api.POST("/api/ai-summary", { body: { mipNumber } })),
  "post /api/ai-translate": [x.n, ...names].map(
    (mipNumber) => (api) => api.POST("/api/ai-translate", { body: { mipNumber, locale: x.locale } }),
  ),
};

for (const [operation, calls] of Object.entries({ ...files, ...live })) {
  for (const call of calls) {
    const tag = (await check(operation, call, sound)).headers.get("ETag");
    if (tag) await check(operation, call, client("sound", field("If-None-Match", tag)));
  }
  const first = calls[0]!;
  await check(operation, first, client("empty"));
  if (!(operation in live)) continue;
  for (const base of ["busy", "busy", "closed"] as const) await check(operation, first, client(base));
  for (const call of calls) {
    await check(operation, call, client("down"));
    await check(operation, call, client("late"));
  }
  for (const wrong of [
    (request: Request) => new Request(request, { method: "PUT" }),
    (request: Request) => new Request(`${request.url.split("?")[0]}?topicId=0&parts=0`, request),
    body("{}"),
    body(" ".repeat(1 << 20)),
    field("Content-Type", "text/plain"),
  ]) {
    await check(operation, first, client("sound", wrong));
  }
}
