import { newToken } from "#service/auth/session-tokens.ts";
import type { BodyOf } from "#contract/call.ts";
import { clockTime } from "#contract/clock-time.ts";
import { partText, type Part } from "#contract/part.ts";
import type { Upload } from "#contract/upload.ts";
import type { startUpload as startUploadCall } from "#contract/uploads.ts";
import type { ServiceContext } from "#service/context.ts";
import { findConsent, isInForce } from "#service/storage/consent.ts";
import { isConfirmed, rememberConfirmation } from "#service/storage/rights-confirmation.ts";
import { assertBudgetAllows } from "#service/costs/budget-gate.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Actor } from "#service/http/route.ts";
import { namesOfPart } from "#service/archiver/archive-part.ts";
import { itemIdOf } from "#service/storage/item-id.ts";
import type { SourceItem, SourceOwner } from "#service/source/source.ts";
import { assertNotBanned, isNotBanned } from "./ban-check.ts";
import type { RequestedItem, SourceLookup } from "./source-lookup.ts";
import { publishUpload } from "#service/storage/upload-events.ts";
import { storeNames } from "#service/storage/stored-name.ts";
import { insertArchive } from "./upload-insert.ts";
import { findUpload, newestUploadOfVod } from "#service/storage/upload-row.ts";

/**
 * Accepts a VOD or a direct URL for archiving. The statement that inserts the upload also checks
 * for consent and for an earlier upload of the same item, so that racing requests create only one.
 *
 * @throws {ApiError} conflict, invalid_request (no consent), not_found, upstream_error,
 *   unauthenticated (banned meanwhile)
 */
export async function startUpload(
  context: ServiceContext,
  lookup: SourceLookup,
  request: BodyOf<typeof startUploadCall>,
  actor: Actor,
): Promise<Upload> {
  const { database, clock, random, queue } = context.platform;
  const requested = await lookup.identify(request.source);
  const part = request.part ?? null;
  if (part !== null && requested.kind !== "twitch")
    throw new ApiError("invalid_request", "Only a Twitch VOD can be archived in part.", {
      details: { part: "has to be left out for a direct URL" },
    });
  const itemId = itemIdOf(requested.itemId, part);
  const mayRepeat = request.again === true;
  if (!mayRepeat && (await newestUploadOfVod(database, itemId)) !== null)
    throw isThereAlready(requested, part);
  await assertBudgetAllows(context);
  const { item: whole, owner } = await lookup.find(requested);
  if (part !== null) assertWithin(part, whole);
  const item = namesOfPart(whole, part);

  // Items without an owner belong to the person who archives them.
  const ownerId = owner?.id ?? actor.actorId;
  const id = newToken(random).slice(0, 24);
  const nowMs = clock.now();
  // Only for items whose source names the owner: administrators agree to nothing for themselves.
  const consent = owner === null ? null : await findConsent(database, ownerId);
  const textVersion = consent?.withdrawnAt === null ? consent.textVersion : null;
  // The archive rests on the owner's consent if there is one, else on the administrator's word,
  // given with this request or before.
  const isRemembered = owner !== null && !request.rightsConfirmed;
  const ownWord = isRemembered
    ? isConfirmed(ownerId, actor.actorId)
    : sql`${request.rightsConfirmed ? 1 : 0}`;
  const hasRights = textVersion === null ? ownWord : isInForce(ownerId, textVersion);
  const remembered =
    owner !== null && textVersion === null && request.rightsConfirmed
      ? request.rememberRights
      : undefined;
  // False without rights, if the VOD exists and may not be repeated, or if the initiator was banned
  // during the lookup.
  const mayStart = sql`${isNotBanned(actor.actorId)} AND ${hasRights}
    AND (${mayRepeat ? 1 : 0} OR NOT EXISTS (SELECT 1 FROM uploads WHERE vod_id = ${itemId}))`;
  const results = await batchIf(database, mayStart, [
    ...(owner === null ? [] : storeNames([owner], "decided", nowMs)),
    ...insertArchive(
      {
        id,
        kind: requested.kind,
        itemId,
        sourceUrl: requested.kind === "url" ? requested.reference : null,
        fileStem: item.fileStem,
        title: item.title,
        ownerId,
        initiatedBy: actor.actorId,
        textVersion,
        quality: request.quality ?? "best",
        durationSec: part === null ? item.durationSec : part.endSec - part.startSec,
        recordedAtMs: requested.kind === "twitch" ? item.createdAt.getTime() : null,
        isGrowing: item.isRecording,
        hasChat: requested.kind === "twitch",
        byRule: false,
        maxRetries: context.settings.MAX_RETRIES,
      },
      nowMs,
      {
        ...actor,
        after: {
          vodId: requested.itemId,
          ...(part !== null && { part: partText(part) }),
          ownerId,
          rightsConfirmed: request.rightsConfirmed,
          ...(textVersion === null
            ? isRemembered && { isRightsConfirmationRemembered: true }
            : { consentTextVersion: textVersion }),
          ...(remembered === undefined ? {} : { rememberedReason: remembered.reason }),
          quality: request.quality ?? "best",
        },
      },
    ),
    ...(remembered === undefined
      ? []
      : [rememberConfirmation(ownerId, actor.actorId, remembered.reason, nowMs)]),
  ]);
  if (results === null) {
    await assertNotBanned(database, actor.actorId);
    if (!mayRepeat && (await newestUploadOfVod(database, itemId)) !== null)
      throw isThereAlready(requested, part);
    throw lacksConsent(owner);
  }
  const upload = await findUpload(context.platform, id);
  if (upload === null) throw new ApiError("conflict", "This upload was deleted immediately.");
  await publishUpload(context.platform, id);
  await queue.send({ uploadId: id });
  return upload;
}

/** The end of a broadcast that goes on is not known. @throws {ApiError} invalid_request */
function assertWithin({ endSec }: Part, { durationSec, isRecording }: SourceItem): void {
  if (isRecording || durationSec === null || endSec <= Math.ceil(durationSec)) return;
  throw new ApiError(
    "invalid_request",
    `This VOD ends at ${clockTime(durationSec)}, before the part does.`,
    { details: { part: "has to end by the end of the VOD" } },
  );
}

function isThereAlready({ kind }: RequestedItem, part: Part | null): ApiError {
  const what = part !== null ? "part of the VOD" : kind === "twitch" ? "VOD" : "address";
  return new ApiError(
    "conflict",
    `This ${what} has been archived already. Archive it again anyway?`,
    { details: { again: `has to be true to archive this ${what} again` } },
  );
}

function lacksConsent(owner: SourceOwner | null): ApiError {
  return owner === null
    ? new ApiError("invalid_request", "Confirm that you hold the rights to archive this video.", {
        details: { rightsConfirmed: "has to be confirmed for this video" },
      })
    : new ApiError(
        "invalid_request",
        `${owner.displayName} has not agreed to archiving. Confirm that you hold the rights to archive this VOD.`,
        { details: { rightsConfirmed: "has to be confirmed for this VOD" } },
      );
}
