import * as z from "zod/mini";
import {
  type ChosenFile,
  fileStatusSchema,
  type ObjectKey,
  objectKeySchema,
} from "#contract/files.ts";
import { manualSidecarKeys, sidecarKeys } from "#service/storage/object-keys.ts";
import {
  carryOutRemovals,
  planAborts,
  planDeletions,
  planPieceRemovals,
} from "#service/storage/store-removals.ts";
import { dropChat } from "#service/storage/chat-record.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { publishUploads } from "#service/storage/upload-events.ts";
import { ownerOfKey } from "#service/storage/key-owner.ts";

const goneRow = z.object({
  object_key: objectKeySchema,
  size_bytes: z.number(),
  upload_id: z.nullable(z.string()),
});

const targetRow = z.extend(goneRow, {
  status: fileStatusSchema,
  last_modified_at: z.number(),
  locked_at: z.nullable(z.number()),
  /** 1 if the reconciler added the row, with the store's size and modification time. */
  is_found: z.number(),
});
type Target = z.infer<typeof targetRow>;

/**
 * A file to delete; `chosen` is its state when it was selected, or null if not from a list. It is
 * deleted only if `condition` holds for its row `f`.
 */
type DeletionRequest = {
  readonly key: ObjectKey;
  readonly chosen: ChosenFile | null;
  readonly condition: Statement;
};

/** Who deletes: a person in a request, or a rule on the right of its author. */
type DeletionActor = Actor | { readonly actorId: string; readonly reason: string };

/** `refusal`: why the store keeps the object for now; the file is no longer listed. */
type Deleted = { readonly size: number; readonly refusal?: string };
type Outcome = Deleted | ApiError;

/**
 * @throws {ApiError} not_found, or conflict while the file's upload runs, for a locked file, and for
 *   an orphan that was overwritten
 */
export async function deleteStoredFile(
  context: ServiceContext,
  key: ObjectKey,
  actor: Actor,
): Promise<Deleted> {
  const rows = await deleteRows(context, [{ key, chosen: null, condition: sql`TRUE` }], actor);
  const outcome = (await removeNow(context, rows)).get(key);
  if (outcome === undefined) throw new Error("A deletion without an outcome");
  if (outcome instanceof ApiError) throw outcome;
  return outcome;
}

/**
 * Deletes files that were selected from a list, each only if its size and status are unchanged: an
 * unfinished part may have become a complete file. Returns the outcome for each file.
 */
export async function deleteChosenFiles(
  context: ServiceContext,
  files: readonly ChosenFile[],
  actor: Actor,
): Promise<ReadonlyMap<ObjectKey, Outcome>> {
  const requests = files.map((chosen) => ({
    key: chosen.key,
    chosen,
    condition: sql`f.size_bytes = ${chosen.size} AND f.status = ${chosen.status}`,
  }));
  // If a file is named twice, the first entry counts.
  const byKey = new Map(requests.toReversed().map((request) => [request.key, request]));
  return await removeNow(
    context,
    await deleteRows(context, [...byKey.values()].toReversed(), actor),
  );
}

/** Deletes files of the trash, each only if `condition` still holds for its row `f`. */
export async function deleteTrashedFiles(
  context: ServiceContext,
  keys: readonly ObjectKey[],
  actor: DeletionActor,
  condition: Statement,
): Promise<ReadonlyMap<ObjectKey, Outcome>> {
  const requests = keys.map((key) => ({ key, chosen: null, condition }));
  return await removeNow(context, await deleteRows(context, requests, actor));
}

/** The files that are gone from the store, too, or will be soon. */
export function sumOfDeleted(outcomes: ReadonlyMap<ObjectKey, Outcome>): {
  readonly deleted: number;
  readonly freed: number;
} {
  const sizes = [...outcomes.values()].flatMap((outcome) =>
    outcome instanceof ApiError || outcome.refusal !== undefined ? [] : [outcome.size],
  );
  return { deleted: sizes.length, freed: sizes.reduce((sum, size) => sum + size, 0) };
}

/**
 * Deletes stored files and their sidecars: exactly these keys, never a prefix. One batch deletes
 * the rows and records the removals from the store, which are retried by every sweep until the
 * store confirms.
 */
async function deleteRows(
  context: ServiceContext,
  requests: readonly DeletionRequest[],
  actor: DeletionActor,
): Promise<ReadonlyMap<ObjectKey, Outcome>> {
  const { database, clock } = context.platform;
  const targets = await readTargets(database, requests);
  const changed = await changedOrphans(context, [...targets.values()]);
  const statements = requests.flatMap((request) => {
    const target = targets.get(request.key);
    return target === undefined || changed.has(request.key)
      ? []
      : deletion(request, target, clock.now(), actor);
  });
  const results = await database.batch(statements, { isEssential: true });
  const gone = results.flatMap(({ rows }) => rows.map((row) => goneRow.parse(row)));
  await publishUploads(
    context.platform,
    gone.flatMap(({ upload_id: uploadId }) => uploadId ?? []),
  );
  const freed = gone.map(({ object_key: key, size_bytes: size }) => [key, { size }] as const);
  const answered = new Set([...changed, ...freed.map(([key]) => key)]);
  const stay = requests.filter(({ key }) => !answered.has(key));
  const refused = [...changed].map((key) => [key, writtenOver()] as const);
  return new Map<ObjectKey, Outcome>([...freed, ...refused, ...(await refusalsOf(database, stay))]);
}

/**
 * Returns the orphans that were overwritten in the store since they were found. These are not
 * deleted; the next scan updates their rows.
 */
async function changedOrphans(
  context: ServiceContext,
  targets: readonly Target[],
): Promise<ReadonlySet<ObjectKey>> {
  const orphans = targets.filter(({ status }) => status === "orphaned");
  const changed = new Set<ObjectKey>();
  await Promise.all(
    orphans.map(async (orphan) => {
      const head = await context.platform.objects.head(orphan.object_key);
      if (head !== null && !isAsFound(orphan, head)) changed.add(orphan.object_key);
    }),
  );
  return changed;
}

function isAsFound(orphan: Target, { sizeBytes, lastModifiedAt }: ObjectHead): boolean {
  if (sizeBytes !== orphan.size_bytes) return false;
  return orphan.is_found === 0 || lastModifiedAt.getTime() === orphan.last_modified_at;
}

function writtenOver(): ApiError {
  return new ApiError(
    "conflict",
    "This file was overwritten in the store after it was found. Check it again in half an hour.",
  );
}

async function readTargets(
  database: Database,
  requests: readonly DeletionRequest[],
): Promise<ReadonlyMap<ObjectKey, Target>> {
  const rows =
    await database.all(sql`SELECT object_key, size_bytes, upload_id, status, last_modified_at,
      locked_at, json_extract(metadata, '$.foundAt') IS NOT NULL AS is_found FROM files
    WHERE object_key IN (
      SELECT value FROM json_each(${JSON.stringify(requests.map(({ key }) => key))}))`);
  const targets = rows.map((row) => targetRow.parse(row));
  return new Map(targets.map((target) => [target.object_key, target]));
}

/** Of these statements, only the DELETE returns rows. */
function deletion(
  { key, condition }: DeletionRequest,
  { upload_id: uploadId, size_bytes: sizeBytes }: Target,
  nowMs: number,
  actor: DeletionActor,
): readonly Statement[] {
  const mayGo = sql`EXISTS (SELECT 1 FROM files f WHERE f.object_key = ${key}
    AND f.locked_at IS NULL AND ${condition} AND NOT EXISTS (
    SELECT 1 FROM uploads u WHERE u.id = f.upload_id AND u.status IN ('pending', 'processing')))`;
  const removals = [key, ...sidecarsOf(key)];
  return [
    planAborts(
      sql`id = ${uploadId} AND ${mayGo} AND EXISTS (
        SELECT 1 FROM files c WHERE c.object_key = ${key} AND c.upload_type = 'chunk')`,
      nowMs,
    ),
    planDeletions(removals, nowMs, mayGo),
    ...planPieceRemovals(sql`upload_id = ${uploadId} AND ${mayGo}`, nowMs),
    sql`DELETE FROM upload_parts WHERE upload_id = ${uploadId} AND ${mayGo}`,
    // A retry then starts from the beginning, because the checkpoint is deleted with the parts.
    sql`UPDATE uploads SET object_key = NULL, playlist_key = NULL, manifest_key = NULL,
        chat_key = NULL, has_thumbnail = 0, has_storyboard = 0, multipart_id = NULL,
        part_size_bytes = iif(kind = 'manual', part_size_bytes, NULL), version = version + 1, updated_at = ${nowMs}
      WHERE id = ${uploadId} AND ${mayGo}`,
    ...dropChat(uploadId, nowMs, mayGo),
    ...recordedChange(
      sql`DELETE FROM files WHERE object_key = ${key} AND ${mayGo}
        RETURNING object_key, size_bytes, upload_id`,
      nowMs,
      { audit: { ...actor, action: "file.delete", target: key, before: { sizeBytes, uploadId } } },
    ),
  ];
}

/** Objects beside the main object that have no row of their own. */
function sidecarsOf(key: ObjectKey): readonly ObjectKey[] {
  const owner = ownerOfKey(key);
  if (owner === null || owner.isSidecar) return [];
  return owner.uploadType === "manual" ? manualSidecarKeys(owner) : sidecarKeys(key);
}

/** Why the files were not deleted. */
async function refusalsOf(
  database: Database,
  requests: readonly DeletionRequest[],
): Promise<ReadonlyMap<ObjectKey, ApiError>> {
  if (requests.length === 0) return new Map();
  const remaining = await readTargets(database, requests);
  return new Map(
    requests.map((request) => [request.key, refusal(request, remaining.get(request.key))]),
  );
}

function refusal({ chosen }: DeletionRequest, file: Target | undefined): ApiError {
  if (file === undefined) return new ApiError("not_found", "There is no such file.");
  if (file.locked_at !== null)
    return new ApiError("conflict", "This file is locked. Unlock it first.");
  const isChanged =
    chosen !== null && (file.size_bytes !== chosen.size || file.status !== chosen.status);
  return isChanged
    ? new ApiError("conflict", "This file has changed since it was selected. Check it again.")
    : new ApiError("conflict", "This file's upload is still running. Cancel the upload first.");
}

/** Starts the removals now; the next sweep retries those that fail. Adds what the store refuses. */
async function removeNow(
  context: ServiceContext,
  outcomes: ReadonlyMap<ObjectKey, Outcome>,
): Promise<ReadonlyMap<ObjectKey, Outcome>> {
  if ([...outcomes.values()].every((outcome) => outcome instanceof ApiError)) return outcomes;
  try {
    await carryOutRemovals(context);
    const refusals = await readRefusals(context.platform.database, [...outcomes.keys()]);
    const withRefusals = new Map(outcomes);
    for (const [key, outcome] of outcomes) {
      const reason = refusals.get(key);
      if (reason !== undefined && !(outcome instanceof ApiError))
        withRefusals.set(key, { ...outcome, refusal: reason });
    }
    return withRefusals;
  } catch (error) {
    context.log.warn("A deleted file's bytes will be removed later", { error });
    return outcomes;
  }
}

async function readRefusals(
  database: Database,
  keys: readonly ObjectKey[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await database.all(sql`SELECT key, error FROM jobs
    WHERE kind = 'removal' AND error IS NOT NULL
      AND key IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`);
  return new Map(rows.map(({ key, error }) => [String(key), String(error)]));
}
