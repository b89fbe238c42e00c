import type { Bindings } from "./bindings.ts";
import { readBucketPrefix } from "./bucket-prefix.ts";
import { webDigests } from "./digests.ts";
import { openR2Store } from "./r2-store.ts";
import { readWorkerSettings } from "./worker-settings.ts";
import { objectKeySchema } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore, TagAlgorithm } from "#service/ports/object-store.ts";

/** The answer for a bucket does not change during an isolate's life. */
let known: TagAlgorithm | null = null;

/** The result of {@link learnPartTags} in this isolate; "none" until then. */
export function knownPartTags(): TagAlgorithm {
  return known ?? "none";
}

/**
 * Call this before storing parts: tags that were not checked when their parts were stored prove
 * nothing later. Probes the bucket once per isolate.
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
 * Finds out which digest the bucket's part tags are, by storing a known part: R2 returns its MD5,
 * the emulator a random tag. The engine then compares the tag of each part, or reads everything
 * back. Costs two class A operations.
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
