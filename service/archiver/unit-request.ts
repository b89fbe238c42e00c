import { readRetryAfterMs } from "#service/twitch/retry-after.ts";
import { ForeignAddress, SourceError } from "#service/hls/source-error.ts";
import type { VodSource } from "#service/twitch/twitch-client.ts";
import type { Clock } from "#service/ports/clock.ts";
import { ArchiveFailed } from "./run-end.ts";
import type { ArchiveUnit } from "./archive-manifest.ts";
import type { BufferPool } from "./buffer-pool.ts";
import { MAX_UNIT_BYTES, readUnitBody, type UnitBody } from "./unit-body.ts";
import { UnitFault } from "./unit-fault.ts";

/**
 * A connection without data for this long is dead. Slightly less than the 30 s that other clients
 * of this CDN use, and that the media client allows for a response to begin.
 */
const SILENCE_MS = 25_000;

/** Deadline for a slow unit; large units get as long as they need at 128 kB/s. */
const UNIT_DEADLINE_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 128;

export type UnitRequestDeps = {
  readonly source: Pick<VodSource, "fetchMedia">;
  readonly clock: Clock;
  readonly pool: BufferPool;
  /** Called for every chunk received. */
  readonly onBytes: (count: number) => void;
  /** Called when the unit's size is known. */
  readonly onSize?: (sizeBytes: number) => void;
};

/**
 * Requests one unit once.
 * @throws {UnitFault} if a retry may help
 * @throws {ArchiveFailed} if not
 */
export async function requestUnit(
  deps: UnitRequestDeps,
  unit: Pick<ArchiveUnit, "url" | "byteRange">,
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
    const response = await deps.source.fetchMedia(unit.url, {
      signal: request.signal,
      headers: headersFor(unit),
    });
    if (response.status !== (unit.byteRange === null ? 200 : 206) || response.body === null) {
      response.body?.cancel().catch(() => undefined);
      throw refusal(response, clock.now());
    }
    const expectedBytes = promisedBytes(response, unit);
    if (expectedBytes !== null) {
      deps.onSize?.(expectedBytes);
      deadlineMs = startedMs + Math.max(UNIT_DEADLINE_MS, expectedBytes / SLOWEST_BYTES_PER_MS);
    }
    return await readUnitBody(response.body, expectedBytes, deps.pool, (count) => {
      lastByteMs = clock.monotonic();
      deps.onBytes(count);
    });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (overdue !== null) throw new UnitFault("silent", overdue, { cause: error });
    if (error instanceof UnitFault || error instanceof ArchiveFailed) throw error;
    throw asFault(error);
  } finally {
    signal.removeEventListener("abort", stop);
    watching.abort();
    await watched;
  }
}

function headersFor(unit: Pick<ArchiveUnit, "byteRange">): Record<string, string> {
  // An encoded body would not have the length that is checked.
  const headers: Record<string, string> = { "accept-encoding": "identity" };
  if (unit.byteRange !== null) {
    const { offset, length } = unit.byteRange;
    headers.range = `bytes=${offset}-${offset + length - 1}`;
  }
  return headers;
}

function refusal(response: Response, nowMs: number): UnitFault {
  const { status } = response;
  if (status === 401 || status === 403 || status === 404 || status === 410) {
    return new UnitFault("absent", `the source answered ${status}`);
  }
  if (status === 429 || status === 408 || status >= 500) {
    return new UnitFault("unavailable", `the source answered ${status}`, {
      retryAfterMs: readRetryAfterMs(response.headers, nowMs),
    });
  }
  return new UnitFault("corrupt", `the source answered ${status}`);
}

/** Null if the length is unknown. */
function promisedBytes(response: Response, unit: Pick<ArchiveUnit, "byteRange">): number | null {
  const encoding = response.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new UnitFault("corrupt", `it is encoded as ${encoding}, which was not asked for`);
  }
  const length = response.headers.get("content-length");
  const promised = length === null ? null : Number(length);
  if (promised !== null && !(Number.isSafeInteger(promised) && promised >= 0)) {
    throw new UnitFault("corrupt", "its length is no number");
  }
  if (unit.byteRange !== null) {
    if (promised !== null && promised !== unit.byteRange.length) {
      throw new UnitFault("corrupt", `${promised} bytes came for ${unit.byteRange.length} asked`);
    }
    return unit.byteRange.length;
  }
  if (promised !== null && promised > MAX_UNIT_BYTES) {
    throw new ArchiveFailed(
      "source_corrupt",
      `A segment of ${promised} bytes is larger than the ${MAX_UNIT_BYTES} that can be checked whole.`,
    );
  }
  return promised;
}

function asFault(error: unknown): Error {
  if (error instanceof ForeignAddress)
    return new UnitFault("foreign", error.message, { cause: error });
  if (error instanceof SourceError) {
    return error.failureClass === "try_later"
      ? new UnitFault("unavailable", error.message, {
          cause: error,
          retryAfterMs: error.retryAfterMs,
        })
      : new ArchiveFailed(error.failureClass, error.message, { cause: error });
  }
  // The body's stream was interrupted: undici rejects with a TypeError, workerd with an Error.
  return new UnitFault("unavailable", "the connection broke off", { cause: error });
}
