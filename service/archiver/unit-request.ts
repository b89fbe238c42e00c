import { ForeignAddress, SourceError } from "#service/source/source-error.ts";
import type { FileVersion, Source } from "#service/source/source.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { BufferPool } from "#service/storage/buffer-pool.ts";
import { ArchiveFailed, StartOver } from "#service/storage/run-end.ts";
import { readUnit, UnitFault, type RequestedUnit, type UnitBody } from "./unit-response.ts";

/**
 * A connection without data for this long is dead. Slightly less than the 30 s that other clients
 * of this CDN use, and that the media client allows for a response to begin.
 */
const SILENCE_MS = 25_000;

/** Deadline for a slow unit; large units get as long as they need at 128 kB/s. */
const UNIT_DEADLINE_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 128;

export type UnitRequestDeps = {
  readonly source: Pick<Source, "fetch">;
  readonly clock: Clock;
  readonly pool: BufferPool;
  /** Called for every chunk received. */
  readonly onBytes: (count: number) => void;
  /** Called when the unit's size is known. */
  readonly onSize: (sizeBytes: number) => void;
};

/**
 * Requests one unit once.
 * @throws {UnitFault} if a retry may help
 * @throws {ArchiveFailed} if not
 * @throws {StartOver} if the file of a range has changed
 */
export async function requestUnit(
  deps: UnitRequestDeps,
  unit: RequestedUnit,
  signal: AbortSignal,
): Promise<UnitBody> {
  const { clock } = deps;
  const request = new AbortController();
  const startedMs = clock.monotonic();
  let lastByteMs = startedMs;
  let deadlineMs = startedMs + UNIT_DEADLINE_MS;
  let overdue: string | null = null;
  const stop = () => request.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      const nowMs = clock.monotonic();
      const leftMs = Math.min(lastByteMs + SILENCE_MS, deadlineMs) - nowMs;
      if (leftMs <= 0) {
        overdue =
          nowMs >= deadlineMs
            ? `it was not through after ${Math.round((nowMs - startedMs) / 1_000)} seconds`
            : `nothing came for ${Math.round(SILENCE_MS / 1_000)} seconds`;
        request.abort(new UnitFault("silent", overdue));
        return;
      }
      await clock.sleep(leftMs, watching.signal);
    }
  };
  const watched = watch();
  try {
    signal.throwIfAborted();
    const response = await deps.source.fetch(unit.url, {
      signal: request.signal,
      headers: headersFor(unit),
    });
    return await readUnit(response, unit, {
      nowMs: clock.now(),
      pool: deps.pool,
      onSize(sizeBytes) {
        deps.onSize(sizeBytes);
        deadlineMs = startedMs + Math.max(UNIT_DEADLINE_MS, sizeBytes / SLOWEST_BYTES_PER_MS);
      },
      onBytes(count) {
        lastByteMs = clock.monotonic();
        deps.onBytes(count);
      },
    });
  } catch (error) {
    // Nobody reads the rest of a body that is not as expected.
    request.abort(error);
    if (signal.aborted) throw signal.reason;
    if (overdue !== null) throw new UnitFault("silent", overdue, { cause: error });
    if (error instanceof UnitFault || error instanceof ArchiveFailed) throw error;
    if (error instanceof StartOver) throw error;
    throw asFault(error);
  } finally {
    signal.removeEventListener("abort", stop);
    watching.abort();
    await watched;
  }
}

function headersFor(unit: RequestedUnit): Record<string, string> {
  // An encoded body would not have the length that is checked.
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (unit.byteRange !== null) {
    const { offset, length } = unit.byteRange;
    headers.range = `bytes=${offset}-${offset + length - 1}`;
    const condition = unit.version === undefined ? null : validatorOf(unit.version);
    if (condition !== null) headers["if-range"] = condition;
  }
  return headers;
}

/** Only strong tags may be sent as If-Range (RFC 9110 section 13.1.5). */
function validatorOf({ etag, lastModified }: FileVersion): string | null {
  return etag !== null && !etag.startsWith("W/") ? etag : lastModified;
}

function asFault(error: unknown): Error {
  if (error instanceof ForeignAddress)
    return new UnitFault("foreign", error.message, { cause: error });
  if (error instanceof SourceError) {
    return error.failureClass === "try_later"
      ? new UnitFault("unavailable", error.message.replace(/\.$/, ""), {
          cause: error,
          retryAfterMs: error.retryAfterMs,
        })
      : new ArchiveFailed(error.failureClass, error.message, { cause: error });
  }
  // The body's stream was interrupted: undici rejects with a TypeError, workerd with an Error.
  return new UnitFault("unavailable", "the connection broke off", { cause: error });
}
