import * as z from "zod/mini";
import { qualitySchema } from "#contract/quality.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { flagColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import { RULE_BLOCK } from "#service/storage/rule-permission.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { insertArchive } from "#service/uploads/upload-insert.ts";
import { IS_ERASED } from "#service/storage/stored-name.ts";

const storedRow = z.object({
  seq: z.number(),
  owner_id: z.string(),
  initiated_by: z.nullable(z.string()),
  consent_text_version: z.nullable(z.number()),
  filename: z.string(),
  title: z.nullable(z.string()),
  quality: qualitySchema,
  recorded_at: z.nullable(z.number()),
  by_rule: flagColumn,
  has_chat: flagColumn,
});

/**
 * Condition on the upload `u` that stored a VOD: whoever it rests on would archive it today. A rule's
 * asks as each of its starts; a person's word for this VOD holds until the owner withdraws consent.
 */
const MAY_REPEAT = sql`iif(u.by_rule,
  ${RULE_BLOCK} IS NULL,
  EXISTS (SELECT 1 FROM users WHERE id = u.initiated_by AND banned_at IS NULL
    AND instr(permissions, '"write:uploads"') > 0)
  AND NOT EXISTS (SELECT 1 FROM users WHERE id = u.owner_id AND ${IS_ERASED})
  AND NOT EXISTS (SELECT 1 FROM consents k WHERE k.owner_id = u.owner_id
    AND k.withdrawn_at > u.created_at))`;

/**
 * Archives a stored VOD a second time because its source has more of it now. An object is proved as a
 * whole and cannot grow, so all of it is fetched; the shorter copy stays. Nothing happens if it may not
 * be repeated, is in the trash, or is being archived: the mark tells people.
 */
export async function archiveAgain(
  { platform, settings }: ServiceContext,
  vodId: string,
  durationSec: number,
): Promise<void> {
  const { database, clock, random } = platform;
  const [found] = await database.all(sql`SELECT u.seq, u.owner_id, u.initiated_by,
      u.consent_text_version, u.filename, u.title, u.quality, u.recorded_at, u.by_rule,
      EXISTS (SELECT 1 FROM chats WHERE upload_id = u.id) AS has_chat
    FROM uploads u WHERE u.vod_id = ${vodId} AND u.status = 'completed' ORDER BY u.seq DESC LIMIT 1`);
  if (found === undefined) return;
  const stored = storedRow.parse(found);
  const {
    owner_id: ownerId,
    initiated_by: initiatedBy,
    consent_text_version: textVersion,
  } = stored;
  if (initiatedBy === null) return;
  const id = newToken(random).slice(0, 24);
  const mayStart = sql`EXISTS (SELECT 1 FROM uploads u WHERE u.seq = ${stored.seq} AND ${MAY_REPEAT})
    AND EXISTS (SELECT 1 FROM files WHERE vod_id = ${vodId} AND upload_type = 'twitch'
      AND status = 'complete' AND trashed_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = ${vodId} AND seq > ${stored.seq})`;
  const started = await batchIf(
    database,
    mayStart,
    insertArchive(
      {
        id,
        kind: "twitch",
        itemId: vodId,
        sourceUrl: null,
        fileStem: stored.filename.replace(/\.[^.]*$/, ""),
        title: stored.title ?? stored.filename,
        ownerId,
        initiatedBy,
        textVersion,
        quality: stored.quality,
        durationSec,
        recordedAtMs: stored.recorded_at,
        isGrowing: false,
        hasChat: stored.has_chat,
        byRule: stored.by_rule,
        maxRetries: settings.MAX_RETRIES,
      },
      clock.now(),
      { actorId: null, reason: "The VOD is longer at the source.", after: { vodId, ownerId } },
    ),
  );
  if (started !== null) await publishUpload(platform, id);
}
