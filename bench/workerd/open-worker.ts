import { convertV4MiniflareOptions, Miniflare, type V4MiniflareOptions } from "miniflare";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { TestClient } from "#service/testing/test-client.ts";
import { TEST_SETTINGS } from "#service/testing/test-settings.ts";
import { startTwitchStandIn } from "#stand-ins/twitch/server.ts";
import { ensureConsoleBuilt, ensureWorkerBuilt } from "../../scripts/build.mjs";
import { localWorkerOptions } from "../../scripts/local-worker.ts";

export type OpenWorker = Awaited<ReturnType<typeof openWorker>>;

/** The address that it is told to have; the runtime is reached at another. */
const PUBLIC_URL = "http://localhost:8787";

/** The built Worker as deployed, in workerd, seen from outside. */
export async function openWorker(
  settings: Readonly<Record<string, string>>,
  change: (options: V4MiniflareOptions) => V4MiniflareOptions,
) {
  const folder = await makeTemporaryFolder();
  const twitch = await startTwitchStandIn();
  await ensureConsoleBuilt();
  await ensureWorkerBuilt();
  const options = await localWorkerOptions({
    folder: folder.path,
    settings: {
      ...twitch.settings,
      ...TEST_SETTINGS,
      PUBLIC_URL,
      ADMIN_TWITCH_IDS: "1001",
      ...settings,
    },
  });
  const runtime = new Miniflare(convertV4MiniflareOptions(change(options)));
  const url = (await runtime.ready).origin;
  return {
    runtime,
    /** Where its data is kept. */
    folder: folder.path,
    url,
    twitch,
    async signIn(accountId: string): Promise<TestClient> {
      const client = new TestClient(fetch, url, PUBLIC_URL);
      await client.signIn(accountId);
      return client;
    },
    async close() {
      await runtime.dispose();
      await twitch.close();
      await folder.remove();
    },
  };
}
