import type { Arbitrary } from "fast-check";
import * as z from "zod/mini";
import type { AnyCall } from "#contract/call.ts";
import { CALLS } from "#contract/registry.ts";
import { fieldsOf, soundValue, spoiltValue } from "#service/testing/contract-values.ts";
import type { FuzzDice } from "./fuzz-dice.ts";
import type { FuzzWorld } from "./fuzz-world.ts";

/** A request under construction. */
export type Draft = {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: string | Uint8Array<ArrayBuffer> | null;
  /** Sent in chunks, so that its length is unknown in advance. */
  isStreamed: boolean;
  /** Why it cannot succeed, if known from how it was made. */
  flaw: string | null;
  story: string[];
};

export type SoundDrafts = ReturnType<typeof createSoundDrafts>;

type Fields = ReadonlyMap<string, Arbitrary<unknown>>;
type Generators = {
  readonly params: Fields;
  readonly query: Fields;
  readonly body: Arbitrary<unknown>;
  readonly spoiltBody: Arbitrary<unknown>;
};

export const OWN_ORIGIN = "http://localhost:8787";

/** Values that match rows of the world, for parameters whose generated values rarely would. */
const LIKELY: Readonly<Record<string, readonly string[]>> = {
  page: ["1", "2", "3", "20"],
  limit: ["1", "2", "3", "20"],
  days: ["7", "30", "90"],
  offset: ["0", "1", "100"],
  search: ["a", "ti", "title", "fuzz", "login_3", ".ts", "70001", "e\u0301"],
  action: ["upload.retry"],
};

/** Makes valid requests. */
export function createSoundDrafts({ pick, chance, draw }: FuzzDice) {
  const generators = new Map(CALLS.map((call) => [call, generatorsOf(call)]));

  function of(call: AnyCall): Generators {
    const found = generators.get(call);
    if (found === undefined) throw new Error(`${call.path} is no call`);
    return found;
  }

  function pathOf(call: AnyCall, world: FuzzWorld): string {
    return call.path.replace(/\{(\w+)\+?\}/g, (_, name: string) => {
      const ids = knownIds(call, world);
      if (name !== "type" && ids.length > 0 && chance(0.85)) return pick(ids);
      const values = of(call).params.get(name);
      return values === undefined ? "unknown" : String(draw(values));
    });
  }

  function queryOf(call: AnyCall, world: FuzzWorld): string {
    const { users } = world.known();
    return [...of(call).query]
      .filter(([name]) => name !== "token" && !chance(0.6))
      .map(([name, values]) => {
        const likely = name === "userId" || name === "actorId" ? users : LIKELY[name];
        return `${name}=${encode(likely === undefined ? String(draw(values)) : pick(likely))}`;
      })
      .join("&");
  }

  function bodyOf(call: AnyCall, world: FuzzWorld): unknown {
    const { uploads, vods } = world.known();
    if (call.path.endsWith("/bulk-retry") && chance(0.7))
      return { ids: [1, 2, 3].map(() => pick(uploads)) };
    const source = { type: "twitch", vodId: pick(vods) };
    if (/\/(?:preview|consent\/invitations)$/.test(call.path)) return { source };
    if (call.path.endsWith("/admin/uploads"))
      return { source, rightsConfirmed: true, again: chance(0.5) };
    return draw(of(call).body);
  }

  return {
    draftOf(call: AnyCall, world: FuzzWorld): Draft {
      const hasBody = call.body !== undefined && (call.bodyOptional !== true || chance(0.7));
      return {
        method: call.method,
        path: pathOf(call, world),
        query: queryOf(call, world),
        headers: hasBody ? [["content-type", "application/json"]] : [],
        body: hasBody ? JSON.stringify(bodyOf(call, world)) : null,
        isStreamed: false,
        flaw: null,
        story: [],
      };
    },
    bodyOf,
    /** A body of the call's form, in which any part may be hostile. */
    spoiltBodyOf: (call: AnyCall) => draw(of(call).spoiltBody),
    parametersOf: (call: AnyCall) => [...of(call).query.keys()],
  };
}

function generatorsOf(call: AnyCall): Generators {
  const body = call.body ?? z.object({});
  return {
    params: fieldsOf(call.params),
    query: fieldsOf(call.query),
    body: soundValue(body),
    spoiltBody: spoiltValue(body),
  };
}

export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

export function knownIds(call: AnyCall, world: FuzzWorld): readonly string[] {
  const known = world.known();
  if (call.path.includes("/r2/file/")) return known.files;
  if (call.path.includes("/users/")) return known.users;
  if (call.path.includes("/thresholds/")) return known.thresholds;
  if (call.path.includes("/alerts/")) return known.alerts;
  return known.uploads;
}
