import { archiveFilename } from "#service/archiver/object-keys.ts";
import { auditEntryIfChanged, type Actor } from "#service/audit/audit-entry.ts";
import { newToken } from "#service/auth/session-tokens.ts";
import type { BodyOf } from "#contract/call.ts";
import type { Upload } from "#contract/upload.ts";
import type { startUpload as startUploadCall } from "#contract/uploads.ts";
import type { ServiceContext } from "#service/context.ts";
import { assertBudgetAllows } from "#service/costs/budget-gate.ts";
import { sql } from "#service/db/sql.ts";
import { Failure } from "#service/failure.ts";
import type { Statement } from "#service/ports/database.ts";
import { parseVodReference } from "#service/twitch/parse-vod-reference.ts";
import type { TwitchUser, TwitchVideo } from "#service/twitch/twitch-client.ts";
import { assertNotBanned, isNotBanned } from "./initiator.ts";
import type { SourceLookup } from "./source-lookup.ts";
import { publishUpload } from "./upload-events.ts";
import { assertCapacityAllows } from "./upload-limits.ts";
import { findUpload, newestUploadOfVod } from "./upload-store.ts";

/**
 * Accepts a VOD for archiving. The statement that inserts the upload also checks for consent and
 * for an earlier upload of the VOD, so that racing requests create only one.
 *
 * @throws {Failure} conflict, invalid_request (no consent), not_found, upstream_error,
 *   unauthenticated (banned meanwhile)
 */
export async function startUpload(
  context: ServiceContext,
  lookup: SourceLookup,
  request: BodyOf<typeof startUploadCall>,
  by: Actor,
): Promise<Upload> {
  const { database, clock, random, queue } = context.platform;
  const vodId = parseVodReference(request.source);
  const mayRepeat = request.again === true;
  if (!mayRepeat && (await newestUploadOfVod(database, vodId)) !== null) throw isThereAlready();
  await assertBudgetAllows(context);
  await assertCapacityAllows(context);
  const { video, owner } = await lookup.find(vodId);

  const id = newToken(random).slice(0, 24);
  const nowMs = clock.now();
  const start: UploadStart = {
    id,
    video,
    initiatedBy: by.actorId,
    rightsConfirmed: request.rightsConfirmed,
    mayRepeat,
    maxRetries: context.settings.MAX_RETRIES,
    nowMs,
  };
  const [, inserted] = await database.batch([
    upsertOwner(owner, start),
    insertUpload(start),
    auditEntryIfChanged({
      ...by,
      atMs: nowMs,
      action: "upload.start",
      target: id,
      result: "done",
      after: { vodId, ownerId: owner.id, rightsConfirmed: request.rightsConfirmed },
    }),
  ]);
  if (inserted?.changes === 0) {
    await assertNotBanned(database, by.actorId);
    if (!mayRepeat && (await newestUploadOfVod(database, vodId)) !== null) throw isThereAlready();
    throw new Failure(
      "invalid_request",
      `${owner.displayName} has not signed in here. Confirm that you hold the rights to archive this VOD.`,
      { details: { rightsConfirmed: "has to be confirmed for this VOD" } },
    );
  }
  const upload = await findUpload(database, id);
  if (upload === null) throw new Failure("conflict", "This upload was deleted at once.");
  await publishUpload(context.platform, id);
  await queue.send({ uploadId: id });
  return upload;
}

function isThereAlready(): Failure {
  return new Failure("conflict", "This VOD has been archived already. Archive it again anyway?");
}

type UploadStart = {
  readonly id: string;
  readonly video: TwitchVideo;
  readonly initiatedBy: string;
  readonly rightsConfirmed: boolean;
  readonly mayRepeat: boolean;
  readonly maxRetries: number;
  readonly nowMs: number;
};

const HAS_CONSENTED = sql`(owner.consented_at IS NOT NULL AND owner.banned_at IS NULL)`;

/**
 * Guards both statements: without consent, for a VOD that exists and may not be repeated, or if the
 * initiator was banned during the lookup, neither changes a row.
 */
function mayStart({ video, initiatedBy, rightsConfirmed, mayRepeat }: UploadStart): Statement {
  return sql`${isNotBanned(initiatedBy)} AND (${rightsConfirmed ? 1 : 0} OR EXISTS (
      SELECT 1 FROM users owner WHERE owner.id = ${video.ownerId} AND ${HAS_CONSENTED}))
    AND (${mayRepeat ? 1 : 0} OR NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = ${video.id}))`;
}

/** Adds the owner or updates their names; keeps the known picture if Twitch returned none. */
function upsertOwner(owner: TwitchUser, start: UploadStart): Statement {
  return sql`
    INSERT INTO users (id, login, display_name, profile_image_url, created_at)
    SELECT ${owner.id}, ${owner.login}, ${owner.displayName}, ${owner.profileImageUrl}, ${start.nowMs}
    WHERE ${mayStart(start)}
    ON CONFLICT (id) DO UPDATE SET login = excluded.login, display_name = excluded.display_name,
      profile_image_url = coalesce(excluded.profile_image_url, profile_image_url)`;
}

function insertUpload(start: UploadStart): Statement {
  const { video, nowMs } = start;
  const filename = archiveFilename(video.ownerLogin, video.id, "ts");
  return sql`
    INSERT INTO uploads (id, kind, vod_id, filename, title, owner_id, initiated_by, rights, status,
      duration_sec, max_retries, created_at, updated_at)
    SELECT ${start.id}, 'twitch', ${video.id}, ${filename}, ${video.title}, owner.id,
      ${start.initiatedBy},
      CASE WHEN ${HAS_CONSENTED} THEN 'owner_signed_in' ELSE 'administrator_confirmed' END,
      'pending', ${video.durationSec}, ${start.maxRetries}, ${nowMs}, ${nowMs}
    FROM users owner
    WHERE owner.id = ${video.ownerId} AND ${mayStart(start)}`;
}
