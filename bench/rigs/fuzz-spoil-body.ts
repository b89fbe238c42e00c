import type { AnyCall } from "#contract/call.ts";
import type { Dice } from "./dice.ts";
import type { Draft, SoundDrafts } from "./fuzz-draft.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import { HOSTILE_JSON, HOSTILE_TEXTS } from "./hostile-values.ts";

export type Spoiler = (draft: Draft, call: AnyCall, world: FuzzWorld) => void;

/** Damages one aspect of a request's body: a value, a field, the text, or its headers. */
export function createBodySpoiler({ random, pick, chance }: Dice, sound: SoundDrafts): Spoiler {
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

  return spoilBody;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}
