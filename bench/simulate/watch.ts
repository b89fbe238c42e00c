import type { Database } from "#service/ports/database.ts";
import { mustHold } from "./broken-invariant.ts";
import type { Life } from "./life.ts";
import { partName, type SharedStore } from "./shared-store.ts";
import { readWatchedRows, type UploadRow, type WatchedRows } from "./watched-rows.ts";

/** Checks after each write what has to hold at all times, by comparing the rows before and after. */
export type Watch = {
  afterWrite(life: Life | null): Promise<void>;
  /** A user asked for it: only then may an upload leave `failed`, or a row disappear. */
  asked(action: "retry" | "delete", uploadId: string): void;
  readonly rows: WatchedRows;
  /** Multipart uploads that were ever on record: those have to be ended. */
  readonly recordedMultiparts: ReadonlySet<string>;
};

/** The audit entry and the events that the write of each change of status must contain. */
const CHANGES: Readonly<
  Record<string, { readonly audit: string; readonly events: readonly string[] }>
> = {
  "processing>completed": { audit: "upload.complete", events: ["upload_completed"] },
  "processing>failed": { audit: "upload.fail", events: ["upload_failed", "retries_exhausted"] },
  "pending>failed": { audit: "upload.fail", events: ["upload_failed", "retries_exhausted"] },
  "pending>cancelled": { audit: "upload.cancel", events: [] },
  "processing>cancelled": { audit: "upload.cancel", events: [] },
  "failed>pending": { audit: "upload.retry", events: [] },
};
const UNNOTED = new Set(["pending>processing"]);
const ENDINGS = new Set(["upload_completed", "upload_failed", "retries_exhausted"]);

export async function createWatch(
  database: Database,
  store: SharedStore,
  isUndisturbed: (leaseOwner: string) => boolean,
): Promise<Watch> {
  let rows = await readWatchedRows(database, 0, 0);
  let auditSeq = 0;
  let eventSeq = 0;
  const deletions = new Set<string>();
  const retries = new Map<string, number>();
  const known = new Set<string>();
  const recordedMultiparts = new Set<string>();
  const grown = new Set<string>();

  function checkCreated(after: UploadRow, next: WatchedRows): void {
    mustHold(!known.has(after.id), "no row comes back", after.id);
    known.add(after.id);
    mustHold(
      next.audit.some(({ action, target }) => action === "upload.start" && target === after.id),
      "each change has its audit entry",
      `${after.id} was created`,
    );
  }

  function checkDeleted(before: UploadRow, next: WatchedRows): void {
    mustHold(deletions.has(before.id), "a row is deleted only on request", before.id);
    mustHold(
      next.audit.some(({ action, target }) => action === "upload.delete" && target === before.id),
      "each change has its audit entry",
      `${before.id} was deleted`,
    );
  }

  function checkStatus(before: UploadRow, after: UploadRow, next: WatchedRows): void {
    const change = `${before.status}>${after.status}`;
    const events = next.events.filter(
      ({ type, subject }) => ENDINGS.has(type) && subject === after.id,
    );
    if (before.status === after.status || UNNOTED.has(change)) {
      mustHold(
        events.length === 0,
        "one event per transition",
        `${after.id} stays ${after.status}`,
      );
      return;
    }
    const expected = CHANGES[change];
    mustHold(expected !== undefined, "only known transitions", `${after.id} ${change}`);
    const entries = next.audit.filter(
      ({ action, target }) =>
        target === after.id &&
        (action === expected?.audit || (change.endsWith("failed") && action === "upload.expire")),
    );
    mustHold(
      entries.length === 1,
      "each change has its audit entry",
      `${after.id} ${change}: ${entries.length}`,
    );
    mustHold(
      events.length === Math.min(1, expected?.events.length ?? 0) &&
        events.every(({ type }) => expected?.events.includes(type)),
      "one event per transition",
      `${after.id} ${change}: ${JSON.stringify(events)}`,
    );
    if (after.status === "completed") {
      const files = next.files.filter((file) => file.upload_id === after.id);
      mustHold(
        files.length === 1 && files[0]?.status === "complete",
        "one file row per upload",
        `${after.id} has ${files.length}`,
      );
    }
    if (change === "failed>pending")
      mustHold(
        after.retry_count <= (retries.get(after.id) ?? 0),
        "failed is left only by a retry",
        after.id,
      );
  }

  function checkProgress(before: UploadRow, after: UploadRow): void {
    mustHold(
      after.progress >= 0 && (after.status === "completed" || after.progress < 100),
      "only a completed upload has 100 %",
      `${after.id} is ${after.status} at ${after.progress}`,
    );
    // A broadcast that has grown has less of it stored.
    if ((after.segments_total ?? 0) > (before.segments_total ?? 0)) grown.add(after.id);
    if (before.status !== "processing" || after.progress >= before.progress) return;
    mustHold(
      grown.delete(after.id) || after.status !== "processing" || after.error_message !== null,
      "progress falls only with its reason",
      `${after.id} of VOD ${after.vod_id} ${before.progress} to ${after.progress}`,
    );
  }

  function checkTakeover(before: UploadRow, after: UploadRow): void {
    const owner = before.lease_owner;
    if (owner === null || after.lease_owner === null || after.lease_owner === owner) return;
    mustHold(
      !isUndisturbed(owner),
      "a living runner keeps its lease",
      `${after.lease_owner} took ${after.id} from ${owner}`,
    );
  }

  function checkParts(next: WatchedRows): void {
    const bytes = new Map<string, number>();
    for (const part of next.parts) {
      const upload = next.uploads.get(part.upload_id);
      const multipartId = upload?.multipart_id ?? "none";
      mustHold(
        store.confirmed.get(partName(multipartId, part.part_number, part.tag)) === part.size_bytes,
        "a part counts only once the store has confirmed it",
        `${part.upload_id} part ${part.part_number} of ${multipartId}`,
      );
      bytes.set(part.upload_id, (bytes.get(part.upload_id) ?? 0) + part.size_bytes);
    }
    for (const piece of next.pieces)
      bytes.set(piece.upload_id, (bytes.get(piece.upload_id) ?? 0) + piece.size_bytes);
    for (const { id, kind, status, stored_bytes: claimed } of next.uploads.values()) {
      if (status !== "processing" && status !== "pending") continue;
      const recorded = bytes.get(id) ?? 0;
      mustHold(
        // The offset of a manual upload is what it claims.
        kind === "manual" ? claimed === recorded : claimed <= recorded || claimed === 0,
        "stored bytes are those of the confirmed parts and pieces",
        `${id} claims ${claimed} of ${recorded}`,
      );
    }
  }

  return {
    get rows() {
      return rows;
    },
    recordedMultiparts,
    asked(action, uploadId) {
      if (action === "delete") deletions.add(uploadId);
      else retries.set(uploadId, (retries.get(uploadId) ?? 0) + 1);
    },
    async afterWrite(life) {
      const next = await readWatchedRows(database, auditSeq, eventSeq);
      auditSeq = next.audit.at(-1)?.seq ?? auditSeq;
      eventSeq = next.events.at(-1)?.seq ?? eventSeq;
      for (const before of rows.uploads.values())
        if (!next.uploads.has(before.id)) checkDeleted(before, next);
      for (const after of next.uploads.values()) {
        if (after.multipart_id !== null) recordedMultiparts.add(after.multipart_id);
        const before = rows.uploads.get(after.id);
        if (before === undefined) {
          checkCreated(after, next);
          continue;
        }
        checkStatus(before, after, next);
        checkRetries(before, after);
        checkWriter(before, after, life);
        checkProgress(before, after);
        if (after.kind === "twitch") checkTakeover(before, after);
      }
      checkParts(next);
      mustHold(
        next.events.every(({ type }) => type !== "file_damaged"),
        "a store that is away or refuses loses nothing",
        JSON.stringify(next.events),
      );
      for (const { id, status, initiated_by: userId } of next.uploads.values()) {
        const isBannedNow =
          next.bannedUsers.has(userId ?? "") && !rows.bannedUsers.has(userId ?? "");
        const isDue = rows.toCancel.has(id) || isBannedNow;
        mustHold(
          !isDue || next.toCancel.has(id) || status !== "pending",
          "a ban cancels what waits",
          id,
        );
        mustHold(
          status !== "pending" || next.removals.every((key) => !key.includes(id)),
          "a retry waits for removals",
          id,
        );
      }
      rows = next;
    },
  };
}

function checkRetries(before: UploadRow, after: UploadRow): void {
  const isRetry = before.status === "failed" && after.status === "pending";
  mustHold(
    after.retry_count === before.retry_count + (isRetry ? 1 : 0) &&
      after.retry_count <= after.max_retries,
    "a retry is spent only by a retry",
    `${after.id} ${before.retry_count} to ${after.retry_count}`,
  );
}

function hasRunChanged(before: UploadRow, after: UploadRow): boolean {
  return (
    before.stored_bytes !== after.stored_bytes ||
    before.segments_done !== after.segments_done ||
    before.progress !== after.progress ||
    before.manifest_key !== after.manifest_key ||
    before.multipart_id !== after.multipart_id ||
    after.status === "completed"
  );
}

/** Names of lease owners begin with the host's name, which is the life's. */
function checkWriter(before: UploadRow, after: UploadRow, life: Life | null): void {
  mustHold(after.epoch >= before.epoch, "the epoch never falls", after.id);
  if (before.status !== "processing" || before.epoch !== after.epoch || life === null) return;
  if (!hasRunChanged(before, after)) return;
  mustHold(
    before.lease_owner?.startsWith(`${life.name}-`) === true,
    "only the holder of the lease writes",
    `${life.name} wrote ${after.id}, which ${before.lease_owner ?? "nobody"} holds: ${JSON.stringify(before)} ${JSON.stringify(after)}`,
  );
}
