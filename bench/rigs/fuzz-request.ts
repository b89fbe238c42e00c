import type { AnyCall } from "#contract/call.ts";
import * as auth from "#contract/auth.ts";
import { CALLS } from "#contract/registry.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import type { Actor, FuzzWorld } from "./fuzz-world.ts";
import {
  HOSTILE_IDS,
  HOSTILE_JSON,
  HOSTILE_KEYS,
  HOSTILE_NUMBERS,
  HOSTILE_TEXTS,
} from "./hostile-values.ts";
import { fieldSamplesOf, samplesOf } from "./schema-samples.ts";

export type FuzzRequest = {
  readonly method: string;
  /** Path and query as they stand in the address. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  /** Sent in pieces, so that its length is not known beforehand. */
  readonly isStreamed: boolean;
  /** Whose live session it carries; null without one, or with something that is none. */
  readonly actor: Actor | null;
  /** How it was made, for the report. */
  readonly story: string;
  /** Why it cannot succeed, when that is known from how it was made. */
  readonly flaw: string | null;
  /** Nothing at all is wrong with it: a 400 would refuse good data. */
  readonly isSound: boolean;
  /** Trouble at Twitch while it is answered. */
  readonly fault: NewFault | null;
};

export type RequestMaker = (world: FuzzWorld) => Promise<FuzzRequest>;

type Draft = {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: string | Uint8Array<ArrayBuffer> | null;
  isStreamed: boolean;
  flaw: string | null;
  story: string[];
};

const OWN_ORIGIN = "http://localhost:8787";
const SAMPLES = 60;
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

/** Texts that searches over the seeded rows find something with. */
const SEARCHES = ["a", "ti", "title", "fuzz", "login_3", ".ts", "70001", "e\u0301"];

const FAULTS: readonly NewFault[] = [
  ...[400, 401, 403, 404, 429, 500, 503].map((status) => ({
    match: {},
    fault: { type: "status" as const, status },
  })),
  { match: {}, fault: { type: "empty" } },
  { match: {}, fault: { type: "html" } },
  { match: {}, fault: { type: "reset" } },
  { match: {}, fault: { type: "truncate", afterBytes: 20 } },
];

/** Calls that ask Twitch before they answer. */
const ASKS_TWITCH = /\/(?:uploads|uploads\/preview|auth\/callback)$/;

/**
 * Makes requests out of the registry: sound ones, and sound ones with one thing wrong. The same
 * random numbers over the same world make the same requests.
 */
export function createRequestMaker(random: () => number, seed: number): RequestMaker {
  const pools = new Map(CALLS.map((call) => [call, poolsOf(call, seed)]));

  function pick<T>(list: readonly T[]): T {
    const chosen = list[Math.floor(random() * list.length)];
    if (chosen === undefined) throw new Error("There is nothing to pick from");
    return chosen;
  }
  const chance = (share: number): boolean => random() < share;

  function poolOf(call: AnyCall): Pools {
    const found = pools.get(call);
    if (found === undefined) throw new Error(`${call.path} is no call`);
    return found;
  }

  function pathOf(call: AnyCall, world: FuzzWorld): string {
    return call.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => {
      const ids = knownIds(call, world);
      if (name !== "type" && ids.length > 0 && chance(0.85)) return pick(ids);
      return String(pick(poolOf(call).params.get(name) ?? ["unknown"]));
    });
  }

  function soundQuery(call: AnyCall, world: FuzzWorld): Map<string, string> {
    const query = new Map<string, string>();
    for (const [name, values] of poolOf(call).query) {
      if (name === "token" || chance(0.6)) continue;
      query.set(name, soundParameter(name, values, world));
    }
    return query;
  }

  function soundParameter(name: string, values: readonly unknown[], world: FuzzWorld): string {
    switch (name) {
      case "page":
      case "limit":
        return pick(["1", "2", "3", "20"]);
      case "days":
        return pick(["7", "30", "90"]);
      case "offset":
        return pick(["0", "1", "100"]);
      case "search":
        return pick(SEARCHES);
      case "userId":
      case "actorId":
        return pick(world.known().users);
      case "action":
        return "upload.retry";
      default:
        return String(pick(values));
    }
  }

  function soundBody(call: AnyCall, world: FuzzWorld): unknown {
    if (call.path.endsWith("/bulk-retry") && chance(0.7))
      return {
        ids: Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
          pick(world.known().uploads),
        ),
      };
    if (call.path.endsWith("/admin/uploads") || call.path.endsWith("/preview")) {
      const vodId = pick(world.vodkeep.twitch.control.vods()).id;
      const source = { type: "twitch", vodId };
      return call.path.endsWith("/preview")
        ? { source }
        : { source, rightsConfirmed: true, again: chance(0.5) };
    }
    return pick(poolOf(call).bodies);
  }

  function soundDraft(call: AnyCall, world: FuzzWorld): Draft {
    const query = [...soundQuery(call, world)];
    const hasBody = call.body !== undefined && (call.bodyOptional !== true || chance(0.7));
    return {
      method: call.method,
      path: pathOf(call, world),
      query: query.map(([name, value]) => `${name}=${encode(value)}`).join("&"),
      headers: hasBody ? [["content-type", "application/json"]] : [],
      body: hasBody ? JSON.stringify(soundBody(call, world)) : null,
      isStreamed: false,
      flaw: null,
      story: [],
    };
  }

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
    const names = [...poolOf(call).query.keys()];
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
    const sound = call.body === undefined ? {} : soundBody(call, world);
    const text = JSON.stringify(sound);
    const raw = (flaw: string | null, body: string | Uint8Array<ArrayBuffer>): void => {
      draft.body = body;
      draft.flaw = flaw;
      draft.story.push(`body: ${flaw ?? "one value changed"}`);
    };
    const typed = (type: string): void => {
      draft.headers = [["content-type", type]];
      raw("a body of another type", text);
    };
    const changed = (): void => raw(null, JSON.stringify(changeOneValue(sound)));
    const ways: (() => void)[] = [
      changed,
      changed,
      changed,
      changed,
      changed,
      changed,
      () =>
        raw(
          "an unknown field",
          JSON.stringify({ ...asRecord(sound), unknown: pick(HOSTILE_JSON) }),
        ),
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

  async function credentials(draft: Draft, call: AnyCall, world: FuzzWorld): Promise<Actor | null> {
    const endsSession = call === auth.logout || call === auth.refresh;
    const kind = random();
    if (kind < 0.08) return null;
    if (kind < 0.2 && !endsSession) {
      presentNonsense(draft, world);
      return null;
    }
    const [administrator] = world.actors;
    if (kind < 0.22 && !endsSession && administrator !== undefined) {
      // Streams take the bearer there, since a browser's EventSource sends no header.
      draft.query += `${draft.query === "" ? "" : "&"}token=${administrator.client.token}`;
      if (call.stream !== true) flawed(draft, "a token in the address", () => undefined);
      return administrator;
    }
    const actor = endsSession
      ? await world.passerBy()
      : kind < 0.72 && administrator !== undefined
        ? administrator
        : pick(world.actors);
    const transport = pick(["bearer", "cookie", "both"]);
    if (transport !== "cookie")
      draft.headers.push(["authorization", `Bearer ${actor.client.token}`]);
    if (transport !== "bearer") draft.headers.push(["cookie", cookiesOf(actor)]);
    return actor;
  }

  function presentNonsense(draft: Draft, world: FuzzWorld): void {
    const [administrator] = world.actors;
    const token = administrator?.client.token ?? "";
    const cookie = administrator?.client.cookies.get("vodkeep_session") ?? "";
    const other = pick(world.actors.slice(1));
    const authorization = (text: string) => () => {
      draft.headers.push(["authorization", text]);
    };
    const ways: (() => void)[] = [
      authorization("Bearer"),
      authorization("Bearer  "),
      authorization(`bearer ${token}`),
      authorization(`Basic ${token}`),
      authorization(`Bearer ${token} `.replace(token, `${token}x`)),
      authorization(`Bearer ${token}, Bearer ${token}`),
      authorization(`Bearer ${token.toUpperCase()}g`),
      authorization(`Bearer ${"a".repeat(8_000)}`),
      authorization(`Bearer ${cookie}`),
      authorization(`Bearer ${world.streamTicket}`),
      authorization(`Bearer ${pick(world.deadTokens)}`),
      authorization(`Bearer ${"0".repeat(64)}`),
      () => draft.headers.push(["cookie", `vodkeep_session=${token}`]),
      () => draft.headers.push(["cookie", "vodkeep_session="]),
      () =>
        draft.headers.push([
          "cookie",
          `vodkeep_session=${cookie}; vodkeep_session=${"0".repeat(64)}`,
        ]),
      () =>
        draft.headers.push(
          ["cookie", `vodkeep_session=${cookie}`],
          ["authorization", `Bearer ${other.client.token}`],
        ),
    ];
    draft.story.push("credentials");
    pick(ways)();
  }

  return async (world) => {
    const call = pick(CALLS);
    const draft = soundDraft(call, world);
    const isSpoilt = chance(0.75);
    if (isSpoilt) spoil(draft, call, world);
    const actor = await credentials(draft, call, world);
    if (!draft.headers.some(([name]) => name === "origin"))
      draft.headers.push(["origin", OWN_ORIGIN]);
    const fault = ASKS_TWITCH.test(call.path) && chance(0.3) ? pick(FAULTS) : null;
    return {
      method: draft.method,
      target: draft.query === "" ? draft.path : `${draft.path}?${draft.query}`,
      headers: draft.headers,
      body: draft.method === "GET" || draft.method === "HEAD" ? null : draft.body,
      isStreamed: draft.isStreamed,
      actor,
      story: [`${call.method} ${call.path}`, ...draft.story].join(", "),
      flaw: draft.flaw,
      isSound: !isSpoilt && actor !== null && fault === null && draft.flaw === null,
      fault,
    };
  };
}

function flawed(draft: Draft, flaw: string, spoil: () => unknown): void {
  draft.flaw = flaw;
  draft.story.push(flaw);
  spoil();
}

type Pools = {
  readonly params: ReadonlyMap<string, readonly unknown[]>;
  readonly query: ReadonlyMap<string, readonly unknown[]>;
  readonly bodies: readonly unknown[];
};

function poolsOf(call: AnyCall, seed: number): Pools {
  const none = new Map<string, readonly unknown[]>();
  return {
    params: call.params === undefined ? none : fieldSamplesOf(call.params, SAMPLES, seed),
    query: call.query === undefined ? none : fieldSamplesOf(call.query, SAMPLES, seed),
    bodies: call.body === undefined ? [] : samplesOf(call.body, SAMPLES, seed),
  };
}

function cookiesOf({ client }: Actor): string {
  return [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function knownIds(call: AnyCall, world: FuzzWorld): readonly string[] {
  const known = world.known();
  if (call.path.includes("/r2/file/")) return known.files;
  if (call.path.includes("/users/")) return known.users;
  if (call.path.includes("/thresholds/")) return known.thresholds;
  if (call.path.includes("/alerts/")) return known.alerts;
  return known.uploads;
}
