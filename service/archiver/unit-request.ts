import { mediaTypeOf } from "#service/http/media-type.ts";
import { isDirectBody, type DirectBody, type ReceivedResponse } from "#service/ports/receive.ts";
import { blockedSentence, isRefusal, readRefusal } from "#service/source/refusal.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { ForeignAddress, SourceError } from "#service/source/source-error.ts";
import type { Source } from "#service/source/source.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { BufferPool } from "#service/storage/buffer-pool.ts";
import { ArchiveFailed, StartOver } from "#service/storage/run-outcome.ts";
import { isSameVersion, type ArchiveUnit } from "./archive-manifest.ts";

/**
 * Why an attempt to fetch a unit failed. The kind decides what happens next:
 * - `unavailable`: 408, 429, 5xx, a broken connection, or bytes too slow for their deadline: retry
 *   after a delay.
 * - `silent`: no data for too long: retry; the stall watch bounds how often.
 * - `blocked`: the host refuses this service: as for `unavailable`. The message is a sentence.
 * - `absent`: the host's store has no such object: read the playlist again, because the unit may
 *   have a new name.
 * - `foreign`: the host is not one of the source's: as for `absent`, because hosts may change.
 * - `corrupt`: damaged bytes of a unit: retry with backoff, never store.
 * - `unexpected`: something else than a unit, e.g. a page: as for `corrupt`, but the host may be
 *   the cause.
 */
type UnitFaultKind =
  | "unavailable"
  | "silent"
  | "blocked"
  | "absent"
  | "foreign"
  | "corrupt"
  | "unexpected";

export class UnitFault extends Error {
  override readonly name = "UnitFault";
  readonly kind: UnitFaultKind;
  readonly retryAfterMs: number | null;

  constructor(
    kind: UnitFaultKind,
    message: string,
    options: ErrorOptions & { retryAfterMs?: number | null } = {},
  ) {
    super(message, options);
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs ?? null;
  }
}

type RequestedUnit = Pick<ArchiveUnit, "url" | "byteRange" | "version">;

/**
 * A unit is buffered whole before its first byte goes into a part, so that no truncated or
 * oversized unit is stored. Ten seconds at 100 Mb/s are 125 MB. Larger units do not occur on
 * Twitch; refusing them bounds memory.
 */
const MAX_UNIT_BYTES = 128 * 1024 * 1024;

/** Initial buffer size for a body without Content-Length. */
const UNKNOWN_LENGTH_BYTES = 4 * 1024 * 1024;

type PooledBytes = { readonly bytes: Uint8Array; readonly buffer: Uint8Array };

/** Bytes of a whole unit inside a pooled buffer, and the address they came from. */
export type UnitBody = PooledBytes & { readonly url: string };

/**
 * A connection without data for this long is dead. Slightly less than the 30 s that other clients
 * of this CDN use, and that the media client allows for a response to begin.
 */
const SILENCE_MS = 25_000;

/** Deadline for a slow unit; large units get as long as they need at 128 kB/s. */
const UNIT_DEADLINE_MS = 120_000;
const SLOWEST_BYTES_PER_MS = 128;

type UnitRequestDeps = {
  readonly source: Pick<Source, "fetch" | "name">;
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
                "silent",
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

/**
 * Reads the unit from a response, whole, into a buffer of the pool.
 * @throws {UnitFault} {ArchiveFailed} {StartOver} for a response without the unit's bytes
 */
async function readUnit(
  response: ReceivedResponse,
  unit: RequestedUnit,
  options: Omit<UnitRequestDeps, "clock"> & { readonly nowMs: number },
): Promise<UnitBody> {
  const { pool, onBytes } = options;
  const { body } = response;
  let expectedBytes: number | null;
  try {
    if (unit.version !== undefined) requireVersion(response, unit);
    if (response.status !== (unit.byteRange === null ? 200 : 206) || body === null)
      throw await faultOfResponse(response, unit, options);
    expectedBytes = promisedBytes(response, unit);
  } catch (error) {
    body?.cancel().catch(() => undefined);
    throw error;
  }
  if (expectedBytes !== null) options.onSize(expectedBytes);
  const read = isDirectBody(body)
    ? await receiveDirectBody(body, pool, onBytes)
    : await readBody(body, expectedBytes, pool, onBytes);
  return { ...read, url: unit.url };
}

/**
 * Checks that a range is one of the planned version of its file. If-Range is not sent: mirrors have
 * different tags for one file. A host answers with 416 when its version is shorter.
 */
function requireVersion(response: ReceivedResponse, { byteRange, version }: RequestedUnit): void {
  const { status, headers } = response;
  if (status === 404 || status === 410) {
    throw new ArchiveFailed("gone_at_source", `The source no longer has the file (${status}).`);
  }
  if (![200, 206, 412, 416].includes(status)) return;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "");
  const found = {
    sizeBytes: Number(range?.[2]),
    etag: headers.get("etag"),
    lastModified: headers.get("last-modified"),
  };
  if (status === 206 && Number(range?.[1]) === byteRange?.offset && isSameVersion(version, found))
    return;
  throw new StartOver("The file has changed at its source");
}

async function faultOfResponse(
  response: ReceivedResponse,
  { url, byteRange, version }: RequestedUnit,
  { source, nowMs }: { readonly source: Pick<Source, "name">; readonly nowMs: number },
): Promise<UnitFault> {
  const { status } = response;
  const said = `the source answered ${status}`;
  const retryAfterMs = readRetryAfterMs(response.headers, nowMs);
  if (isRefusal(status)) {
    // Reading the address of a file again tells what its refusal means.
    if (version !== undefined) return new UnitFault("absent", said);
    const refusal = await readRefusal(response);
    if (refusal.meaning === "absent") return new UnitFault("absent", said);
    const subject = `${source.name}'s media host`;
    return new UnitFault("blocked", blockedSentence(subject, url, status, refusal), {
      retryAfterMs,
    });
  }
  if (status === 429 || status === 408 || status >= 500)
    return new UnitFault("unavailable", said, { retryAfterMs });
  if (status === 200 && byteRange !== null)
    return new UnitFault("unexpected", "the host does not support range requests");
  return new UnitFault("unexpected", said);
}

/** Null if the length is unknown. */
function promisedBytes(response: ReceivedResponse, unit: RequestedUnit): number | null {
  const encoding = response.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity") {
    throw new UnitFault("unexpected", `it has the encoding ${encoding}, which was not requested`);
  }
  const length = response.headers.get("content-length");
  const promised = length === null ? null : Number(length);
  if (promised !== null && !(Number.isSafeInteger(promised) && promised >= 0)) {
    throw new UnitFault("unexpected", "its length is not a number");
  }
  const { byteRange } = unit;
  if (byteRange !== null && promised !== null && promised !== byteRange.length) {
    throw new UnitFault(
      "unexpected",
      `it has ${promised} bytes instead of the requested ${byteRange.length}`,
    );
  }
  const expected = byteRange?.length ?? promised;
  if (expected !== null && expected > MAX_UNIT_BYTES) {
    throw new ArchiveFailed(
      "source_corrupt",
      `A segment of ${expected} bytes is larger than the ${MAX_UNIT_BYTES} that can be checked whole.`,
    );
  }
  return expected;
}

/**
 * Reads `body` whole. `expectedBytes` is the length known from the headers or the byte range; null
 * if unknown.
 * @throws {UnitFault} `unavailable` for a body shorter than expected, e.g. after a broken
 *   connection; `unexpected` for one longer than expected or than {@link MAX_UNIT_BYTES}
 */
async function readBody(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number | null,
  pool: BufferPool,
  onBytes: (count: number) => void,
): Promise<PooledBytes> {
  const reader = body.getReader();
  let buffer = pool.take(expectedBytes ?? UNKNOWN_LENGTH_BYTES);
  let filled = 0;
  const limit = expectedBytes ?? MAX_UNIT_BYTES;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onBytes(value.byteLength);
      if (filled + value.byteLength > limit) {
        throw new UnitFault("unexpected", `it is longer than the expected ${limit} bytes`);
      }
      if (filled + value.byteLength > buffer.byteLength) {
        const larger = pool.take(Math.min(MAX_UNIT_BYTES, buffer.byteLength * 2));
        larger.set(buffer.subarray(0, filled));
        pool.give(buffer);
        buffer = larger;
      }
      buffer.set(value, filled);
      filled += value.byteLength;
    }
    if (expectedBytes !== null && filled !== expectedBytes) {
      throw new UnitFault("unavailable", `only ${filled} of ${expectedBytes} bytes arrived`);
    }
  } catch (error) {
    pool.give(buffer);
    // The connection is no longer needed; errors of cancelling do not matter.
    reader.cancel().catch(() => undefined);
    throw error;
  }
  return { bytes: buffer.subarray(0, filled), buffer };
}

/** The same for a body that the host writes into the buffer. Rejects when the connection breaks. */
async function receiveDirectBody(
  body: DirectBody,
  pool: BufferPool,
  onBytes: (count: number) => void,
): Promise<PooledBytes> {
  const buffer = pool.take(body.sizeBytes);
  const bytes = buffer.subarray(0, body.sizeBytes);
  try {
    await body.receive(bytes, onBytes);
  } catch (error) {
    pool.give(buffer);
    throw error;
  }
  return { bytes, buffer };
}
