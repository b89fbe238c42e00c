import process from "node:process";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { rangeOfPart, readProvedParts } from "#service/proof/proved-parts.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { rebuildFromStore } from "./rebuild-index.ts";
import { restore } from "./restore.ts";
import { withDataFolder } from "./with-data-folder.ts";

/** Of each of these files one part is read: proof enough that store and index belong together. */
const SAMPLED_FILES = 5;

/**
 * Brings a deployment back on a machine that has nothing but its secret key and its store: the newest
 * backup of the database, what was archived since, and a proof that both fit the stored bytes.
 * `store` is as OBJECT_STORE. Without a backup, the index alone is built from the manifests. Safe to
 * repeat.
 *
 * @throws {SettingsError} without the secret key of the backup, which it names, and asks for at a
 *   terminal
 * @throws {CommandError} mismatch, if a part of the sample is not what was proved
 */
export async function recover(store: string | undefined, replacesKey: boolean): Promise<void> {
  if (store !== undefined) process.env["OBJECT_STORE"] = store;
  const hasBackup = await restoreNewest(replacesKey);
  await rebuildFromStore(!hasBackup);
  await withDataFolder(async (deployment) => {
    await proveSample(deployment);
    await listSettings(deployment);
  });
}

async function restoreNewest(replacesKey: boolean): Promise<boolean> {
  try {
    await restore("latest", { isAgreed: true, replacesKey, asksForKey: true });
    return true;
  } catch (error) {
    if (!(error instanceof CommandError) || error.exitCode !== EXIT_CODES.notFound) throw error;
    console.log(
      `${error.message} The index is built from the manifests: without users' rights, channels and the audit log.`,
    );
    return false;
  }
}

async function proveSample({ platform }: ServiceContext): Promise<void> {
  const rows = await platform.database.all(sql`SELECT object_key FROM files
    WHERE status = 'complete' AND upload_type <> 'chunk' ORDER BY random() LIMIT ${SAMPLED_FILES}`);
  const differing: string[] = [];
  for (const row of rows) {
    const key = objectKeySchema.parse(row["object_key"]);
    const proved = await readProvedParts(platform.objects, key);
    const part = 1 + Math.floor((proved?.partSha256.length ?? 1) / 2);
    const found =
      proved === null ? null : await platform.objects.get(key, rangeOfPart(proved, part));
    const bytes =
      found === null ? null : new Uint8Array(await new Response(found.body).arrayBuffer());
    const sha256 = bytes === null ? null : await platform.digests.sha256(bytes);
    if (sha256 === null || sha256 !== proved?.partSha256[part - 1]) differing.push(key);
  }
  if (differing.length > 0)
    throw new CommandError(
      EXIT_CODES.mismatch,
      `Not what was proved: ${differing.join(", ")}. The rest is back; Verify Everything on System reads all of it.`,
    );
  console.log(`Of ${rows.length} files one part each was read: all are what was proved.`);
}

/** What the database needs and does not contain. */
async function listSettings({ platform, settings }: ServiceContext): Promise<void> {
  const [row] = await platform.database.all(sql`SELECT
    EXISTS (SELECT 1 FROM notification_preferences WHERE email IS NOT NULL) AS mails,
    EXISTS (SELECT 1 FROM notification_preferences WHERE telegram_user_id IS NOT NULL) AS telegrams,
    (SELECT twitch_client_id FROM deployment) AS client,
    NOT EXISTS (SELECT 1 FROM users WHERE permissions <> '[]') AS lacksAdministrator`);
  const lacking = [
    ...(row?.["client"] !== null && settings.TWITCH_CLIENT_ID === undefined
      ? ["TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET"]
      : []),
    ...(row?.["lacksAdministrator"] === 1 && settings.ADMIN_TWITCH_IDS.length === 0
      ? ["ADMIN_TWITCH_IDS"]
      : []),
    ...(row?.["mails"] === 1 && settings.SMTP_URL === undefined ? ["SMTP_URL and MAIL_FROM"] : []),
    ...(row?.["telegrams"] === 1 && settings.TELEGRAM_BOT_TOKEN === undefined
      ? ["TELEGRAM_BOT_TOKEN"]
      : []),
  ];
  console.log(
    lacking.length === 0
      ? "Start the service."
      : `Set ${lacking.join("; ")}. Then start the service.`,
  );
}
