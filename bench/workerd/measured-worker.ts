import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { Response } from "miniflare";
import type { Statement } from "#service/ports/database.ts";
import { inspectIsolate } from "./isolate-inspector.ts";
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
