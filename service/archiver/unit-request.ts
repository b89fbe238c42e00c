import { mediaTypeOf } from "#service/http/media-type.ts";
import { ForeignAddress, SourceError } from "#service/source/source-error.ts";
import type { Source } from "#service/source/source.ts";
import type { Clock } from "#service/ports/clock.ts";
import { ArchiveFailed, StartOver } from "#service/storage/run-end.ts";
import type { UnitBody } from "./unit-body.ts";
import { UnitFault } from "./unit-fault.ts";
import { readUnit, type RequestedUnit, type UnitReading } from "./unit-response.ts";

/**
 * A connection without data for this long is dead. Slightly less than the 30 s that other clients
 * of this CDN use, and that the media client allows for a response to begin.
 */
const SILENCE_MS = 25_000;

/** Deadline for a slow unit; large units get as long as they need at 128 kB/s. */
const UNIT_DEADLINE_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 128;

type UnitRequestDeps = Pick<UnitReading, "pool" | "onBytes" | "onSize"> & {
  readonly source: Pick<Source, "fetch" | "name">;
  readonly clock: Clock;
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
  let hasBytes = false;
  let deadlineMs = startedMs + UNIT_DEADLINE_MS;
  const stop = () => request.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const watching = new AbortController();
  const watch = async () => {
    while (!watching.signal.aborted) {
      const nowMs = clock.monotonic();
      const leftMs = Math.min(lastByteMs + SILENCE_MS, deadlineMs) - nowMs;
      if (leftMs <= 0) {
        request.abort(
          nowMs >= deadlineMs
            ? new UnitFault(
                "unavailable",
                `it was incomplete after ${Math.round((nowMs - startedMs) / 1_000)} seconds`,
              )
            : new UnitFault(
                // A unit that always stops half way is no silent source: its retries are limited.
                hasBytes ? "unavailable" : "silent",
                `no data arrived for ${Math.round(SILENCE_MS / 1_000)} seconds`,
              ),
        );
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
      source: deps.source,
      nowMs: clock.now(),
      pool: deps.pool,
      onSize(sizeBytes) {
        deps.onSize(sizeBytes);
        deadlineMs = startedMs + Math.max(UNIT_DEADLINE_MS, sizeBytes / SLOWEST_BYTES_PER_MS);
      },
      onBytes(count) {
        lastByteMs = clock.monotonic();
        hasBytes = true;
        deps.onBytes(count);
      },
    });
  } catch (error) {
    // Nobody reads the rest of a body that is not as expected.
    request.abort(error);
    if (signal.aborted) throw signal.reason;
    // The fault that aborted the request first: the watch's, or the one caught here.
    const reason: unknown = request.signal.reason;
    if (reason instanceof UnitFault || reason instanceof ArchiveFailed) throw reason;
    if (reason instanceof StartOver) throw reason;
    throw asFault(reason);
  } finally {
    signal.removeEventListener("abort", stop);
    watching.abort();
    await watched;
  }
}

/** The range that a probe asks for: no more than the smallest unit has. */
const PROBE_BYTES = 8;

/** Whether the media host sends bytes of a unit, of which none are read. */
export async function isAnswered(
  source: Pick<Source, "fetch">,
  { url, byteRange }: RequestedUnit,
  signal: AbortSignal,
): Promise<boolean> {
  const offset = byteRange?.offset ?? 0;
  const headers = { range: `bytes=${offset}-${offset + PROBE_BYTES - 1}` };
  try {
    const response = await source.fetch(url, { signal, headers });
    await response.body?.cancel();
    const isMedia = !/^text\/|json|xml/.test(mediaTypeOf(response.headers));
    const isEmpty = response.headers.get("content-length") === "0";
    return (response.status === 200 || response.status === 206) && isMedia && !isEmpty;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof SourceError) return false;
    throw error;
  }
}

function headersFor(unit: RequestedUnit): Record<string, string> {
  // An encoded body would not have the length that is checked.
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (unit.byteRange !== null) {
    const { offset, length } = unit.byteRange;
    headers.range = `bytes=${offset}-${offset + length - 1}`;
  }
  return headers;
}

function asFault(error: unknown): Error {
  if (error instanceof ForeignAddress && error.failureClass === "try_later")
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
