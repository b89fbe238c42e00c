import { objectKeySchema } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore, TagAlgorithm } from "#service/ports/object-store.ts";

const PROBE_KEY = objectKeySchema.parse("internal/part-tag-probe");

/**
 * Finds out which digest a bucket's part tags are, by storing a known part: the usual answer is its
 * MD5. Emulators, gateways and encrypted buckets return other tags. Costs two class A operations.
 * @throws {StoreError}
 */
export async function findPartTagAlgorithm(
  store: Pick<ObjectStore, "createMultipart" | "uploadPart" | "abortMultipart">,
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
