import { evictDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { openLiveHub, type LiveHubClient } from "./live-hub.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { bindings } from "./testing/bindings.ts";

const logs = createWorkerLogSink({ log: () => undefined });

function openHubs(count: number): { name: string; hubs: readonly LiveHubClient[] } {
  const name = crypto.randomUUID();
  const find = () => bindings.LIVE_HUB.getByName(name);
  return {
    name,
    hubs: Array.from({ length: count }, () => openLiveHub(find, systemClock, logs)),
  };
}

it("a subscriber receives messages published after the object was evicted", async () => {
  const { name, hubs } = openHubs(2);
  const [reader, writer] = hubs;
  const received: string[] = [];
  await reader?.subscribe("topic", null, ({ data }) => received.push(data));
  await writer?.publish("topic", "awake");
  await expect.poll(() => received).toEqual(["awake"]);
  await evictDurableObject(bindings.LIVE_HUB.getByName(name));
  await writer?.publish("topic", "after sleep");
  await expect.poll(() => received).toEqual(["awake", "after sleep"]);
  for (const hub of hubs) hub.close();
});

it("places are shared by all clients, and released explicitly or when a client closes", async () => {
  const { hubs } = openHubs(3);
  const [one, two, three] = hubs;
  const leave = await one?.takePlace?.("streams of 7", 2);
  expect(leave).toBeTypeOf("function");
  expect(await two?.takePlace?.("streams of 7", 2)).toBeTypeOf("function");
  expect(await three?.takePlace?.("streams of 7", 2)).toBeNull();
  expect(await three?.takePlace?.("streams of 8", 2)).toBeTypeOf("function");
  leave?.();
  await expect.poll(async () => await three?.takePlace?.("streams of 7", 2)).toBeTypeOf("function");
  two?.close();
  await expect.poll(async () => await one?.takePlace?.("streams of 7", 2)).toBeTypeOf("function");
  for (const hub of hubs) hub.close();
});
