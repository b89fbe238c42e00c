import type { ObjectStore } from "#service/ports/object-store.ts";
import type { ArchiveDeps } from "./archive-deps.ts";
import { withStoreRetries } from "./part-writer.ts";

/** Calls the store, retrying while it is unavailable; the progress shows why the archive waits. */
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
