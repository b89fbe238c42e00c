import { findFreePort } from "#hosts/node/testing/free-port.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { TestClient } from "#service/testing/test-client.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import { steerTwitch } from "#stand-ins/twitch/control/steer-twitch.ts";
import * as z from "zod/mini";
import { startChild, type Child } from "./child.ts";
import type { Killable } from "./killable.ts";

/** The stand-in's account that is the administrator in the rigs. */
export const RIG_ADMIN = "1001";

const readySchema = z.object({ url: z.string(), settings: z.record(z.string(), z.string()) });

/** An archive of a VOD that was made for it. */
export type RigArchive = {
  readonly uploadId: string;
  readonly vodId: string;
  readonly ownerId: string;
};

export type RigHost = Awaited<ReturnType<typeof openRigHost>>;

/** Opens the real host, which archives from a stand-in in a process of its own. */
export async function openRigHost(
  host: Pick<Killable, "start">,
  settings: Readonly<Record<string, string>> = {},
) {
  const twitch = await startChild("stand-ins/twitch/main.ts", {});
  let running: Child | null = null;
  const standIn = readySchema.parse(twitch.ready);
  const control = steerTwitch(standIn.url);
  const port = await findFreePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  return {
    publicUrl,
    /** Of the Twitch stand-in. */
    control,
    /** Makes a VOD and starts to archive it. */
    async archive(client: TestClient, vod: CustomVod): Promise<RigArchive> {
      const made = await control.addVod(vod);
      const { id } = await startArchive(client, made.id);
      return { uploadId: id, vodId: made.id, ownerId: made.ownerId };
    },
    /** Starts the host as in production, or another in its place or beside it; again after its end. */
    async startHost(other = host, changes: typeof settings = {}): Promise<Child> {
      running = await other.start({
        HOST: "127.0.0.1",
        PORT: String(port),
        PUBLIC_URL: publicUrl,
        ...standIn.settings,
        ADMIN_TWITCH_IDS: RIG_ADMIN,
        RATE_LIMIT_FACTOR: "100000",
        MONTHLY_BUDGET_USD: "1000000",
        ...settings,
        ...changes,
      });
      return running;
    },
    /** Signs in an account of the stand-in, by default the administrator. */
    async signIn(accountId = RIG_ADMIN) {
      const client = new TestClient(fetch, publicUrl, publicUrl);
      await client.signIn(accountId);
      return client;
    },
    /** Kills the host if it runs, and ends the stand-in. */
    async close() {
      await running?.kill();
      await twitch.stop();
    },
  };
}
