import { afterEach, beforeEach, expect, test } from "vitest";
import { startTwitchStandIn, type TwitchStandIn } from "./server.ts";
import { clientId, clientSecret, sourceUrl } from "./testing/twitch-client.ts";

let standIn: TwitchStandIn;

beforeEach(async () => {
  standIn = await startTwitchStandIn({ clientId, clientSecret, seed: 7 });
});
afterEach(async () => {
  await standIn.close();
});

async function control(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${standIn.url}/_control${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
}

test("closing ends stalled, slow and idle connections and frees the port", async () => {
  const vod = standIn.control.addVod({ segmentCount: 3, segmentSizeBytes: 200_000 });
  const url = await sourceUrl(standIn, vod.id);
  standIn.control.addFault({ match: { segmentIndex: 0 }, fault: { type: "stall" } });
  standIn.control.addFault({ match: { segmentIndex: 1 }, fault: { type: "slow" } });
  standIn.control.addFault({ match: { segmentIndex: 2 }, fault: { type: "delay", ms: 60_000 } });
  const downloads = [0, 1, 2].map(async (index) =>
    (await fetch(new URL(`${index}.ts`, url))).arrayBuffer().then(
      () => "whole",
      () => "cut off",
    ),
  );
  const ended = Promise.allSettled(downloads);
  await expect.poll(() => standIn.control.ledger().openMedia).toBe(3);
  await standIn.close();
  const outcomes = (await ended).map((result) =>
    result.status === "fulfilled" ? result.value : "cut off",
  );
  expect(outcomes).toEqual(["cut off", "cut off", "cut off"]);
  expect(standIn.control.ledger().openMedia).toBe(0);
  const next = await startTwitchStandIn({ clientId, clientSecret, port: standIn.port });
  expect(next.port).toBe(standIn.port);
  await next.close();
});

test.each([
  ["/vods", { segments: 3 }],
  ["/vods", { segmentCount: "many" }],
])("the control refuses %s %j and says why", async (path, body) => {
  const response = await control("POST", path, body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: expect.any(String) });
});

test("a web page of another origin cannot use the control with a plain form", async () => {
  const response = await fetch(`${standIn.url}/_control/vods`, {
    method: "POST",
    body: JSON.stringify({ id: "3000000077" }),
  });
  expect(response.status).toBe(415);
  expect(standIn.control.vods().map(({ id }) => id)).not.toContain("3000000077");
});
