import type { Chapter } from "#contract/files.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { ArchiveRun } from "./archive-context.ts";

/** Extras are read beside the media and the chat, so that an archive waits for them no longer. */
const EXTRAS_MS = 20_000;

/**
 * Reads what an archive is complete without. Never rejects: resolves with null if that fails or
 * takes too long. `signal` also aborts when the time is up.
 */
export async function tryExtras<Value>(
  { context, lease, signal }: ArchiveRun,
  what: string,
  read: (signal: AbortSignal) => Promise<Value>,
): Promise<Value | null> {
  const timeUp = new AbortController();
  const ended = new AbortController();
  void context.platform.clock
    .sleep(EXTRAS_MS, ended.signal)
    .then(() => timeUp.abort(new SourceError("try_later", `${what} took too long.`)));
  try {
    return await read(AbortSignal.any([signal, timeUp.signal]));
  } catch (error) {
    if (!signal.aborted)
      context.log.warn(`${what} could not be stored; the video is not affected`, {
        uploadId: lease.uploadId,
        error,
      });
    return null;
  } finally {
    ended.abort();
  }
}

/** The item's chapters; none if they cannot be read. */
export async function readArchiveChapters(
  run: ArchiveRun,
  reference: string,
): Promise<readonly Chapter[]> {
  const { source } = run;
  if (source.readChapters === undefined) return [];
  const read = source.readChapters.bind(source, reference);
  return (await tryExtras(run, "The chapters", read)) ?? [];
}
