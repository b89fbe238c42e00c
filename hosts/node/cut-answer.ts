import { mediaTypeOf } from "#service/http/media-type.ts";

/**
 * JSON bodies cannot fail. Event streams fail only for readers that stopped reading, for whom
 * length and content no longer matter. Wrapping a thousand of them costs a third more CPU time.
 */
const PASSED_ON_TYPES: readonly string[] = ["application/json", "text/event-stream"];

/**
 * Returns the same response, but cuts the connection when its body fails. The client then gets less
 * than the announced length and no extra bytes, so it cannot take the body for complete. The
 * adapter would print a stack trace, and send the error's message if nothing was sent yet.
 */
export function cutWhenBroken(
  response: Response,
  outgoing: { destroy(): unknown },
  onBroken: (error: unknown) => void,
): Response {
  if (response.body === null || PASSED_ON_TYPES.includes(mediaTypeOf(response.headers)))
    return response;
  const reader = response.body.getReader();
  // A body may fail while nothing is reading from it.
  reader.closed.catch((error: unknown) => {
    onBroken(error);
    outgoing.destroy();
  });
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const read = await reader.read().catch(() => null);
        if (read === null || read.done) controller.close();
        else controller.enqueue(read.value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, response);
}
