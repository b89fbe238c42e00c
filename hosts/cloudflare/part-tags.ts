import type { Bindings } from "./bindings.ts";
import { readBucketPrefix } from "./bucket-prefix.ts";
import { webDigests } from "./digests.ts";
import { openR2Store } from "./r2-store.ts";
import { readWorkerSettings } from "./worker-settings.ts";
import { findPartTagAlgorithm } from "#hosts/ports/part-tag-probe.ts";
import type { TagAlgorithm } from "#service/ports/object-store.ts";

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
