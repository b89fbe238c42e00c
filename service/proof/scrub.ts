import type { ObjectKey } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import {
  type ByteRange,
  isAway,
  type ObjectStore,
  StoreError,
} from "#service/ports/object-store.ts";
import { type Damage, liftDamage, recordDamage } from "./file-damage.ts";
import type { ProvedObject } from "#service/storage/manifest.ts";
import { rangeOfPart, readProvedParts } from "./proved-parts.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { pingStore } from "#service/store/store-probe.ts";
import { type Check, findNextCheck } from "./next-check.ts";
import { countRead, DAY_MS, readPace } from "./scrub-pace.ts";

/**
 * Reads stored bytes again and compares them with the digests that were proved when the file was
 * archived: least recently checked file first, part by part, a share of all bytes each day. A file
 * becomes partial if a part does not match in two reads, or cannot be read for hours while the
 * store answers other requests (e.g. a bad sector); what is sound again is lifted (file-damage.ts).
 * A file that the store refuses to hand out is not damaged: it is passed over, and counted.
 *
 * What somebody asked for (verification-request.ts) comes first, and without a pace while no archive
 * runs. The position is recorded, so that restarts repeat only what is in memory: one part, or for
 * what was asked for as many as a copy may hold.
 */

/**
 * Minimum size counted per check. It limits checks to 64 a second, so that a million small files do
 * not keep the process from other work.
 */
const LEAST_PACED_BYTES = 256 * 1024;

/** An unreadable file is skipped for this long, so that it does not hold up the others. */
const RETRY_AFTER_MS = 3_600_000;
/** As long for one that is refused: a whole library may be in cold storage. */
const RETRY_REFUSED_AFTER_MS = DAY_MS;
/** A file that is unreadable at every attempt for this long counts as damaged. */
const LOST_AFTER_MS = 6 * 3_600_000;

/** Maximum duration of a round; the next round continues. */
const SCRUB_ROUND_MS = 30_000;
/** The same while there are requests. Rounds begin every minute. */
const REQUESTED_ROUND_MS = 55_000;
/** More parts at a time hide no more of the store's latency. */
const MAX_PARTS_AT_A_TIME = 4;

export type Scrub = {
  /**
   * Reads until the day's share so far is done or the round is over. Call every minute. Does not
   * throw store errors; a later round retries.
   */
  round(): Promise<void>;
  /** Ends the round that runs. */
  stop(): void;
};

export function createScrub(context: ServiceContext): Scrub {
  const { clock } = context.platform;
  const stopping = new AbortController();
  const readManifest = rememberLast(context.platform.objects);

  return {
    async round() {
      const roundStartedMs = clock.monotonic();
      while (!stopping.signal.aborted) {
        const pace = await readPace(context);
        if (!pace.isAsked && pace.dueBytes <= 0) return;
        const startedMs = clock.monotonic();
        const roundMs = pace.isAsked ? REQUESTED_ROUND_MS : SCRUB_ROUND_MS;
        if (startedMs - roundStartedMs >= roundMs) return;
        const check = await findNextCheck(context, pace);
        const isFast = check?.is_asked === 1 && !pace.isBusy;
        const readBytes = check && (await scrubPart(context, check, readManifest, isFast));
        if (readBytes === null) return;
        if (isFast) continue;
        const tookMs = clock.monotonic() - startedMs;
        const paceMs = (Math.max(readBytes, LEAST_PACED_BYTES) / pace.bytesPerSec) * 1_000;
        await clock.sleep(Math.max(0, paceMs - tookMs), stopping.signal);
      }
    },
    stop: () => stopping.abort(),
  };
}

/** Caches the last manifest, which may have megabytes, for the checks of the file's parts. */
function rememberLast(objects: ObjectStore): (check: Check) => Promise<ProvedObject | null> {
  let last: { check: Check; proved: ProvedObject | null } | null = null;
  return async (check) => {
    if (last?.check.object_key !== check.object_key || check.verify_part === 1)
      last = { check, proved: await readProvedParts(objects, check.object_key) };
    return last.proved;
  };
}

/** Checks a part and returns the number of bytes read; null if the store is unavailable. */
async function scrubPart(
  context: ServiceContext,
  check: Check,
  readManifest: (check: Check) => Promise<ProvedObject | null>,
  isFast: boolean,
): Promise<number | null> {
  let proved: ProvedObject | null = null;
  try {
    if (check.is_readable === 1) proved = await readManifest(check);
    // It counts as lost when it is still missing in an hour.
    if (proved === null && check.unreadable_since === null && (await lacksManifest(context, check)))
      return await setAside(context, check, null, null);
    const next =
      check.is_readable === 1
        ? await checkParts(context, check, proved, isFast)
        : { part: null, readBytes: 0 };
    await noteProgress(context, check, next.part, next.readBytes);
    return next.readBytes;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    context.log.warn("The store could not be read for verification", { error });
    if (!(await answers(context))) return null;
    return await setAside(
      context,
      check,
      proved === null ? null : check.verify_part,
      isAway(error) ? null : error.message,
    );
  }
}

/** Whether the store lets other objects be read, and is ours. */
async function answers(context: ServiceContext): Promise<boolean> {
  return await pingStore(context).then(
    () => true,
    () => false,
  );
}

/**
 * Skips the file for a while, or reports it as damaged after hours, unless the store refuses it.
 * `part` null: its manifest.
 */
async function setAside(
  context: ServiceContext,
  check: Check,
  part: number | null,
  refusal: string | null,
): Promise<number> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const since = check.unreadable_since ?? nowMs;
  if (refusal !== null || nowMs - since < LOST_AFTER_MS) {
    const retryAtMs = nowMs + (refusal === null ? RETRY_AFTER_MS : RETRY_REFUSED_AFTER_MS);
    await database.run(sql`
      UPDATE files SET unreadable_since_at = ${since}, verify_retry_at = ${retryAtMs},
        refusal = ${refusal} WHERE object_key = ${check.object_key}`);
    return 0;
  }
  const what = part === null ? "manifest" : `part${part}`;
  await report(context, check, {
    subject: part ?? "manifest",
    problem: `${part === null ? "Its manifest" : `Part ${part}`} cannot be read from the store.`,
    metadata: { unreadable: { [what]: new Date(since).toISOString() } },
    notedAt: `$.unreadable.${what}`,
  });
  await noteProgress(context, check, part === null ? null : part + 1, 0);
  return 0;
}

/** `part` is the next one to read; null after the last one. */
type Checked = { readonly part: number | null; readonly readBytes: number };

/** Checks the next part, or several at once if it is to be fast. */
async function checkParts(
  context: ServiceContext,
  check: Check,
  proved: ProvedObject | null,
  isFast: boolean,
): Promise<Checked> {
  if (proved === null || !isFast) return await checkPart(context, check, proved);
  const inMemory = Math.floor(context.platform.runtime.copyBufferBytes / proved.partSizeBytes);
  const left = proved.partSha256.length - check.verify_part + 1;
  const length = Math.max(1, Math.min(inMemory, MAX_PARTS_AT_A_TIME, left));
  const results = await Promise.allSettled(
    Array.from({ length }, (_, index) =>
      checkPart(context, { ...check, verify_part: check.verify_part + index }, proved),
    ),
  );
  const [first, ...others] = results;
  if (first?.status !== "fulfilled") throw first?.reason;
  let { part, readBytes } = first.value;
  // The next check begins with one that failed.
  for (const result of others) {
    if (part === null || result.status === "rejected") break;
    part = result.value.part;
    readBytes += result.value.readBytes;
  }
  return { part, readBytes };
}

async function checkPart(
  context: ServiceContext,
  check: Check,
  proved: ProvedObject | null,
): Promise<Checked> {
  const { object_key: key, verify_part: partNumber } = check;
  if (proved === null) await reportLostManifest(context, check);
  const expected = proved?.partSha256[partNumber - 1];
  if (proved === null || expected === undefined) return { part: null, readBytes: 0 };
  const range = rangeOfPart(proved, partNumber);
  let sha256 = await digestOf(context, key, range);
  // Read again, because the bytes may have been damaged in transit.
  if (sha256 !== expected) sha256 = await digestOf(context, key, range);
  // The reconciler reports missing objects.
  if (sha256 === null) return { part: null, readBytes: 0 };
  if (sha256 !== expected) await reportDamage(context, check, partNumber, range);
  else if (check.is_marked === 1) await liftDamage(context, key, ["manifest", partNumber]);
  const isLast = partNumber >= proved.partSha256.length;
  return { part: isLast ? null : partNumber + 1, readBytes: range.length };
}

async function digestOf(
  { platform }: ServiceContext,
  key: ObjectKey,
  range: ByteRange,
): Promise<string | null> {
  const bytes = await readStored(platform.objects, key, range);
  return bytes === null ? null : platform.digests.sha256(bytes);
}

async function reportDamage(
  context: ServiceContext,
  check: Check,
  partNumber: number,
  { offset, length }: ByteRange,
): Promise<void> {
  await report(context, check, {
    subject: partNumber,
    problem: `Part ${partNumber} (bytes ${offset} to ${offset + length - 1}) no longer holds what was archived.`,
    metadata: { damagedParts: { [partNumber]: { offset, length } } },
    notedAt: `$.damagedParts."${partNumber}"`,
  });
}

/** Without its manifest a file can be neither verified nor restored to the index. */
async function lacksManifest({ platform }: ServiceContext, check: Check): Promise<boolean> {
  if (check.is_readable === 0 || check.has_manifest === 0) return false;
  return (await platform.objects.head(check.object_key)) !== null;
}

async function reportLostManifest(context: ServiceContext, check: Check): Promise<void> {
  if (!(await lacksManifest(context, check))) {
    context.log.warn("A stored file has no digests to check it against", { key: check.object_key });
    return;
  }
  await report(context, check, {
    subject: "manifest",
    problem: "Its manifest is missing or damaged, so its bytes can no longer be checked.",
    metadata: { manifestIsLost: true },
    notedAt: "$.manifestIsLost",
  });
}

async function report(
  context: ServiceContext,
  { object_key: key, last_modified_at: lastModifiedAt }: Check,
  damage: Pick<Damage, "subject" | "problem" | "metadata" | "notedAt">,
): Promise<void> {
  const isNew = await recordDamage(context, key, {
    ...damage,
    lastModifiedAt,
    action: "file.damage",
  });
  if (isNew) context.log.error("A stored file is damaged", { key, problem: damage.problem });
}

/** `nextPart` is null after the last part of the file. */
async function noteProgress(
  { platform }: ServiceContext,
  check: Check,
  nextPart: number | null,
  readBytes: number,
): Promise<void> {
  const nowMs = platform.clock.now();
  const change =
    nextPart === null
      ? sql`verified_at = ${nowMs}, verify_part = 1, verify_asked_at = NULL`
      : sql`verify_part = ${nextPart}`;
  await platform.database.batch([
    sql`UPDATE files SET ${change}, unreadable_since_at = NULL, verify_retry_at = NULL, refusal = NULL
      WHERE object_key = ${check.object_key} AND verify_part = ${check.verify_part}`,
    countRead(readBytes, nowMs),
  ]);
}
