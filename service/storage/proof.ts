import type { ObjectKey } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import { StoreError, type ObjectHead } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import { sizeOfParts, type ConfirmedPart } from "./checkpoint.ts";
import type { OpenMultipart } from "./multipart.ts";
import { ArchiveFailed, StartOver } from "./run-end.ts";
import { askStore, type StoreRun } from "./store-retries.ts";

/**
 * Completes the multipart upload and verifies the object by its size and tag, or by reading every
 * byte back where tags prove nothing.
 *
 * Completing is not idempotent. If the answer was lost, the store no longer knows the multipart
 * upload, and the object itself shows whether it succeeded. The rows of the parts are made durable
 * first, because a power cut could otherwise lose some of them.
 * @throws {StartOver} when the store has neither the parts nor the object
 * @throws {ArchiveFailed} `storage` when the store holds something else
 */
export async function completeAndProve(
  run: StoreRun,
  multipart: OpenMultipart,
  parts: readonly ConfirmedPart[],
): Promise<ObjectHead> {
  const { platform } = run.context;
  const { objects, database } = platform;
  const ask = <T>(call: () => Promise<T>) => askStore(run, call);
  const { handle } = multipart;
  await database.fsync?.();
  try {
    await ask(() =>
      objects.completeMultipart(
        handle,
        parts.map(({ partNumber, tag }) => ({ partNumber, tag })),
      ),
    );
  } catch (error) {
    if (error instanceof ArchiveFailed && isBadPart(error.cause)) {
      throw new StartOver("The store does not hold the parts as it confirmed them", {
        cause: error,
      });
    }
    if (!(error instanceof StartOver)) throw error;
    const head = await ask(() => objects.head(handle.key));
    if (head === null || head.sizeBytes !== sizeOfParts(parts)) throw error;
  }
  const head = await ask(() => objects.head(handle.key));
  const sizeBytes = sizeOfParts(parts);
  if (head === null || head.sizeBytes !== sizeBytes)
    throw new ArchiveFailed(
      "storage",
      `The store holds ${head?.sizeBytes ?? 0} bytes of the ${sizeBytes} that it confirmed.`,
    );
  if (head.tag !== (await expectedTag(platform, parts)))
    await readBack(platform, handle.key, parts, ask);
  return head;
}

function isBadPart(error: unknown): boolean {
  return error instanceof StoreError && error.kind === "bad_part";
}

/**
 * S3's tag of a multipart object: the digest of the parts' digests, a dash and the number of parts,
 * with MD5 or the store's own algorithm. Null where tags prove nothing.
 */
async function expectedTag(
  platform: Platform,
  parts: readonly ConfirmedPart[],
): Promise<string | null> {
  const { partTagAlgorithm } = platform.objects;
  if (partTagAlgorithm === "none") return null;
  const digest: keyof Digests = partTagAlgorithm === "md5" ? "md5" : "sha256";
  const tags = Uint8Array.from(parts.flatMap((part) => hexBytes(part.tag)));
  return `${await platform.digests[digest](tags)}-${parts.length}`;
}

function hexBytes(hex: string): number[] {
  return Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  );
}

/** Reads every part back and compares its digest. @throws {ArchiveFailed} `storage` */
async function readBack(
  platform: Platform,
  key: ObjectKey,
  parts: readonly ConfirmedPart[],
  ask: <T>(call: () => Promise<T>) => Promise<T>,
): Promise<void> {
  let offset = 0;
  for (const part of parts) {
    const range = { offset, length: part.sizeBytes };
    const sha256 = await ask(async () => {
      const found = await platform.objects.get(key, range);
      if (found === null) return null;
      return platform.digests.sha256(new Uint8Array(await new Response(found.body).arrayBuffer()));
    });
    if (sha256 !== part.sha256)
      throw new ArchiveFailed(
        "storage",
        `The store holds other bytes than were sent for part ${part.partNumber}.`,
      );
    offset += part.sizeBytes;
  }
}
