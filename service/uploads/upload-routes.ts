import type { DataOf } from "#contract/call.ts";
import { uploadIdSchema, type UploadId } from "#contract/ids.ts";
import * as sourcePreview from "#contract/source-preview.ts";
import type { Upload } from "#contract/upload.ts";
import * as calls from "#contract/uploads.ts";
import { findConsentRefusal } from "#service/storage/consent-pause.ts";
import { sql } from "#service/db/sql.ts";
import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import {
  actorOf,
  principalOf,
  route,
  type RequestContext,
  type Route,
} from "#service/http/route.ts";
import { readChatAgain } from "#service/chat/chat-request.ts";
import type { SourceLookup } from "./source-lookup.ts";
import { previewSource } from "./source-preview.ts";
import {
  cancelUpload,
  deleteUpload,
  retryUpload,
  type UploadActionInput,
} from "#service/storage/upload-actions.ts";
import { readUploadWork } from "./upload-work.ts";
import { withPlaces } from "./queue-place.ts";
import { startUpload } from "./upload-start.ts";
import { matchFailedIds, pageFailedUploads, pageUploads } from "./upload-list.ts";
import { findUpload } from "#service/storage/upload-row.ts";

/** Shorter ones would be unique by chance only. */
const SHORTEST_ID = 8;

export function uploadRoutes(context: ServiceContext, lookup: SourceLookup): Route[] {
  const { database, clock } = context.platform;

  function actionInput(uploadId: UploadId, request: RequestContext): UploadActionInput {
    return { ...actorOf(request), uploadId, atMs: clock.now() };
  }

  async function requireUpload(id: UploadId): Promise<Upload> {
    const upload = await findUpload(context.platform, id);
    if (upload === null) throw noSuchUpload();
    return upload;
  }

  /** The only upload whose id begins so, as a terminal shows it; else the id as it is. */
  async function completeId(id: UploadId): Promise<UploadId> {
    if (id.length < SHORTEST_ID) return id;
    const [first, second] = await database.all(sql`SELECT id FROM uploads
      WHERE id >= ${id} AND id < ${`${id}\u007f`} ORDER BY id LIMIT 2`);
    return second === undefined && first !== undefined ? uploadIdSchema.parse(first.id) : id;
  }

  /** @throws {ApiError} conflict when a retry is not allowed, or not_found */
  async function retry(id: UploadId, request: RequestContext): Promise<void> {
    const result = await retryUpload(context, actionInput(id, request));
    if (result === "not_found") throw noSuchUpload();
    if (result !== "refused") return;
    const upload = await requireUpload(id);
    const lacksConsent = upload.status === "failed" ? await findConsentRefusal(database, id) : null;
    throw lacksConsent ?? retryRefusal(upload);
  }

  async function tryRetry(
    id: UploadId,
    request: RequestContext,
  ): Promise<DataOf<typeof calls.bulkRetry>["results"][number]> {
    try {
      await retry(id, request);
      return { id, ok: true };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { id, ok: false, error: error.message };
    }
  }

  return [
    route(calls.listUploads, async ({ query }) => {
      const page = await pageUploads(database, query, clock.now());
      return { ...page, items: await withPlaces(context.platform, page.items) };
    }),

    route(calls.uploadWork, ({ query }) => readUploadWork(context.platform, query.dayStart)),

    route(calls.listFailedUploads, ({ query }) => pageFailedUploads(database, query, clock.now())),

    route(calls.matchingUploadIds, ({ query }) => matchFailedIds(database, query)),

    route(calls.getUpload, async ({ params }) => requireUpload(await completeId(params.id))),

    route(calls.startUpload, ({ body, context: request }) =>
      startUpload(context, lookup, body, actorOf(request)),
    ),

    route(sourcePreview.previewSource, ({ body, context: request }) =>
      previewSource(context, lookup, body, principalOf(request).userId),
    ),

    route(calls.retryUpload, async ({ params, context: request }) => {
      await retry(params.id, request);
      return await requireUpload(params.id);
    }),

    route(calls.readChatAgain, async ({ params, context: request }) => {
      await readChatAgain(context, params.id, actorOf(request));
      return await requireUpload(params.id);
    }),

    route(calls.cancelUpload, async ({ params, context: request }) => {
      const result = await cancelUpload(context, actionInput(params.id, request));
      if (result === "not_found") throw noSuchUpload();
      if (result === "refused") throw cancelRefusal(await requireUpload(params.id));
      return await requireUpload(params.id);
    }),

    route(calls.deleteUpload, async ({ params, query, context: request }) => {
      const result = await deleteUpload(context, {
        ...actionInput(params.id, request),
        ifStatus: query.ifStatus,
        file: query.file,
      });
      if (result === "refused") throw deletionRefusal(await requireUpload(params.id));
      if (result === "not_found") throw noSuchUpload();
      return { id: params.id };
    }),

    route(calls.bulkRetry, async ({ body, context: request }) => {
      const results: DataOf<typeof calls.bulkRetry>["results"] = [];
      // Sequential, because a hundred parallel batches would only queue at the database.
      for (const id of new Set(body.ids)) results.push(await tryRetry(id, request));
      const success = results.filter((result) => result.ok).length;
      return { success, failed: results.length - success, results };
    }),
  ];
}

function noSuchUpload(): ApiError {
  return new ApiError("not_found", "There is no such upload. It may have been deleted.");
}

function retryRefusal(upload: Upload): ApiError {
  if (upload.status !== "failed")
    return new ApiError(
      "conflict",
      `Only failed uploads can be retried; this one is ${upload.status}.`,
    );
  if (upload.retryCount >= upload.maxRetries)
    return new ApiError("conflict", usedUp(upload.maxRetries));
  return new ApiError(
    "conflict",
    "Its deleted file is still being removed from storage. Please try again in a moment.",
  );
}

function usedUp(maxRetries: number): string {
  if (maxRetries === 0) return "This upload cannot be retried: its maximum is 0.";
  return maxRetries === 1
    ? "This upload has used its only retry."
    : `This upload has used all of its ${maxRetries} retries.`;
}

function deletionRefusal({ status }: Upload): ApiError {
  return new ApiError(
    "conflict",
    `This upload has changed since it was chosen: it is ${status} now.`,
  );
}

function cancelRefusal(upload: Upload): ApiError {
  return new ApiError(
    "conflict",
    `Only pending and processing uploads can be cancelled; this one is ${upload.status}.`,
  );
}
