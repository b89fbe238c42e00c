import { transform } from "esbuild";
import { Response } from "miniflare";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import type { Statement } from "#service/ports/database.ts";
import { openWorker } from "./open-worker.ts";
import { createPartSink } from "./part-sink.ts";
import { databaseFile } from "../../scripts/local-worker.ts";

export type MeasuredWorker = Awaited<ReturnType<typeof openMeasuredWorker>>;

/** The Worker writes to the database meanwhile. */
const LOCK_TIMEOUT_MS = 5_000;

const ENTRY = fileURLToPath(
  new URL("../../hosts/cloudflare/testing/measured-worker/main.ts", import.meta.url),
);

const WORKER = fileURLToPath(new URL("../../dist/cloudflare/worker/main.js", import.meta.url));

/** The runtime's name for the isolate of an unnamed Worker. */
const ISOLATE = "core:user:";

/** Opens the built Worker in workerd, with the part sink in place of R2's multipart uploads. */
export async function openMeasuredWorker() {
  const { code } = await transform(readFileSync(ENTRY, "utf8"), { loader: "ts", format: "esm" });
  const sink = createPartSink();
  const worker = await openWorker({}, (options) => ({
    ...options,
    modules: [
      { type: "ESModule", path: "testing/measured-worker/main.js", contents: code },
      { type: "ESModule", path: "main.ts", contents: readFileSync(WORKER, "utf8") },
    ],
    serviceBindings: {
      async PARTS(request) {
        const path = new URL(request.url).pathname.slice(1);
        return Response.json(await sink.answer(path, new Uint8Array(await request.arrayBuffer())));
      },
    },
    inspectorPort: 0,
  }));
  const healthy = await fetch(`${worker.url}/admin/auth/validate`);
  await healthy.arrayBuffer();
  const queue = await worker.runtime.getQueueProducer("VOD_RESUME");
  return {
    ...worker,
    sink,
    /** Runs statements on D1's file directly, without cost to the Worker's process. */
    change(statements: readonly Statement[]): void {
      const database = new DatabaseSync(databaseFile(worker.folder), { timeout: LOCK_TIMEOUT_MS });
      for (const { sql, values } of statements) database.prepare(sql).run(...values);
      database.close();
    },
    inspect: async () => await inspectIsolate(await worker.runtime.getInspectorURL(), ISOLATE),
    wake: async (uploadId: string) => void (await queue.send({ uploadId })),
  };
}

const targetsSchema = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const answerSchema = z.object({ id: z.number(), result: z.optional(z.unknown()) });
const usageSchema = z.object({
  usedSize: z.number(),
  embedderHeapUsedSize: z.number(),
  backingStorageSize: z.number(),
});

/** Attaches to the Worker of that name; emulated bindings have separate isolates. */
async function inspectIsolate(inspector: URL, name: string) {
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
