import { objectKeySchema } from "#contract/files.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore, TagAlgorithm } from "#service/ports/object-store.ts";

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
