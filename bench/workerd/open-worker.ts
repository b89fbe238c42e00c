import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import * as auth from "#contract/auth.ts";
import { chooseAccount } from "#service/testing/test-service.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { startTwitchStandIn, type TwitchStandIn } from "#stand-ins/twitch/server.ts";
import { workerOptions } from "./worker-options.ts";

/** The built Worker as deployed, in workerd, seen from outside. */
export type OpenWorker = {
  readonly runtime: Miniflare;
  readonly url: string;
  readonly twitch: TwitchStandIn;
  signIn(accountId: string): Promise<TestClient>;
  close(): Promise<void>;
};

/** The address that it is told to have; the runtime is reached at another. */
export const PUBLIC_URL = "http://localhost:8787";

/** As in wrangler.jsonc, but for one retry: twenty of five seconds are too long to wait for. */
const IMPATIENT_QUEUES = {
  "vodkeep-vod-resume": {
    maxBatchSize: 1,
    maxBatchTimeout: 0,
    maxRetries: 1,
    deadLetterQueue: "vodkeep-vod-resume-dead",
  },
  "vodkeep-vod-resume-dead": { maxBatchSize: 10, maxBatchTimeout: 1 },
};

export async function openWorker(
  settings: Readonly<Record<string, string>> = {},
): Promise<OpenWorker> {
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-worker-"));
  const twitch = await startTwitchStandIn({
    clientId: "workerclientid",
    clientSecret: "workerclientsecret",
    redirectUris: [`${PUBLIC_URL}/auth/callback`],
  });
  const options = await workerOptions({
    folder,
    settings: {
      PUBLIC_URL,
      TWITCH_CLIENT_ID: "workerclientid",
      TWITCH_CLIENT_SECRET: "workerclientsecret",
      TWITCH_ID_URL: twitch.idUrl,
      TWITCH_API_URL: twitch.apiUrl,
      TWITCH_GQL_URL: twitch.gqlUrl,
      TWITCH_USHER_URL: twitch.usherUrl,
      TWITCH_MEDIA_HOSTS: twitch.mediaHost,
      ADMIN_TWITCH_IDS: "1001",
      ...settings,
    },
  });
  const runtime = new Miniflare(
    convertV4MiniflareOptions({ ...options, queueConsumers: IMPATIENT_QUEUES }),
  );
  const url = (await runtime.ready).origin;
  return {
    runtime,
    url,
    twitch,
    signIn: (accountId) => signInAt(url, accountId),
    async close() {
      await runtime.dispose();
      await twitch.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** As a browser does at {@link PUBLIC_URL}. */
export async function signInAt(url: string, accountId: string): Promise<TestClient> {
  const client = new TestClient((request) => fetch(request), url, PUBLIC_URL);
  const { authUrl } = await client.expect(auth.login);
  const back = await chooseAccount(authUrl, accountId);
  client.token = (await client.expect(auth.callback, auth.callback.path, { body: back })).token;
  return client;
}
