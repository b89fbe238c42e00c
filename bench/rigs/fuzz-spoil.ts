import type { AnyCall } from "#contract/call.ts";
import { hostileJson, hostileText } from "#service/testing/contract-values.ts";
import type { FuzzDice } from "./fuzz-dice.ts";
import { encode, knownIds, OWN_ORIGIN, type Draft, type SoundDrafts } from "./fuzz-draft.ts";
import type { FuzzWorld } from "./fuzz-world.ts";

export type Spoiler = (draft: Draft, call: AnyCall, world: FuzzWorld) => void;

const METHODS = "GET POST PUT DELETE PATCH HEAD OPTIONS PROPFIND BREW".split(" ");
const PLAIN_PATHS =
  "/healthz /openapi.json /metrics /media/x /media/x/vods/7/1/video.ts /admin /admin/ /".split(" ");

/** Raw path segments that are wrongly encoded, reserved or too long. */
const RAW_IDS = [
  ..."0 -1 1e3 9007199254740993 :id {id} failed stream __proto__ constructor a;b=c a+b a,b * ~".split(
    " ",
  ),
  ..."%2e %2e%2e %252e%252e ..%2f..%2fetc%2fpasswd a%2Fb a%5Cb %00 a%00 %0d%0aSet-Cookie:%20a=b".split(
    " ",
  ),
  ..."%E0%A4%A % %zz %ED%A0%80 %F0%9F%98%80 e%CC%81 a%20b %20 %27%20OR%201=1--".split(" "),
  ...[64, 65, 300].map((length) => "x".repeat(length)),
];

/** Raw keys for paths that end in `{key+}`. */
const RAW_KEYS = [
  ...RAW_IDS,
  ..."/ // ./x ../x a/../../b a//b a/ /a vods/ vods/%2e%2e/x vods%2F1%2F2%2Fx.ts manifest.json".split(
    " ",
  ),
  ...[512, 513, 1_024, 1_025].map((length) => "k".repeat(length)),
];

/** Makes one aspect of a valid request invalid, or at least unusual. */
export function createSpoiler({ pick, chance, draw }: FuzzDice, sound: SoundDrafts): Spoiler {
  const text = (): string => encode(draw(hostileText));

  function spoilQuery(draft: Draft, call: AnyCall): void {
    const { query } = draft;
    const name = pick([...sound.parametersOf(call), "page"]);
    const [flaw, spoilt] = pick<readonly [string | null, string]>([
      [null, `${query}&${name}=${text()}`],
      [null, `${name}=${text()}`],
      [null, `${name}=${text()}`],
      [null, `${name}=${pick(RAW_IDS)}`],
      [null, `${query}&?`],
      [null, `${query}&${name}`],
      [null, `${query}&=&&=&`],
      ["a repeated parameter", `${query}&${name}=1&${name}=1`],
      ["a list as parameter", `${query}&${name}[]=1`],
      ["a nested parameter", `${query}&${name}[$gt]=1`],
      ["an unknown parameter", `${query}&unknown=${text()}`],
      ["an inherited name", `${query}&${pick(["__proto__", "constructor", "toString"])}=1`],
      ["bad percent encoding", `${query}&${name}=%E0%A4%A`],
    ]);
    draft.query = spoilt;
    tell(draft, `query of ${name}`, flaw);
  }

  function spoilPath(draft: Draft): void {
    const { path } = draft;
    draft.path = pick([
      `${path}/`,
      `/${path}`,
      ...[
        "/ADMIN/",
        "/%61dmin/",
        "/admin//",
        "/admin/./",
        "/x/../admin/",
        "/admin/%2e%2e/admin/",
      ].map((prefix) => path.replace("/admin/", prefix)),
      path.replaceAll("/", "%2F").replace("%2F", "/"),
      `${path};a=b`,
      `${path}%00`,
      `${path}.json`,
      path.toUpperCase(),
      `${path}/${pick(RAW_IDS)}`,
      pick(PLAIN_PATHS),
    ]);
    tell(draft, "path", null);
  }

  function spoilId(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    const known = pick(knownIds(call, world));
    const id = chance(0.7)
      ? pick(call.path.includes("+}") ? RAW_KEYS : RAW_IDS)
      : pick([
          ...["/", "%2F", "%00", "%20", ".", "?x"].map((end) => known + end),
          text(),
          known.toUpperCase(),
          known.slice(0, -1),
          `%${known.charCodeAt(0).toString(16)}${known.slice(1)}`,
        ]);
    draft.path = call.path.replace(/\{\w+\+?\}/g, () => id);
    tell(draft, "id", null);
  }

  function spoilMethod(draft: Draft): void {
    draft.method = pick(METHODS);
    if (draft.method === "OPTIONS" && chance(0.5))
      draft.headers.push(["access-control-request-method", pick(METHODS)]);
    tell(draft, "method", null);
  }

  function spoilHeaders(draft: Draft): void {
    const [flaw, name, value] = pick<readonly [string | null, string, string]>([
      [null, "x-http-method-override", "DELETE"],
      [null, "x-forwarded-host", "evil.example"],
      [null, "last-event-id", encode(pick(RAW_IDS))],
      [null, "accept", pick(["text/html", "application/xml", "*/*;q=0", "x"])],
      [null, "x-long", "h".repeat(15_000)],
      [null, "range", pick(["bytes=0-", "bytes=9-1", "bytes=a-b", "lines=1"])],
      [null, "content-length", pick(["-1", "1e9", "99999999999", "x"])],
      [null, "if-none-match", pick(["*", '"x"', "x"])],
      [
        "another site's origin",
        "origin",
        pick(["https://evil.example", "null", `${OWN_ORIGIN}.evil.example`]),
      ],
      ["a prefetch", "sec-purpose", "prefetch;prerender"],
    ]);
    draft.headers.push([name, value]);
    tell(draft, `header ${name}`, flaw);
  }

  /** Damages the body: a value, a field, the text, its encoding or its type. */
  function spoilBody(draft: Draft, call: AnyCall, world: FuzzWorld): void {
    const body = call.body === undefined ? {} : sound.bodyOf(call, world);
    const json = JSON.stringify(body);
    const [flaw, spoilt, ...headers] = chance(0.3)
      ? ([null, JSON.stringify(sound.spoiltBodyOf(call))] as const)
      : pick<readonly [string | null, Draft["body"], ...(readonly [string, string])[]]>([
          ["an unknown field", JSON.stringify({ ...Object(body), unknown: draw(hostileJson) })],
          ["__proto__", json.replace("{", json === "{}" ? '{"__proto__":{}' : '{"__proto__":{},')],
          ["a repeated field", '{"a":1,"a":2}'],
          ["no JSON", pick(["{", "[", "{]", "nul", "'a'", "{a:1}", '{"a":NaN}', '{"a":1,}', "\0"])],
          ["no JSON", json.slice(0, -1)],
          ["no object", pick(["null", "[]", '"x"', "7", "true", "[{}]"])],
          ["a mark before the text", `\ufeff${json}`],
          ["a number too large", '{"a":1e999}'],
          ["too deep", `${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`],
          ["a lone surrogate", String.raw`{"a":"\ud800"}`],
          ["NUL in a text", String.raw`{"a":"\u0000"}`],
          ["no UTF-8", Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
          ["too large", `{"a":"${"x".repeat(64 * 1024)}"}`],
          [
            "a body of another type",
            json,
            [
              "content-type",
              pick([
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/json; charset=utf-16",
                "application/jsonp",
                "",
              ]),
            ],
          ],
          ["a compressed body", json, ["content-encoding", pick(["gzip", "br", "deflate, gzip"])]],
          [call.body === undefined || call.bodyOptional === true ? null : "no body", null],
        ]);
    draft.isStreamed = chance(0.1);
    draft.body = spoilt;
    draft.headers = Object.entries({
      "content-type": "application/json",
      ...Object.fromEntries(headers),
    });
    tell(draft, "body", flaw);
  }

  return (draft, call, world) => {
    const ways: Spoiler[] = [spoilQuery, spoilQuery, spoilPath, spoilHeaders, spoilMethod];
    if (call.method !== "GET") ways.push(spoilBody, spoilBody, spoilBody, spoilBody);
    if (call.path.includes("{")) ways.push(spoilId, spoilId, spoilId);
    pick(ways)(draft, call, world);
  };
}

export function tell(draft: Draft, part: string, flaw: string | null): void {
  draft.flaw ??= flaw;
  draft.story.push(flaw === null ? part : `${part}: ${flaw}`);
}
