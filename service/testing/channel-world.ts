import * as vodCalls from "#contract/channel-vods.ts";
import * as calls from "#contract/channels.ts";
import { sql } from "#service/db/sql.ts";
import { hasUpload } from "#service/storage/upload-vod.ts";
import { addressOf } from "./call-address.ts";
import { ADMIN, startTestService, STREAMER, type TestServiceOptions } from "./test-service.ts";
import { seedUpload, type UploadSeed } from "./upload-rows.ts";

export const REASON = { reason: "We signed a contract." };

export const DAY_MS = 86_400_000;

type Seen = {
  readonly id: number;
  readonly title?: string;
  readonly kind?: string;
  readonly durationSec?: number;
  readonly daysAgo?: number;
};

/** The address of a call for the streamer's channel. */
export const at = (call: { readonly path: string }) => addressOf(call, { id: STREAMER });

/** A service whose administrator follows the streamer's channel. */
export async function openChannelWorld(options: TestServiceOptions = {}) {
  const vodkeep = await startTestService(options);
  const { database } = vodkeep.platform;
  const admin = await vodkeep.signIn(ADMIN);

  function update(body: Record<string, unknown>, client = admin) {
    return client.call("PUT", at(calls.updateChannel), { body });
  }
  function channel() {
    return admin.expect(calls.getChannel, at(calls.getChannel));
  }

  async function add(names: readonly string[], body: Record<string, unknown> = {}) {
    const { results } = await admin.expect(calls.addChannels, undefined, {
      body: { names, ...body },
    });
    return results;
  }
  /** VODs of the streamer as a list of the source gives them. */
  async function see(...seen: readonly Seen[]): Promise<void> {
    const nowMs = vodkeep.clock.now();
    await database.batch(
      seen.map(
        ({ id, title = `VOD ${id}`, kind = "archive", durationSec = 3_600, daysAgo = 0 }) =>
          sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at,
              first_seen_at, last_seen_at)
            VALUES (${String(id)}, ${STREAMER}, ${kind}, ${title}, ${durationSec},
              ${nowMs - daysAgo * DAY_MS}, ${nowMs}, ${nowMs})`,
      ),
    );
    await update({ changes: (await channel()).changes });
  }
  /** An upload of a VOD by a person. */
  async function seed(upload: UploadSeed & { readonly vodId: string }): Promise<void> {
    await seedUpload(database, { ownerId: STREAMER, ...upload });
    await database.run(hasUpload(sql`SELECT ${upload.vodId}`));
  }
  async function vods() {
    const { items } = await admin.expect(vodCalls.listVods, at(vodCalls.listVods));
    return items.map(({ id, state, reason }) => [id, state, reason]);
  }
  async function reset(): Promise<void> {
    await database.batch([
      sql`DELETE FROM uploads`,
      sql`DELETE FROM files`,
      sql`DELETE FROM vods`,
      sql`DELETE FROM channels`,
      sql`UPDATE deployment SET default_rule = '{}', default_rule_author_id = NULL, rules_paused_at = NULL`,
      sql`DELETE FROM consents`,
      sql`DELETE FROM rights_confirmations`,
    ]);
  }

  return { ...vodkeep, admin, update, channel, add, see, seed, vods, reset };
}
