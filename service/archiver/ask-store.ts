import type { ObjectStore } from "#service/ports/object-store.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import { withStoreRetries } from "./part-writer.ts";

/** One call to the store within a run, repeated while the store is unavailable; watchers see that. */
export function askStore<T>(
  { context, signal, progress }: Pick<ArchiveDeps, "context" | "signal" | "progress">,
  ask: (objects: ObjectStore) => Promise<T>,
): Promise<T> {
  const { platform } = context;
  return withStoreRetries(
    platform,
    signal,
    () => ask(platform.objects),
    (trouble) => progress.storeAnswered(trouble),
  );
}
