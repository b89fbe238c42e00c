import * as z from "zod/mini";

/** V8's memory figures for one Worker's isolate. */
export type IsolateMemory = {
  /** Values, strings and code. */
  readonly heapBytes: number;
  /** ArrayBuffers, which contain segments and parts. */
  readonly bufferBytes: number;
};

export type IsolateInspector = {
  /** Including garbage. */
  memory(): Promise<IsolateMemory>;
  collectGarbage(): Promise<void>;
  /** How many samples found the isolate busy while `doing` ran, and how many found it hashing. */
  sample(
    doing: () => Promise<void>,
  ): Promise<{ readonly digests: number; readonly others: number }>;
  close(): void;
};

const targetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const answerSchema = z.object({ id: z.number(), result: z.optional(z.unknown()) });
const usageSchema = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number(),
  backingStorageSize: z.number(),
});

const profileSchema = z.object({
  profile: z.object({
    nodes: z.array(
      z.object({ callFrame: z.object({ functionName: z.string() }), hitCount: z.number() }),
    ),
  }),
});

/** Profile entries for time in which the isolate was idle. */
const NOT_AT_WORK: ReadonlySet<string> = new Set(["(root)", "(idle)", "(program)"]);

const SAMPLING_INTERVAL_US = 250;

/** Attaches to the Worker of that name; emulated bindings have separate isolates. */
export async function inspectIsolate(inspector: URL, name: string): Promise<IsolateInspector> {
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

  async function ask(method: string, params: object = {}): Promise<unknown> {
    asked += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(asked, resolve);
    socket.send(JSON.stringify({ id: asked, method, params }));
    return await promise;
  }

  return {
    async memory() {
      const usage = usageSchema.parse(await ask("Runtime.getHeapUsage"));
      return {
        heapBytes: usage.usedSize + usage.embedderHeapUsedSize,
        bufferBytes: usage.backingStorageSize,
      };
    },
    async collectGarbage() {
      await ask("HeapProfiler.collectGarbage");
    },
    async sample(doing) {
      await ask("Profiler.enable");
      await ask("Profiler.setSamplingInterval", { interval: SAMPLING_INTERVAL_US });
      await ask("Profiler.start");
      await doing();
      const { profile } = profileSchema.parse(await ask("Profiler.stop"));
      let digests = 0;
      let others = 0;
      for (const { callFrame, hitCount } of profile.nodes)
        if (callFrame.functionName === "digest") digests += hitCount;
        else if (!NOT_AT_WORK.has(callFrame.functionName)) others += hitCount;
      return { digests, others };
    },
    close: () => socket.close(),
  };
}
