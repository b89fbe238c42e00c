import type { ObjectKey } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Write } from "#service/ports/database.ts";
import {
  type ByteRange,
  isAway,
  type ObjectStore,
  StoreError,
} from "#service/ports/object-store.ts";
import type { ProvedObject } from "#service/storage/manifest.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { pingStore } from "#service/store/store-probe.ts";
import { type Damage, liftDamage, recordDamage } from "./file-damage.ts";
import type { Check } from "./next-check.ts";
import { rangeOfPart, readProvedParts } from "./proved-parts.ts";

/** More parts at a time hide no more of the store's latency. */
const MAX_PARTS_AT_A_TIME = 4;

/** `nextPart` is null after the last one. */
export type Checked = { readonly nextPart: number | null; readonly readBytes: number };

/** The store answers, but does not hand out this. */
export type Unread = {
  /** Null: its manifest. */
  readonly part: number | null;
  /** In the store's words; null if it gave no reason, e.g. for a bad sector. */
  readonly refusal: string | null;
};

/** Compares stored bytes with their digests, and reports damage by `write`. */
export type PartCheck = {
  /**
   * Checks the next part, or several at once if it is to be fast.
   * @throws {StoreError} if the store does not answer, or is not ours
   */
  check(check: Check, isFast: boolean, write: Write): Promise<Checked | Unread>;
  /** Unreadable at every attempt since then. Resolves with the next part. */
  reportUnreadable(
    check: Check,
    part: number | null,
    sinceMs: number,
    write: Write,
  ): Promise<Checked>;
};

export function createPartCheck(context: ServiceContext): PartCheck {
  const readManifest = rememberLast(context.platform.objects);
  return {
    async check(check, isFast, write) {
      if (check.is_readable === 0) return { nextPart: null, readBytes: 0 };
      let proved: ProvedObject | null = null;
      try {
        proved = await readManifest(check);
        // It counts as lost when it is still missing in an hour.
        if (
          proved === null &&
          (check.unreadable_since_at === null || check.is_refused === 1) &&
          (await lacksManifest(context, check))
        )
          return { part: null, refusal: null };
        return await checkParts({ context, check, proved, write }, isFast);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        context.log.warn("The store could not be read for verification", { error });
        await pingStore(context);
        return {
          part: proved === null ? null : check.verify_part,
          refusal: isAway(error) ? null : error.message,
        };
      }
    },
    async reportUnreadable(check, part, sinceMs, write) {
      const what = part === null ? "manifest" : `part${part}`;
      await report(
        { context, check, write },
        {
          subject: part ?? "manifest",
          problem: `${part === null ? "Its manifest" : `Part ${part}`} cannot be read from the store.`,
          metadata: { unreadable: { [what]: new Date(sinceMs).toISOString() } },
          notedAt: `$.unreadable.${what}`,
        },
      );
      return { nextPart: part === null ? null : part + 1, readBytes: 0 };
    },
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

type Reading = {
  readonly context: ServiceContext;
  readonly check: Check;
  readonly proved: ProvedObject | null;
  readonly write: Write;
};

async function checkParts(reading: Reading, isFast: boolean): Promise<Checked> {
  const { context, check, proved } = reading;
  if (proved === null || !isFast) return await checkPart(reading);
  const inMemory = Math.floor(context.platform.runtime.copyBufferBytes / proved.partSizeBytes);
  const left = proved.partSha256.length - check.verify_part + 1;
  const length = Math.max(1, Math.min(inMemory, MAX_PARTS_AT_A_TIME, left));
  const results = await Promise.allSettled(
    Array.from({ length }, (_, index) =>
      checkPart({ ...reading, check: { ...check, verify_part: check.verify_part + index } }),
    ),
  );
  const [first, ...others] = results;
  if (first?.status !== "fulfilled") throw first?.reason;
  let { nextPart, readBytes } = first.value;
  // The next check begins with one that failed.
  for (const result of others) {
    if (nextPart === null || result.status === "rejected") break;
    nextPart = result.value.nextPart;
    readBytes += result.value.readBytes;
  }
  return { nextPart, readBytes };
}

async function checkPart(reading: Reading): Promise<Checked> {
  const { context, check, proved, write } = reading;
  const { object_key: key, verify_part: partNumber } = check;
  if (proved === null) await reportLostManifest(reading);
  const expected = proved?.partSha256[partNumber - 1];
  if (proved === null || expected === undefined) return { nextPart: null, readBytes: 0 };
  const range = rangeOfPart(proved, partNumber);
  let sha256 = await digestOf(context, key, range);
  // Read again, because the bytes may have been damaged in transit.
  if (sha256 !== expected) sha256 = await digestOf(context, key, range);
  // The reconciler reports missing objects.
  if (sha256 === null) return { nextPart: null, readBytes: 0 };
  if (sha256 !== expected) await reportDamage(reading, range);
  else if (check.is_marked === 1) await liftDamage(context, key, ["manifest", partNumber], write);
  const isLast = partNumber >= proved.partSha256.length;
  return { nextPart: isLast ? null : partNumber + 1, readBytes: range.length };
}

async function digestOf(
  { platform }: ServiceContext,
  key: ObjectKey,
  range: ByteRange,
): Promise<string | null> {
  const bytes = await readStored(platform.objects, key, range);
  return bytes === null ? null : platform.digests.sha256(bytes);
}

async function reportDamage(reading: Reading, { offset, length }: ByteRange): Promise<void> {
  const { verify_part: partNumber } = reading.check;
  await report(reading, {
    subject: partNumber,
    problem: `Part ${partNumber} (bytes ${offset} to ${offset + length - 1}) no longer holds what was archived.`,
    metadata: { damagedParts: { [partNumber]: { offset, length } } },
    notedAt: `$.damagedParts."${partNumber}"`,
  });
}

/** Without its manifest a file can be neither verified nor restored to the index. */
async function lacksManifest({ platform }: ServiceContext, check: Check): Promise<boolean> {
  return check.has_manifest === 1 && (await platform.objects.head(check.object_key)) !== null;
}

async function reportLostManifest(reading: Reading): Promise<void> {
  const { context, check } = reading;
  if (!(await lacksManifest(context, check))) {
    context.log.warn("A stored file has no digests to check it against", { key: check.object_key });
    return;
  }
  await report(reading, {
    subject: "manifest",
    problem: "Its manifest is missing or damaged, so its bytes can no longer be checked.",
    metadata: { manifestIsLost: true },
    notedAt: "$.manifestIsLost",
  });
}

async function report(
  { context, check, write }: Omit<Reading, "proved">,
  damage: Pick<Damage, "subject" | "problem" | "metadata" | "notedAt">,
): Promise<void> {
  const { object_key: key, last_modified_at: lastModifiedAt } = check;
  const damaged = { ...damage, lastModifiedAt, action: "file.damage" } as const;
  if (await recordDamage(context, key, damaged, write))
    context.log.error("A stored file is damaged", { key, problem: damage.problem });
}
