import type { ServiceContext } from "#service/context.ts";
import { jitter } from "#service/jitter.ts";
import type { Clock } from "#service/ports/clock.ts";
import { StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import type { Random } from "#service/ports/random.ts";
import type { Progress } from "./lease-run.ts";
import { ArchiveFailed, StartOver, TryLater } from "./run-end.ts";

/** Delays add up to about half a minute on average (63 s at most), enough for a store restart. */
const MAX_STORE_TRIES = 7;
const FIRST_STORE_DELAY_MS = 500;

/**
 * Retries while the store is unavailable. `onAnswer` is called after each attempt with a sentence
 * about the trouble, or null after a success.
 * @throws {TryLater} when it stays unavailable, and at once when an operator has to make room or
 *   give access
 * @throws {StartOver} when the multipart upload is gone
 * @throws {ArchiveFailed} when the store refuses for good
 */
export async function withStoreRetries<T>(
  deps: { readonly clock: Clock; readonly random: Random },
  signal: AbortSignal,
  ask: () => Promise<T>,
  onAnswer: (trouble: string | null) => void = () => undefined,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      signal.throwIfAborted();
      const answer = await ask();
      onAnswer(null);
      return answer;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const end = endOf(error);
      if (end instanceof TryLater) onAnswer(end.message);
      if (error.kind !== "unavailable" || tries >= MAX_STORE_TRIES) throw end;
      await deps.clock.sleep(jitter(deps.random) * FIRST_STORE_DELAY_MS * 2 ** tries, signal);
    }
  }
}

/** The error that ends a run after this store error. */
function endOf(cause: StoreError): Error {
  switch (cause.kind) {
    case "no_such_upload":
      return new StartOver("The store no longer has the parts", { cause });
    case "full":
      return new TryLater("space", cause.message, { cause });
    case "denied":
      return new TryLater("access", `The store refuses access. ${cause.message}`, { cause });
    case "unavailable":
      return new TryLater("storage", `The store is not available: ${cause.message}`, { cause });
    default:
      return new ArchiveFailed("storage", `The store refuses: ${cause.message}`, { cause });
  }
}

export type StoreRun = {
  readonly context: ServiceContext;
  readonly signal: AbortSignal;
  readonly progress: Pick<Progress, "storeAnswered">;
};

/** {@link withStoreRetries} for a run whose progress shows why it waits. */
export function askStore<T>(
  { context, signal, progress }: StoreRun,
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
