import { sql } from "#service/db/sql.ts";
import type { ObjectHead } from "#service/ports/object-store.ts";
import { archiveChat } from "./chat-archive.ts";
import { askStore } from "./ask-store.ts";
import { copyUnits, type CopiedArchive } from "./archive-copy.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import { recordCompletion, recordPartialFile } from "./archive-finish.ts";
import type { ArchiveManifest } from "./archive-manifest.ts";
import { openMultipart, startOver, type OpenMultipart } from "./archive-multipart.ts";
import { keysOf, openPlan, storeManifest } from "./archive-plan.ts";
import { archivePlaylist } from "./archive-playlist.ts";
import { completeAndProve } from "./archive-proof.ts";
import { readArchiveRow, type ArchiveRow } from "./archive-row.ts";
import { sizeOfParts } from "./checkpoint.ts";
import type { ArchiveKeys } from "./object-keys.ts";
import { ArchiveFailed, StartOver } from "./run-end.ts";
import { batchUnderLease, holds } from "./upload-lease.ts";

/** A run fails if it has to start over this many times. */
const MAX_FRESH_STARTS = 3;

/**
 * Continues one upload to its end: plan, copy, chat, proof, record. Returns once the upload is
 * recorded as completed, or as failed because the source lacked segments.
 * @throws the errors in run-end.ts for every other end
 */
export async function runArchive(deps: ArchiveDeps): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    const row = await readArchiveRow(deps.context.platform.database, deps.lease);
    try {
      await archive(deps, row);
      return;
    } catch (error) {
      if (!(error instanceof StartOver)) throw error;
      if (starts >= MAX_FRESH_STARTS)
        throw new ArchiveFailed("source_corrupt", `${error.message}, ${starts} times in a row.`, {
          cause: error,
        });
      deps.context.log.warn("An archive begins again from nothing", {
        uploadId: row.id,
        reason: error.message,
      });
      const current = await readArchiveRow(deps.context.platform.database, deps.lease);
      await startOver(deps, current);
      await resetState(deps, `${error.message}. The copy begins again.`);
    }
  }
}

/** Resets the progress; `explanation` is shown until the next part is stored. */
async function resetState(deps: ArchiveDeps, explanation: string): Promise<void> {
  Object.assign(deps.progress.state, {
    phase: "planning",
    segmentsDone: 0,
    lastSegment: null,
    durationDoneSec: 0,
    bytesDone: 0,
    missingRanges: [],
    reachedPercentage: 0,
  } satisfies Partial<ArchiveDeps["progress"]["state"]>);
  await batchUnderLease(deps.context.platform.database, [
    sql`UPDATE uploads SET error_message = ${explanation} WHERE ${holds(deps.lease)}`,
  ]);
}

async function archive(deps: ArchiveDeps, row: ArchiveRow): Promise<void> {
  const { progress } = deps;
  const manifest = await openPlan(deps, row);
  const keys = keysOf(row, manifest);
  const multipart = await openMultipart(deps, row, manifest, keys.object);
  progress.state.phase = "copying";
  await progress.flush();
  const copied = await copyUnits(deps, row, manifest, multipart);
  deps.outlastSlice();
  const isWhole = copied.units.every((unit) => !unit.isMissing);
  if (!isWhole && !(await isWorthKeeping(deps, row, copied))) {
    await recordPartialFile(deps, row, manifest, copied, keys, multipart, null, false);
    return;
  }
  progress.state.phase = "chat";
  await progress.flush();
  const hasChat = await archiveChat(deps, manifest, keys.chat);
  progress.state.phase = "proving";
  await progress.flush();
  const head = await finishObject(deps, manifest, copied, keys, multipart);
  if (isWhole) await recordCompletion(deps, row, manifest, keys, head, hasChat);
  else await recordPartialFile(deps, row, manifest, copied, keys, multipart, head, hasChat);
}

/** Whether a partial copy is larger than the partial file of an earlier run, and not empty. */
async function isWorthKeeping(
  deps: ArchiveDeps,
  row: ArchiveRow,
  copied: CopiedArchive,
): Promise<boolean> {
  const [kept] = await deps.context.platform.database.all(sql`
    SELECT size_bytes FROM files WHERE upload_id = ${row.id} AND upload_type = 'twitch'`);
  return sizeOfParts(copied.parts) > Number(kept?.size_bytes ?? 0);
}

/** Writes the playlist, completes and proves the object, then writes the final manifest. */
async function finishObject(
  deps: ArchiveDeps,
  manifest: ArchiveManifest,
  copied: CopiedArchive,
  keys: ArchiveKeys,
  multipart: OpenMultipart,
): Promise<ObjectHead> {
  const { platform } = deps.context;
  const playlist = archivePlaylist(manifest, copied.units, keys.object);
  await askStore(deps, (objects) =>
    objects.put(keys.playlist, new TextEncoder().encode(playlist), {
      contentType: "application/vnd.apple.mpegurl",
      metadata: { uploadId: manifest.uploadId },
    }),
  );
  await batchUnderLease(platform.database, [
    sql`UPDATE uploads SET playlist_key = ${keys.playlist} WHERE ${holds(deps.lease)}`,
  ]);
  const head = await completeAndProve(platform, multipart, copied.parts, deps.signal, (trouble) =>
    deps.progress.storeAnswered(trouble),
  );
  await storeManifest(deps, keys.manifest, {
    ...manifest,
    stored: {
      sizeBytes: head.sizeBytes,
      tag: head.tag,
      tagAlgorithm: platform.objects.partTagAlgorithm,
      partSizeBytes: multipart.partSizeBytes,
      partSha256: copied.parts.map((part) => part.sha256),
      units: [...copied.units],
    },
  });
  return head;
}
