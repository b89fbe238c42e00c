import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import { convertV4MiniflareOptions, Miniflare, Response } from "miniflare";
import type { Statement } from "#service/ports/database.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { startTwitchStandIn, type TwitchStandIn } from "#stand-ins/twitch/server.ts";
import { inspectIsolate, type IsolateInspector } from "./isolate-inspector.ts";
import { PUBLIC_URL, signInAt } from "./open-worker.ts";
import { createPartSink, type PartSink } from "./part-sink.ts";
import { workerOptions } from "./worker-options.ts";

export type MeasuredWorker = {
  readonly url: string;
  readonly twitch: TwitchStandIn;
  readonly sink: PartSink;
  /** Runs statements on D1's file directly, without cost to the Worker's process. */
  change(statements: readonly Statement[]): void;
  /** The administrator, signed in. */
  signIn(): Promise<TestClient>;
  inspect(): Promise<IsolateInspector>;
  wake(uploadId: string): Promise<void>;
  close(): Promise<void>;
};

/** The Worker writes to the database meanwhile. */
const LOCK_TIMEOUT_MS = 5_000;

const ENTRY = fileURLToPath(
  new URL("../../hosts/cloudflare/testing/measured-worker/main.ts", import.meta.url),
);

const WORKER = fileURLToPath(new URL("../../dist/cloudflare/worker/main.js", import.meta.url));

/** The runtime's name for the isolate of an unnamed Worker. */
const ISOLATE = "core:user:";

/** Opens the built Worker in workerd, with the part sink in place of R2's multipart uploads. */
export async function openMeasuredWorker(): Promise<MeasuredWorker> {
  const folder = await mkdtemp(join(tmpdir(), "vodkeep-measured-"));
  const twitch = await startTwitchStandIn({
    clientId: "measured",
    clientSecret: "measured",
    redirectUris: [`${PUBLIC_URL}/auth/callback`],
  });
  const built = await workerOptions({
    folder,
    settings: {
      PUBLIC_URL,
      TWITCH_CLIENT_ID: "measured",
      TWITCH_CLIENT_SECRET: "measured",
      TWITCH_ID_URL: twitch.idUrl,
      TWITCH_API_URL: twitch.apiUrl,
      TWITCH_GQL_URL: twitch.gqlUrl,
      TWITCH_USHER_URL: twitch.usherUrl,
      TWITCH_MEDIA_HOSTS: twitch.mediaHost,
      ADMIN_TWITCH_IDS: "1001",
    },
  });
  const { code } = await transform(readFileSync(ENTRY, "utf8"), { loader: "ts", format: "esm" });
  const sink = createPartSink();
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      ...built,
      modules: [
        { type: "ESModule", path: "testing/measured-worker/main.js", contents: code },
        { type: "ESModule", path: "main.ts", contents: readFileSync(WORKER, "utf8") },
      ],
      serviceBindings: {
        async PARTS(request) {
          const path = new URL(request.url).pathname.slice(1);
          return Response.json(
            await sink.answer(path, new Uint8Array(await request.arrayBuffer())),
          );
        },
      },
      inspectorPort: 0,
    }),
  );
  const { origin: url } = await runtime.ready;
  const healthy = await fetch(`${url}/admin/auth/validate`);
  await healthy.arrayBuffer();
  const queue = await runtime.getQueueProducer("VOD_RESUME");
  return {
    url,
    twitch,
    sink,
    change(statements) {
      const database = new DatabaseSync(databaseFile(folder), { timeout: LOCK_TIMEOUT_MS });
      for (const { sql, values } of statements) database.prepare(sql).run(...values);
      database.close();
    },
    signIn: () => signInAt(url, "1001"),
    inspect: async () => await inspectIsolate(await runtime.getInspectorURL(), ISOLATE),
    wake: async (uploadId) => void (await queue.send({ uploadId })),
    async close() {
      await runtime.dispose();
      await twitch.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function databaseFile(folder: string): string {
  const databases = join(folder, "cloudflare/v3/d1/miniflare-D1DatabaseObject");
  const name = readdirSync(databases).find((one) => /^[0-9a-f]+\.sqlite$/.test(one));
  if (name === undefined) throw new Error("The Worker has no database yet");
  return join(databases, name);
}
