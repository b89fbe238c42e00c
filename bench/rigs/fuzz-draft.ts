import type { AnyCall } from "#contract/call.ts";
import { CALLS } from "#contract/registry.ts";
import type { Dice } from "./dice.ts";
import type { FuzzWorld } from "./fuzz-world.ts";
import { fieldSamplesOf, samplesOf } from "./schema-samples.ts";

/** A request under construction. */
export type Draft = {
  method: string;
  path: string;
  query: string;
  headers: [string, string][];
  body: string | Uint8Array<ArrayBuffer> | null;
  isStreamed: boolean;
  flaw: string | null;
  story: string[];
};

type Pools = {
  readonly params: ReadonlyMap<string, readonly unknown[]>;
  readonly query: ReadonlyMap<string, readonly unknown[]>;
  readonly bodies: readonly unknown[];
};

/** Makes valid requests. */
export type SoundDrafts = {
  draftOf(call: AnyCall, world: FuzzWorld): Draft;
  bodyOf(call: AnyCall, world: FuzzWorld): unknown;
  parametersOf(call: AnyCall): readonly string[];
};

export const OWN_ORIGIN = "http://localhost:8787";
const SAMPLES = 60;

/** Search texts that match seeded rows. */
const SEARCHES = ["a", "ti", "title", "fuzz", "login_3", ".ts", "70001", "e\u0301"];

export function createSoundDrafts({ random, pick, chance }: Dice, seed: number): SoundDrafts {
  const pools = new Map(CALLS.map((call) => [call, poolsOf(call, seed)]));

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
      const vodId = pick(world.known().vods);
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

  return {
    draftOf: soundDraft,
    bodyOf: soundBody,
    parametersOf: (call) => [...poolOf(call).query.keys()],
  };
}

export function flawed(draft: Draft, flaw: string, spoil: () => unknown): void {
  draft.flaw = flaw;
  draft.story.push(flaw);
  spoil();
}

function poolsOf(call: AnyCall, seed: number): Pools {
  const none = new Map<string, readonly unknown[]>();
  return {
    params: call.params === undefined ? none : fieldSamplesOf(call.params, SAMPLES, seed),
    query: call.query === undefined ? none : fieldSamplesOf(call.query, SAMPLES, seed),
    bodies: call.body === undefined ? [] : samplesOf(call.body, SAMPLES, seed),
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
