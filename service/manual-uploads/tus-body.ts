import type { ServiceContext } from "#service/context.ts";
import { createRightsWatch } from "#service/auth/rights-watch.ts";
import { principalOf, type RequestContext } from "#service/http/route.ts";
import { requireSpace } from "#service/space/disk-space.ts";
import type { Appended } from "./receive-body.ts";
import { readChecksum, readInteger } from "./tus-headers.ts";

/**
 * Passes the body of a tus request to `append`, which resolves with the new offset. It is
 * interrupted if its sender loses the permission; the bytes received so far are kept.
 * @throws {ApiError} for invalid headers, or a disk without room
 */
export type TusBody = (
  request: RequestContext,
  offset: number,
  append: (bytes: Appended) => Promise<number>,
) => Promise<number>;

export function createTusBody(context: ServiceContext): TusBody {
  const watch = createRightsWatch(context);

  return async (request, offset, append) => {
    const { body, headers } = request.request;
    const bodyBytes = readInteger(headers, "Content-Length");
    await requireSpace(context, bodyBytes ?? 0);
    const checksum = readChecksum(headers);
    const stopping = new AbortController();
    const { signal } = stopping;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { sessionId, userId } = principalOf(request);
    const breakOff = (reason: Error) => stopping.abort(reason);
    void watch({ sessionId, userId, permission: "write:uploads", ended, breakOff });
    try {
      const stream = body ?? new Blob([]).stream();
      return await append({ senderId: userId, offset, body: stream, bodyBytes, checksum, signal });
    } finally {
      end();
    }
  };
}
