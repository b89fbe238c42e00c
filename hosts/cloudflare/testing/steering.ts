import { inject } from "vitest";
import * as z from "zod/mini";
import type { Clock } from "#service/ports/clock.ts";
import type { SteeredTwitch, SteeredTwitchOptions } from "#service/testing/host-under-test.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server that starts stand-ins (stand-ins/steering/vitest-setup.ts). */
    steeringUrl: string;
  }
}

const receiverSchema = z.object({ id: z.string(), url: z.string() });

const startedSchema = z.extend(receiverSchema, { settings: z.record(z.string(), z.string()) });

/** Shorter than any period in a token's life. */
const TOLERATED_MS = 100;

const running = new Set<SteeredTwitch>();

/** A stand-in outside the runtime. */
export async function startTwitchOutside(
  options: SteeredTwitchOptions,
  clock: Clock,
): Promise<SteeredTwitch> {
  let toldMs = aheadOf(clock);
  const { id, url, settings } = startedSchema.parse(
    await ask("start", { ...options, aheadMs: toldMs }),
  );
  const twitch: SteeredTwitch = {
    url,
    settings,
    async keepTime() {
      const aheadMs = aheadOf(clock);
      if (Math.abs(aheadMs - toldMs) <= TOLERATED_MS) return;
      await ask(`${id}/time`, { aheadMs });
      toldMs = aheadMs;
    },
    async close() {
      running.delete(twitch);
      await ask(`${id}/close`, {});
    },
  };
  running.add(twitch);
  return twitch;
}

export async function startReceiverOutside() {
  const { id, url } = receiverSchema.parse(await ask("start-receiver", {}));
  return { url, close: async () => void (await ask(`${id}/close`, {})) };
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
  return await response.json();
}
