/**
 * Text cannot fail. Events fail for readers that do not come for them, to whom length and bytes mean
 * nothing any more; a thousand such streams would pay a third more processor time for this.
 */
const PASSED_ON_TYPES: readonly string[] = ["application/json", "text/event-stream"];

/**
 * The same answer, which cuts its connection when its body fails: short of the length announced, so
 * that nobody takes it for whole, and without a word of ours among its bytes. The adapter would
 * print a stack trace for each, and send the error's own message where nothing was sent yet.
 */
export function cutWhenBroken(
  response: Response,
  outgoing: { destroy(): unknown },
  onBroken: (error: unknown) => void,
): Response {
  const type = response.headers.get("content-type") ?? "";
  if (response.body === null || PASSED_ON_TYPES.includes(type)) return response;
  const reader = response.body.getReader();
  // A body may break off while nobody asks for more of it.
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
