import {
  createBufferAccount,
  createBufferPool,
  type BufferPool,
} from "#service/storage/buffer-pool.ts";
import type { OpenMultipart } from "#service/storage/multipart.ts";
import { partsInFlight } from "#service/storage/part-writer.ts";
import type { ArchiveRun } from "./archive-run.ts";

/**
 * One segment of a 1080p60 source (docs/twitch.md#segments), which is copied however little memory
 * there is. Its buffer is kept for the next one.
 */
const MIN_SEGMENT_BUFFERS_BYTES = 12 * 1024 * 1024;

/** The memory of a copy: first the parts that are being stored, the rest for segments. */
export type CopyBuffers = {
  readonly parts: BufferPool;
  readonly mostPartsInFlight: () => number;
  readonly segments: BufferPool;
  readonly segmentsBytes: () => number;
  readonly peakBytes: () => number;
};

export function createCopyBuffers(
  { context, memoryBytes }: ArchiveRun,
  { partSizeBytes }: OpenMultipart,
): CopyBuffers {
  const account = createBufferAccount();
  const isShared = context.platform.digests.prefersShared === true;
  // No part is being filled while the maximum number is in flight.
  const mostPartsInFlight = () => partsInFlight(partSizeBytes, memoryBytes());
  const partsBytes = () => mostPartsInFlight() * partSizeBytes;
  const segmentsBytes = () => memoryBytes() - partsBytes();
  return {
    parts: createBufferPool(partsBytes, { account, isShared }),
    mostPartsInFlight,
    segments: createBufferPool(() => Math.max(MIN_SEGMENT_BUFFERS_BYTES, segmentsBytes()), {
      account,
    }),
    segmentsBytes,
    peakBytes: () => account.peakBytes(),
  };
}
