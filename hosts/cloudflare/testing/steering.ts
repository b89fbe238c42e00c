import { inject } from "vitest";
import * as z from "zod/mini";
import type { Clock } from "#service/ports/clock.ts";
import type { SteeredTwitch, SteeredTwitchOptions } from "#service/testing/host-under-test.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server that starts and controls stand-ins (stand-ins/steering/server.ts). */
    steeringUrl: string;
  }
}

const startedSchema = z.object({
  id: z.string(),
  addresses: z.object({
    idUrl: z.string(),
    apiUrl: z.string(),
    gqlUrl: z.string(),
    usherUrl: z.string(),
    mediaHost: z.string(),
  }),
});

const resultSchema = z.object({ result: z.optional(z.unknown()) });

/** Shorter than any period in a token's life. */
const TOLERATED_MS = 100;

const running = new Set<SteeredTwitch>();

/** A stand-in outside the runtime; each call passes on the test's time. */
export async function startTwitchOutside(
  options: SteeredTwitchOptions,
  clock: Clock,
): Promise<SteeredTwitch> {
  let toldMs = aheadOf(clock);
  const { id, addresses } = startedSchema.parse(
    await ask("start", { ...options, aheadMs: toldMs }),
  );

  async function askIt(action: string, body: object = {}): Promise<unknown> {
    toldMs = aheadOf(clock);
    return await ask(`${id}/${action}`, { ...body, aheadMs: toldMs });
  }

  const twitch: SteeredTwitch = {
    addresses,
    steer: (method, parameters) => askIt("steer", { method, parameters }),
    async keepTime() {
      if (Math.abs(aheadOf(clock) - toldMs) > TOLERATED_MS) await askIt("time");
    },
    async close() {
      running.delete(twitch);
      await askIt("close");
    },
  };
  running.add(twitch);
  return twitch;
}

/** Call before any request that a stand-in may answer. */
export async function keepTimeOutside(): Promise<void> {
  await Promise.all([...running].map((twitch) => twitch.keepTime()));
}

function aheadOf(clock: Clock): number {
  return clock.now() - Date.now();
}

async function ask(path: string, body: object): Promise<unknown> {
  const response = await fetch(`${inject("steeringUrl")}/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return resultSchema.parse(JSON.parse(text)).result;
}
