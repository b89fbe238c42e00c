import { createMediaReceiver } from "#hosts/node/media-receiver.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { readSettings } from "#service/settings.ts";
import type { TwitchContext } from "#service/twitch/twitch-context.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { APPLICATION } from "#stand-ins/twitch/world.ts";
import { createHurriedClock } from "./test-clock.ts";

export type TwitchWorld = Awaited<ReturnType<typeof openTwitchWorld>>;

/** The Twitch stand-in and what its client needs. */
export async function openTwitchWorld(environment: Readonly<Record<string, string>> = {}) {
  const standIn = await startTwitchStandIn();
  const settings = readSettings({ ...standIn.settings, ...environment });
  const outgoing = createOutgoingFetch();
  const media = createMediaReceiver(outgoing.fetch);
  /** Every requested URL, in order. */
  const requests: string[] = [];
  /** Values that must never appear in an error: the secret and all issued tokens. */
  const secrets = new Set<string>([APPLICATION.clientSecret]);
  const clock = createHurriedClock();
  const platform: TwitchContext["platform"] = {
    clock,
    random: systemRandom,
    fetch: async (url, init) => {
      requests.push(url);
      for (const token of tokensIn(url, init)) secrets.add(token);
      return await outgoing.fetch(url, init);
    },
    receive: async (url, init) => {
      requests.push(url);
      return await media.receive(url, init);
    },
  };
  return {
    standIn,
    clock,
    requests,
    secrets,
    settings,
    platform,
    async close() {
      media.close();
      await outgoing.close();
      await standIn.close();
    },
  };
}

function tokensIn(url: string, init: RequestInit | undefined): readonly string[] {
  const query = new URL(url).searchParams;
  const authorization = new Headers(init?.headers).get("authorization");
  return [query.get("sig"), query.get("token"), authorization?.split(" ")[1]].filter(
    (token) => token !== null && token !== undefined,
  );
}

/** The messages of an error and its causes, as a log shows them. */
export function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message}\n${error.stack ?? ""}\n${error.cause === undefined ? "" : messagesOf(error.cause)}`;
}
