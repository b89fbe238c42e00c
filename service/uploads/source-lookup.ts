import { ApiError } from "#service/api-error.ts";
import type { ArchiveSource } from "#contract/uploads.ts";
import { chooseRendition } from "#service/source/rendition-choice.ts";
import type {
  Playback,
  Source,
  SourceItem,
  SourceOwner,
  SourceReference,
  Sources,
} from "#service/source/source.ts";
import { SourceError } from "#service/source/source-error.ts";

/** Shorter than the console's timeout of 10 s (docs/console.md#session). */
const PATIENCE_MS = 7_000;

/** An item as a request names it, with the kind of its source. */
export type RequestedItem = SourceReference & { readonly kind: ArchiveSource["type"] };

export type SourceLookup = {
  /** @throws {ApiError} invalid_request */
  identify(source: ArchiveSource): Promise<RequestedItem>;
  /** An item and its owner, if it has one. @throws {ApiError} not_found or upstream_error */
  find(requested: RequestedItem): Promise<{ item: SourceItem; owner: SourceOwner | null }>;
  /** What the source lets this service play, or why nothing; null if it does not answer. */
  playback(requested: RequestedItem): Promise<Playback | SourceError | null>;
  /** What the owner streams now; null if there is nothing or the source does not answer. */
  channelCategory(requested: RequestedItem, ownerId: string): Promise<string | null>;
};

export function createSourceLookup(sources: Sources): SourceLookup {
  function sourceOf({ kind }: Pick<RequestedItem, "kind">): Source {
    const source = sources[kind];
    if (source === undefined) throw new Error(`No source of kind ${kind}`);
    return source;
  }

  return {
    async identify(source) {
      const kind = source.type;
      const text = "vodId" in source ? source.vodId : source.url;
      return { kind, ...(await sourceOf({ kind }).identify(text)) };
    },
    async find(requested) {
      const source = sourceOf(requested);
      const patience = AbortSignal.timeout(PATIENCE_MS);
      const item = await asFailure(source, patience, () =>
        source.describe(requested.reference, patience),
      );
      const { owner } = item;
      if (owner === null) return { item, owner };
      const found = await orNull(patience, async () => source.owners?.find(owner.id, patience));
      // The item's own data lacks only the owner's picture.
      return { item, owner: found ?? owner };
    },
    async playback(requested) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      return await orNull(patience, async () => {
        try {
          const playback = await sourceOf(requested).open(requested.reference, patience);
          chooseRendition(playback, "best");
          return playback;
        } catch (error) {
          if (error instanceof SourceError && error.failureClass === "needs_entitlement")
            return error;
          throw error;
        }
      });
    },
    async channelCategory(requested, ownerId) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      return await orNull(patience, async () =>
        sourceOf(requested).owners?.category(ownerId, patience),
      );
    },
  };
}

/** For optional data: null if the source fails or does not answer in time. */
async function orNull<Value>(
  patience: AbortSignal,
  run: () => Promise<Value | null | undefined>,
): Promise<Value | null> {
  try {
    return (await run()) ?? null;
  } catch (error) {
    if (error instanceof SourceError || patience.aborted) return null;
    throw error;
  }
}

/** Maps source errors and timeouts to API failures. */
async function asFailure<Value>(
  { name }: Source,
  patience: AbortSignal,
  run: () => Promise<Value>,
): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (patience.aborted)
      throw new ApiError("upstream_error", `${name} did not respond in time. Please try again.`, {
        cause: error,
      });
    if (!(error instanceof SourceError)) throw error;
    const code = error.failureClass === "gone_at_source" ? "not_found" : "upstream_error";
    throw new ApiError(code, error.message, { cause: error });
  }
}
