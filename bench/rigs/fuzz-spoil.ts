import type { AnyCall } from "#contract/call.ts";
import type { Dice } from "./dice.ts";
import {
  encode,
  flawed,
  knownIds,
  OWN_ORIGIN,
  type Draft,
  type SoundDrafts,
} from "./fuzz-draft.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import {
  HOSTILE_IDS,
  HOSTILE_JSON,
  HOSTILE_KEYS,
  HOSTILE_NUMBERS,
  HOSTILE_TEXTS,
} from "./hostile-values.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND", "BREW"];
const PLAIN_PATHS = [
  "/healthz",
  "/openapi.json",
  "/metrics",
  "/media/x",
  "/media/x/vods/7/1/video.ts",
  "/admin",
  "/admin/",
  "/",
];

export type Spoiler = (draft: Draft, call: AnyCall, world: FuzzWorld) => void;

/** Makes one thing about a sound request wrong, or at least odd. */
export function createSpoiler({ random, pick, chance }: Dice, sound: SoundDrafts): Spoiler {
  function spoil(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    const ways: ((to: Draft, of: AnyCall, within: FuzzWorld) => void)[] = [
      spoilQuery,
      spoilQuery,
      spoilPath,
      spoilHeaders,
      spoilMethod,
    ];
    if (call.method !== "GET") ways.push(spoilBody, spoilBody, spoilBody, spoilBody);
    if (call.path.includes("{")) ways.push(spoilId, spoilId, spoilId);
    pick(ways)(draft, call, world);
  }

  function spoilQuery(draft: Draft, call: AnyCall): void {
    const names = sound.parametersOf(call);
    const name = names.length === 0 ? "page" : pick(names);
    const add = (text: string) => {
      draft.query = draft.query === "" ? text : `${draft.query}&${text}`;
    };
    const ways: (() => void)[] = [
      () => add(`${name}=${encode(pick(HOSTILE_TEXTS))}`),
      () => {
        draft.query = `${name}=${encode(pick(HOSTILE_NUMBERS))}`;
      },
      () => {
        draft.query = `${name}=${encode(pick(HOSTILE_TEXTS))}`;
      },
      () => {
        draft.query = `${name}=${pick(HOSTILE_IDS)}`;
      },
      () => flawed(draft, "a repeated parameter", () => add(`${name}=1&${name}=1`)),
      () => flawed(draft, "a list as parameter", () => add(`${name}[]=1`)),
      () => flawed(draft, "a nested parameter", () => add(`${name}[$gt]=1`)),
      () =>
        flawed(draft, "an unknown parameter", () => add(`unknown=${encode(pick(HOSTILE_TEXTS))}`)),
      () =>
        flawed(draft, "an inherited name", () =>
          add(pick(["__proto__=1", "constructor=1", "toString=1"])),
        ),
      () => flawed(draft, "bad percent encoding", () => add(`${name}=%E0%A4%A`)),
      () => add("?"),
      () => add(name),
      () => add("=&&=&"),
    ];
    draft.story.push(`query of ${name}`);
    pick(ways)();
  }

  function spoilPath(draft: Draft): void {
    const { path } = draft;
    draft.path = pick([
      `${path}/`,
      `/${path}`,
      path.replace("/admin/", "/ADMIN/"),
      path.replace("/admin/", "/%61dmin/"),
      path.replace("/admin/", "/admin//"),
      path.replace("/admin/", "/admin/./"),
      path.replace("/admin/", "/x/../admin/"),
      path.replace("/admin/", "/admin/%2e%2e/admin/"),
      path.replaceAll("/", "%2F").replace("%2F", "/"),
      `${path};a=b`,
      `${path}%00`,
      `${path}.json`,
      path.toUpperCase(),
      `${path}/${pick(HOSTILE_IDS)}`,
      pick(PLAIN_PATHS),
    ]);
    draft.story.push("path");
  }

  function spoilId(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    const hostile = call.path.includes("+}") ? HOSTILE_KEYS : HOSTILE_IDS;
    const id = chance(0.7) ? pick(hostile) : twistId(pick(knownIds(call, world)));
    draft.path = call.path.replace(/\{\w+\+?\}/g, () => id);
    draft.story.push("id");
  }

  function twistId(id: string): string {
    return pick([
      `${id}/`,
      `${id}%2F`,
      `${id}%00`,
      `${id}%20`,
      `${id}.`,
      id.toUpperCase(),
      id.slice(0, -1),
      `${id}?x`,
      `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`,
    ]);
  }

  function spoilMethod(draft: Draft): void {
    draft.method = pick(METHODS);
    if (draft.method === "OPTIONS" && chance(0.5))
      draft.headers.push(["access-control-request-method", pick(METHODS)]);
    if (draft.method === "GET" || draft.method === "HEAD") draft.body = null;
    draft.story.push("method");
  }

  function spoilHeaders(draft: Draft): void {
    const ways: (() => void)[] = [
      () => draft.headers.push(["x-http-method-override", "DELETE"]),
      () => draft.headers.push(["x-forwarded-host", "evil.example"]),
      () =>
        draft.headers.push(["last-event-id", encode(pick([...HOSTILE_NUMBERS, ...HOSTILE_IDS]))]),
      () => draft.headers.push(["accept", pick(["text/html", "application/xml", "*/*;q=0", "x"])]),
      () => draft.headers.push(["x-long", "h".repeat(15_000)]),
      () => draft.headers.push(["range", pick(["bytes=0-", "bytes=9-1", "bytes=a-b", "lines=1"])]),
      () => draft.headers.push(["content-length", pick(["-1", "1e9", "99999999999", "x"])]),
      () => draft.headers.push(["if-none-match", pick(["*", '"x"', "x"])]),
      () =>
        flawed(draft, "another site's origin", () =>
          draft.headers.push([
            "origin",
            pick(["https://evil.example", "null", `${OWN_ORIGIN}.evil.example`]),
          ]),
        ),
      () =>
        flawed(draft, "a prefetch", () =>
          draft.headers.push(["sec-purpose", "prefetch;prerender"]),
        ),
    ];
    draft.story.push("header");
    pick(ways)();
  }

  function spoilBody(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    draft.headers = [["content-type", "application/json"]];
    const body = call.body === undefined ? {} : sound.bodyOf(call, world);
    const text = JSON.stringify(body);
    const raw = (flaw: string | null, sent: string | Uint8Array<ArrayBuffer>): void => {
      draft.body = sent;
      draft.flaw = flaw;
      draft.story.push(`body: ${flaw ?? "one value changed"}`);
    };
    const typed = (type: string): void => {
      draft.headers = [["content-type", type]];
      raw("a body of another type", text);
    };
    const changed = (): void => raw(null, JSON.stringify(changeOneValue(body)));
    const ways: (() => void)[] = [
      changed,
      changed,
      changed,
      changed,
      changed,
      changed,
      () =>
        raw("an unknown field", JSON.stringify({ ...asRecord(body), unknown: pick(HOSTILE_JSON) })),
      () =>
        raw("__proto__", text.replace("{", text === "{}" ? '{"__proto__":{}' : '{"__proto__":{},')),
      () => raw("a repeated field", '{"a":1,"a":2}'),
      () =>
        raw(
          "no JSON",
          pick([
            "{",
            "[",
            "{]",
            "nul",
            "'a'",
            "{a:1}",
            '{"a":NaN}',
            '{"a":1,}',
            "\u0000",
            text.slice(0, -1),
          ]),
        ),
      () => raw("no object", pick(["null", "[]", '"x"', "7", "true", "[{}]"])),
      () => raw("a mark before the text", `\ufeff${text}`),
      () => raw("a number too large", '{"a":1e999}'),
      () => raw("too deep", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`),
      () => raw("a lone surrogate", String.raw`{"a":"\ud800"}`),
      () => raw("NUL in a text", String.raw`{"a":"\u0000"}`),
      () => raw("no UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])),
      () => raw("too large", `{"a":"${"x".repeat(64 * 1024)}"}`),
      () =>
        typed(
          pick([
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data; boundary=x",
            "application/json; charset=utf-16",
            "application/jsonp",
            "",
          ]),
        ),
      () => {
        draft.headers.push(["content-encoding", pick(["gzip", "br", "deflate, gzip"])]);
        raw("a compressed body", text);
      },
      () => {
        draft.isStreamed = true;
        raw(null, text);
      },
      () => {
        draft.body = null;
        if (call.body !== undefined && call.bodyOptional !== true) draft.flaw = "no body";
        draft.story.push("no body");
      },
    ];
    pick(ways)();
  }

  /** The same value with one leaf, field or item replaced, added or left out. */
  function changeOneValue(value: unknown): unknown {
    if (Array.isArray(value) && value.length > 0 && chance(0.6)) {
      const index = Math.floor(random() * value.length);
      return chance(0.3)
        ? [...value, value[index]]
        : value.map((item: unknown, at) => (at === index ? changeOneValue(item) : item));
    }
    const record = asRecord(value);
    const names = Object.keys(record);
    if (names.length === 0 || chance(0.15))
      return chance(0.5) ? pick(HOSTILE_JSON) : pick(HOSTILE_TEXTS);
    const name = pick(names);
    if (chance(0.15))
      return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
    return { ...record, [name]: changeOneValue(record[name]) };
  }

  return spoil;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
