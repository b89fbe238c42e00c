import type { ServiceContext } from "#service/context.ts";
import { ApiError } from "#service/api-error.ts";
import { createRightsWatch } from "#service/auth/rights-watch.ts";
import { actorOf, principalOf, type RequestContext } from "#service/http/route.ts";
import { requireSpace } from "#service/space/disk-space.ts";
import type { Appended } from "./manual-reception.ts";
import type { ManualRow } from "./manual-row.ts";
import type { ManualUploads } from "./manual-uploads.ts";
import type { StagedRow } from "./staged-row.ts";
import { readChecksum, readInteger, readLength } from "./tus-headers.ts";

/** Receives the body of a tus request, for as long as its sender may upload. */
export type TusAppend = {
  /** Appends the request's body at `offset` and returns the new offset. @throws {ApiError} */
  append(upload: ManualRow, request: RequestContext, offset: number): Promise<number>;
  /** The same for a staged upload. */
  appendStaged(staged: StagedRow, request: RequestContext, offset: number): Promise<number>;
};

export function createTusAppend(context: ServiceContext, manual: ManualUploads): TusAppend {
  const watch = createRightsWatch(context);

  async function append(
    upload: ManualRow,
    request: RequestContext,
    offset: number,
  ): Promise<number> {
    const bytes = await readBytes(request, offset);
    if (offset + (bytes.bodyBytes ?? 0) > upload.length)
      throw new ApiError("too_large", "This is longer than the declared length.");
    return await whileAllowed(
      request,
      () => void manual.interrupt(upload.id),
      () => manual.append(upload, bytes),
    );
  }

  async function appendStaged(
    staged: StagedRow,
    request: RequestContext,
    offset: number,
  ): Promise<number> {
    const bytes = await readBytes(request, offset);
    const length = readLength(request.request.headers);
    const stopping = new AbortController();
    return await whileAllowed(
      request,
      () => stopping.abort(),
      () =>
        manual.appendStaged(staged, bytes, actorOf(request), { length, signal: stopping.signal }),
    );
  }

  async function readBytes({ request }: RequestContext, offset: number): Promise<Appended> {
    const bodyBytes = readInteger(request.headers, "Content-Length");
    await requireSpace(context, bodyBytes ?? 0);
    const checksum = readChecksum(request.headers);
    return { offset, body: request.body ?? new Blob([]).stream(), bodyBytes, checksum };
  }

  /** Calls `breakOff` if the sender loses the permission; the bytes received so far are kept. */
  async function whileAllowed(
    request: RequestContext,
    breakOff: () => void,
    send: () => Promise<number>,
  ): Promise<number> {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { sessionId, userId } = principalOf(request);
    void watch({ sessionId, userId, permission: "write:uploads", ended, breakOff });
    try {
      return await send();
    } finally {
      end();
    }
  }

  return { append, appendStaged };
}
