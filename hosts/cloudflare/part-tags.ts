import type { Bindings } from "./bindings.ts";
import { readBucketPrefix } from "./bucket-prefix.ts";
import { webDigests } from "./digests.ts";
import { openR2Store } from "./r2-store.ts";
import { readWorkerSettings } from "./worker-settings.ts";
import { objectKeySchema } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore, TagAlgorithm } from "#service/ports/object-store.ts";

/** A bucket's answer does not change while an isolate lives. */
let known: TagAlgorithm | null = null;

/** What {@link learnPartTags} found in this isolate; nothing is proved before. */
export function knownPartTags(): TagAlgorithm {
  return known ?? "none";
}

/**
 * Call before parts are stored: a tag that was not compared when its part was stored proves nothing
 * later. Asks once in an isolate.
 * @throws {StoreError}
 */
export async function learnPartTags(bindings: Bindings): Promise<void> {
  known ??= await findPartTagAlgorithm(
    openR2Store(bindings.OBJECTS, "none", readBucketPrefix(readWorkerSettings(bindings))),
    webDigests,
  );
}

const PROBE_KEY = objectKeySchema.parse("internal/part-tag-probe");

/**
 * What the bucket's part tags prove, found out by storing a part of known bytes: R2 itself answers
 * with their MD5, its emulator with something random. The engine then checks each part's tag, or
 * reads everything back. Costs two class A operations.
 */
export async function findPartTagAlgorithm(
  store: ObjectStore,
  digests: Digests,
): Promise<TagAlgorithm> {
  const bytes = new TextEncoder().encode("Which digest is this part's tag?");
  const handle = await store.createMultipart(PROBE_KEY, { contentType: "text/plain" });
  try {
    const { tag } = await store.uploadPart(handle, 1, bytes);
    return tag === (await digests.md5(bytes)) ? "md5" : "none";
  } finally {
    await store.abortMultipart(handle);
  }
}
