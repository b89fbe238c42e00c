import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { CALLS } from "#contract/registry.ts";
import type { NewFault } from "#stand-ins/twitch/faults/fault.ts";
import { createFuzzDice, type FuzzDice } from "./fuzz-dice.ts";
import { createSoundDrafts, OWN_ORIGIN, type Draft } from "./fuzz-draft.ts";
import { createSpoiler } from "./fuzz-spoil.ts";
import type { Actor, FuzzWorld } from "./fuzz-world.ts";

export type FuzzRequest = Readonly<Omit<Draft, "path" | "query" | "story">> & {
  /** Path and query, as sent. */
  readonly target: string;
  /** The user whose live session it carries; null without valid credentials. */
  readonly actor: Actor | null;
  /** How it was made, for reports. */
  readonly story: string;
  /** Completely valid: a 400 would refuse good data. */
  readonly isSound: boolean;
  /** A Twitch fault during the request. */
  readonly fault: NewFault | null;
};

export type RequestMaker = (world: FuzzWorld) => Promise<FuzzRequest>;

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

/** Calls that query Twitch before they answer. */
const ASKS_TWITCH = /\/(?:uploads|uploads\/preview|auth\/callback)$/;

/**
 * Makes requests from the registry of calls: valid ones, and valid ones with one defect. The same
 * seed over the same world gives the same requests.
 */
export function createRequestMaker(seed: number): RequestMaker {
  const dice = createFuzzDice(seed);
  const { pick, chance } = dice;
  const sound = createSoundDrafts(dice);
  const spoil = createSpoiler(dice, sound);

  return async (world) => {
    const call = pick(CALLS);
    const draft = sound.draftOf(call, world);
    const isSpoilt = chance(0.75);
    if (isSpoilt) spoil(draft, call, world);
    const actor = await present(draft, call, world, dice);
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

/** Adds the credentials of an actor to a draft; sometimes none. */
async function present(
  draft: Draft,
  call: AnyCall,
  world: FuzzWorld,
  { chance, pick }: FuzzDice,
): Promise<Actor | null> {
  if (chance(0.1)) return null;
  const [administrator] = world.actors;
  const actor =
    call === auth.logout || call === auth.refresh
      ? await world.passerBy()
      : administrator !== undefined && chance(0.6)
        ? administrator
        : pick(world.actors);
  // Origins do not matter to tokens.
  if (actor.isToken === true && draft.flaw === "another site's origin") draft.flaw = null;
  const { token, cookies } = actor.client;
  const transport = actor.isToken === true ? "bearer" : pick(["bearer", "cookie", "both"]);
  if (transport !== "cookie") draft.headers.push(["authorization", `Bearer ${token}`]);
  if (transport !== "bearer")
    draft.headers.push(["cookie", [...cookies].map((pair) => pair.join("=")).join("; ")]);
  return actor;
}
