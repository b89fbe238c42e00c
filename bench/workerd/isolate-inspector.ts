import * as z from "zod/mini";

const targetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const answerSchema = z.object({ id: z.number(), result: z.optional(z.unknown()) });
const usageSchema = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number(),
  backingStorageSize: z.number(),
});

/** Attaches to the Worker of that name; emulated bindings have separate isolates. */
export async function inspectIsolate(inspector: URL, name: string) {
  const targets = targetsSchema.parse(
    await (await fetch(`http://${inspector.host}/json/list`)).json(),
  );
  const target = targets.find(({ id }) => id === name);
  if (target === undefined)
    throw new Error(`No isolate ${name} among ${targets.map(({ id }) => id).join(", ")}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve, { once: true });
    socket.addEventListener("error", reject, { once: true });
  });
  const waiting = new Map<number, (result: unknown) => void>();
  let asked = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = answerSchema.safeParse(JSON.parse(String(data)));
    // Other messages are events.
    if (answer.success) waiting.get(answer.data.id)?.(answer.data.result);
  });

  async function ask(method: string): Promise<unknown> {
    asked += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(asked, resolve);
    socket.send(JSON.stringify({ id: asked, method }));
    return await promise;
  }

  return {
    /** Bytes of V8's heap and of ArrayBuffers that are still in use after a forced collection. */
    async heldBytes(): Promise<number> {
      await ask("HeapProfiler.collectGarbage");
      const usage = usageSchema.parse(await ask("Runtime.getHeapUsage"));
      return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
    },
    close: () => socket.close(),
  };
}
