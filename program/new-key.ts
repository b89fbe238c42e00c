import process from "node:process";
import { replaceKey } from "#service/audit/key-replacement.ts";
import { readSettings } from "#service/settings.ts";
import { withDataFolder } from "./with-data-folder.ts";

/**
 * Goes on with another secret key, because the former one is lost or known to others: SECRET_KEY, or
 * that in DATA_DIR, made anew if there is none. Stop the service first.
 */
export async function acceptNewKey(): Promise<void> {
  await withDataFolder(
    async ({ platform: { database, clock }, settings }) => {
      await replaceKey(database, settings.SECRET_KEY ?? "", {
        cause: "command",
        atMs: clock.now(),
      });
      const { TWITCH_CLIENT_ID } = readSettings(process.env);
      console.log(
        `The database has a new secret key: keep a copy of it. Webhooks need their addresses again${TWITCH_CLIENT_ID === undefined ? ", and the service TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET" : ""}.`,
      );
    },
    { needsDeployment: true, replacesKey: true },
  );
}
