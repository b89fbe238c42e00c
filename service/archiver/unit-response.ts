import { isDirectBody, type ReceivedResponse } from "#service/ports/receive.ts";
import { blockedSentence, isRefusal, readRefusal } from "#service/source/refusal.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import type { Source } from "#service/source/source.ts";
import type { BufferPool } from "#service/storage/buffer-pool.ts";
import { ArchiveFailed, StartOver } from "#service/storage/run-end.ts";
import { isSameVersion, type ArchiveUnit } from "./archive-manifest.ts";
import { MAX_UNIT_BYTES, readBody, receiveDirectBody, type UnitBody } from "./unit-body.ts";
import { UnitFault } from "./unit-fault.ts";

export type RequestedUnit = Pick<ArchiveUnit, "url" | "byteRange" | "version">;

export type UnitReading = {
  readonly source: Pick<Source, "name">;
  readonly pool: BufferPool;
  /** Called for every chunk received. */
  readonly onBytes: (count: number) => void;
  /** Called when the unit's size is known. */
  readonly onSize: (sizeBytes: number) => void;
  readonly nowMs: number;
};

/**
 * Reads the unit from a response, whole, into a buffer of the pool.
 * @throws {UnitFault} {ArchiveFailed} {StartOver} for a response without the unit's bytes
 */
export async function readUnit(
  response: ReceivedResponse,
  unit: RequestedUnit,
  options: UnitReading,
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
