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
import { createBodySpoiler, type Spoiler } from "./fuzz-spoil-body.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import { HOSTILE_IDS, HOSTILE_KEYS, HOSTILE_NUMBERS, HOSTILE_TEXTS } from "./hostile-values.ts";

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

/** Makes one aspect of a valid request invalid, or at least unusual. */
export function createSpoiler(dice: Dice, sound: SoundDrafts): Spoiler {
  const { pick, chance } = dice;
  const spoilBody = createBodySpoiler(dice, sound);

  function spoil(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    const ways: Spoiler[] = [spoilQuery, spoilQuery, spoilPath, spoilHeaders, spoilMethod];
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

  return spoil;
}
