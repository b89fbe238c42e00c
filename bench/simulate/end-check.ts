import { hash } from "node:crypto";
import { sql } from "#service/db/sql.ts";
import { OWNER_KEY } from "#service/store/store-owner.ts";
import type { Database } from "#service/ports/database.ts";
import * as z from "zod/mini";
import { mustHold } from "./broken-invariant.ts";
import type { SharedMail } from "./shared-mail.ts";
import type { SharedStore } from "./shared-store.ts";
import { isCutOff, SEGMENT_SEC, segmentBytes, VODS } from "./simulated-vod.ts";
import type { SimulatedUsers } from "./simulated-users.ts";
import type { Watch } from "./watch.ts";
import type { UploadRow } from "./watched-rows.ts";

const manifestSchema = z.object({
  stored: z.object({
    sizeBytes: z.number(),
    partSizeBytes: z.number(),
    partSha256: z.array(z.string()),
  }),
});
const rangesSchema = z.array(z.object({ startSec: z.number(), endSec: z.number() }));
const deliverySchema = z.object({ id: z.string(), status: z.string() });

export type Outcome = {
  readonly watch: Watch;
  readonly store: SharedStore;
  readonly mail: SharedMail;
  readonly database: Database;
  readonly users: SimulatedUsers;
  /** A process may have sent a message without being able to record it. */
  readonly mayRepeat: boolean;
};

/** Checks what has to hold once nothing is left to do. */
export async function checkEnd(outcome: Outcome): Promise<void> {
  for (const upload of outcome.watch.rows.uploads.values()) checkUpload(outcome, upload);
  checkFiles(outcome);
  checkStrayObjects(outcome);
  await checkCounters(outcome);
  await checkDeliveries(outcome);
}

function checkUpload({ watch: { rows }, store, users }: Outcome, upload: UploadRow): void {
  checkVerdict(upload);
  const files = rows.files.filter(
    (file) => file.upload_id === upload.id && file.upload_type !== "chunk",
  );
  mustHold(files.length <= 1, "one file row per upload", `${upload.id} has ${files.length}`);
  const [file] = files;
  if (file === undefined) return;
  const bytes = store.objects.get(file.object_key)?.bytes;
  mustHold(bytes !== undefined, "a listed file is stored", file.object_key);
  if (bytes === undefined) return;
  mustHold(
    bytes.byteLength === file.size_bytes,
    "a listed file is stored",
    `${file.object_key} has ${bytes.byteLength} bytes, not ${file.size_bytes}`,
  );
  if (upload.kind === "manual") {
    const sent = users.files.get(upload.id)?.bytes;
    mustHold(
      sent !== undefined && Buffer.compare(sent, bytes) === 0,
      "a completed object is what was sent",
      upload.id,
    );
  } else {
    const stored = storedSegments(upload, bytes);
    const missing = stored?.flatMap((kind, index) => (kind === "missing" ? index : [])) ?? [];
    mustHold(
      stored !== null && (upload.status !== "completed" || missing.length === 0),
      "a completed object is the source",
      `${upload.id} of VOD ${upload.vod_id} is ${upload.status}`,
    );
    const muted = stored?.flatMap((kind, index) => (kind === "muted" ? index : [])) ?? [];
    mustHold(
      upload.status !== "completed" || rangesOf(upload.muted_ranges) === muted.join(),
      "a completed upload names what is muted",
      `${upload.id} has ${muted.join()}, names ${upload.muted_ranges}`,
    );
    if (upload.status === "failed") checkPartial(upload, missing);
  }
  if (upload.status === "completed") checkManifest(store, upload, bytes);
}

/** Whether the verdict on the source is true. */
function checkVerdict({ id, status, vod_id: vodId, failure_class: failureClass }: UploadRow): void {
  const vod = VODS.find((each) => each.id === vodId);
  mustHold(
    status !== "completed" || vod === undefined || !isCutOff(vod),
    "completed means that the end was seen",
    `${id} of VOD ${vodId}`,
  );
  mustHold(
    failureClass !== "gone_at_source" ||
      vod?.hiddenFromSegment !== undefined ||
      vod?.absent !== undefined,
    "gone means that the source no longer has it",
    `${id} of VOD ${vodId}`,
  );
}

/** What the bytes have of each segment; null if they are no sequence of segments. */
function storedSegments(
  upload: UploadRow,
  bytes: Uint8Array,
): readonly ("whole" | "muted" | "missing")[] | null {
  const vod = VODS.find(({ id }) => id === upload.vod_id);
  if (vod === undefined) return null;
  let at = 0;
  const stored = vod.packetCounts.map((_, index) => {
    for (const kind of ["whole", "muted"] as const) {
      const segment = segmentBytes(vod, index, kind === "muted");
      if (Buffer.compare(segment, bytes.subarray(at, at + segment.byteLength)) !== 0) continue;
      at += segment.byteLength;
      return kind;
    }
    // The part before may have been stored when the media were deleted.
    if (vod.goneFromSegment !== undefined)
      at += commonBytes(segmentBytes(vod, index, false), bytes.subarray(at));
    return "missing";
  });
  return at === bytes.byteLength ? stored : null;
}

/** The length of a common beginning; 0 for one by chance. */
function commonBytes(one: Uint8Array, other: Uint8Array): number {
  const differs = one.findIndex((byte, at) => byte !== other[at]);
  return differs < 16 ? 0 : differs;
}

/** The indexes of the segments in these time ranges. */
function rangesOf(text: string): string {
  return z
    .parse(rangesSchema, JSON.parse(text))
    .flatMap(({ startSec, endSec }) =>
      Array.from(
        { length: Math.round((endSec - startSec) / SEGMENT_SEC) },
        (_, index) => Math.round(startSec / SEGMENT_SEC) + index,
      ),
    )
    .join();
}

function checkPartial(upload: UploadRow, missing: readonly number[]): void {
  const named = rangesOf(upload.missing_ranges);
  const vod = VODS.find(({ id }) => id === upload.vod_id);
  const hasNoEnd = vod !== undefined && isCutOff(vod);
  mustHold(
    // What follows a plan that was cut off has no name.
    hasNoEnd ? missing.join().startsWith(named) : named === missing.join(),
    "a partial file names what is missing",
    `${upload.id} lacks ${missing.join()}, names ${named}`,
  );
  const gaps = [...(vod?.absent ?? []), ...(vod?.damaged ?? [])];
  mustHold(
    upload.failure_class !== "gone_at_source" ||
      hasNoEnd ||
      missing.every((index) => gaps.includes(index)),
    "a partial file lacks only what the source lacks",
    `${upload.id} of VOD ${upload.vod_id} lacks ${missing.join()}`,
  );
}

function checkManifest(store: SharedStore, upload: UploadRow, bytes: Uint8Array): void {
  const stored = store.objects.get(upload.manifest_key ?? "none");
  const text = new TextDecoder().decode(stored?.bytes);
  mustHold(stored !== undefined, "the manifest agrees with the object", `${upload.id} has none`);
  const manifest = z.parse(manifestSchema, JSON.parse(text)).stored;
  const digests: string[] = [];
  for (let at = 0; at < bytes.byteLength; at += manifest.partSizeBytes)
    digests.push(hash("sha256", bytes.subarray(at, at + manifest.partSizeBytes), "hex"));
  mustHold(
    manifest.sizeBytes === bytes.byteLength && digests.join() === manifest.partSha256.join(),
    "the manifest agrees with the object",
    upload.id,
  );
}

function checkFiles({ watch: { rows }, store, users }: Outcome): void {
  for (const key of users.deletedKeys)
    mustHold(
      !store.objects.has(key) && rows.files.every(({ object_key }) => object_key !== key),
      "what was deleted is gone",
      key,
    );
  // A chunk stands for the parts of an unfinished object.
  for (const file of rows.files)
    mustHold(
      file.upload_type === "chunk"
        ? typeof rows.uploads.get(file.upload_id ?? "none")?.multipart_id === "string"
        : store.objects.get(file.object_key)?.bytes.byteLength === file.size_bytes,
      "a listed file is stored",
      file.object_key,
    );
}

/**
 * An object that belongs to no file belongs to an upload that can be retried, or that goes on: a
 * process that was suspended in a request may begin one when the others have found all calm.
 */
function checkStrayObjects({ watch: { rows, recordedMultiparts }, store }: Outcome): void {
  const open = [...rows.uploads.values()].filter(({ status }) =>
    ["failed", "pending", "processing"].includes(status),
  );
  for (const [multipartId, { key }] of store.multiparts)
    mustHold(
      !recordedMultiparts.has(multipartId) ||
        open.some((upload) => upload.multipart_id === multipartId),
      "no stray multipart upload",
      `${multipartId} of ${key}`,
    );
  const stems = rows.files.map((file) => file.object_key.replace(/\.(ts|mp4)$|\/[^/]+$/, ""));
  for (const key of store.objects.keys()) {
    const isOwn = key.startsWith("internal/") || key === OWNER_KEY;
    const isFile = stems.some((stem) => key.startsWith(stem));
    mustHold(
      isOwn || isFile || open.some(({ id }) => key.includes(id)),
      "no object is left over",
      key,
    );
  }
}

const RECOUNT = sql`
  WITH counted (name, value) AS (
    SELECT 'uploads.' || status, count(*) FROM uploads GROUP BY status UNION ALL
    SELECT 'files.' || status, count(*) FROM files GROUP BY status UNION ALL
    SELECT 'files.' || upload_type, count(*) FROM files GROUP BY upload_type UNION ALL
    SELECT 'files.bytes', sum(size_bytes) FROM files)
  SELECT c.name || ' is ' || c.value || ', counted ' || ifnull(counted.value, 0) AS difference
  FROM counters c LEFT JOIN counted ON counted.name = c.name
  WHERE (c.name LIKE 'uploads.%' OR c.name LIKE 'files.%') AND c.value <> ifnull(counted.value, 0)
    AND c.name IN (SELECT 'uploads.' || value FROM json_each('["pending","processing","completed","failed","cancelled"]')
      UNION ALL SELECT 'files.' || value FROM json_each('["complete","partial","orphaned","twitch","manual","chunk","bytes"]'))`;

async function checkCounters({ database }: Outcome): Promise<void> {
  const wrong = await database.all(RECOUNT);
  const texts = wrong.map(({ difference }) => String(difference));
  mustHold(texts.length === 0, "counters equal recounts", texts.join(", "));
}

async function checkDeliveries({ database, mail, mayRepeat }: Outcome): Promise<void> {
  const rows = await database.all(sql`
    SELECT CAST(seq AS TEXT) AS id, status FROM notification_deliveries WHERE channel = 'email'`);
  const deliveries = rows.map((row) => z.parse(deliverySchema, row));
  // A message may report several events: its id ends in the number of the others.
  const sent = [...mail.accepted.keys()].reduce(
    (sum, messageId) => sum + 1 + Number(/-and-(\d+)@/.exec(messageId)?.[1] ?? 0),
    0,
  );
  const delivered = deliveries.filter(({ status }) => status === "delivered").length;
  mustHold(delivered <= sent, "a delivered message was sent", `${delivered} of ${sent}`);
  for (const [messageId, count] of mail.accepted)
    mustHold(
      count === 1 || mayRepeat || mail.doubtful.has(messageId),
      "a message is sent once",
      `${messageId} ${count} times`,
    );
}
