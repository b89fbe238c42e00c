import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod/mini";
import { openTwitchWorld, type TwitchWorld } from "#service/testing/twitch-world.ts";
import type { Fault, FaultMatch } from "#stand-ins/twitch/faults/fault.ts";
import { createGqlClient, type GqlClient } from "./gql-client.ts";
import { videoMetadata } from "./gql-operation.ts";

let world: TwitchWorld;
let gql: GqlClient;

beforeEach(async () => {
  world = await openTwitchWorld();
  gql = createGqlClient(world);
});
afterEach(() => world.close());

const REFUSAL: Fault = { type: "gqlError", message: "Not like this", code: "NO" };
const schema = z.object({ video: z.object({ id: z.string() }) });

function ask(client = gql) {
  const variables = { videoID: "2000001010" };
  return client.tryAsk({ operation: videoMetadata, variables }, schema);
}

function refuse(match: Omit<FaultMatch, "kind">, times: number | "forever"): void {
  world.standIn.control.addFault({ match: { kind: "gql", ...match }, fault: REFUSAL, times });
}

/** Requests that were refused, and all others. */
function requests(): { refused: number; answered: number } {
  const all = world.standIn.control.requests({ kind: "gql" });
  const refused = all.filter(({ fault }) => fault !== null).length;
  return { refused, answered: all.length - refused };
}

it("sends an operation again in the same form after an unknown error", async () => {
  refuse({}, 1);
  expect(await ask()).toMatchObject({ ok: true });
  expect(requests()).toEqual({ refused: 1, answered: 1 });
  expect(world.clock.pausesMs).toEqual([300]);
});

it("begins with what worked last, and finds another way when that is refused", async () => {
  refuse({ body: '"query"' }, "forever");
  await ask();
  await ask();
  // The inline form twice, and then only the persisted one.
  expect(requests()).toEqual({ refused: 2, answered: 2 });
  world.standIn.control.clearFaults();
  refuse({ body: '"persistedQuery"' }, "forever");
  expect(await ask()).toMatchObject({ ok: true });
});

it("remembers for each operation alone, and not beyond the client", async () => {
  refuse({ body: '"query"' }, "forever");
  await ask();
  await ask(createGqlClient(world));
  expect(requests()).toEqual({ refused: 4, answered: 2 });
});

it("asks at most once in each of six ways, apart from one retry", async () => {
  refuse({}, "forever");
  expect(await ask()).toMatchObject({
    ok: false,
    refusal: { kind: "refused", said: { code: "NO", text: "Not like this" } },
  });
  expect(requests()).toEqual({ refused: 7, answered: 0 });
});

it("tries no other way once it took half a minute", async () => {
  refuse({}, "forever");
  let elapsedMs = 0;
  const clock = { ...world.clock, monotonic: () => elapsedMs };
  const slow = createGqlClient({
    ...world,
    platform: {
      ...world.platform,
      clock,
      async fetch(url, init) {
        elapsedMs += 8_000;
        return await world.platform.fetch(url, init);
      },
    },
  });
  await ask(slow);
  expect(requests()).toEqual({ refused: 4, answered: 0 });
});
