import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readWranglerConfig } from "../wrangler-config.ts";

/**
 * A simulated account with the database and the bucket of wrangler.jsonc: D1's HTTP API and R2's S3
 * API of the local runtime, under the real URLs.
 */
export type TestAccount = {
  /** Environment variables for `scripts/migrate.ts`. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls `interrupt` at that request from now, before it or its response is forwarded. */
  interruptAfter(requests: number, moment: "request" | "answer", interrupt: () => void): void;
  /** Number of writing requests since the start. */
  writes(): number;
  close(): Promise<void>;
};

const ACCOUNT_PATH = "/client/v4/accounts/test-account";
const LOCAL_API_PATH = "/cdn-cgi/local/explorer/api";
const CREDENTIALS = { accessKeyId: "test-key", secretAccessKey: "test-secret" };

export async function startTestAccount(): Promise<TestAccount> {
  const config = readWranglerConfig();
  const database = config.d1_databases[0].database_name;
  const bucket = config.r2_buckets[0].bucket_name;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) }",
      unsafeLocalExplorer: true,
      d1Databases: { [database]: { id: database } },
      r2Buckets: { OBJECTS: { id: bucket, s3Credentials: CREDENTIALS } },
    }),
  );
  const { hostname, port } = await runtime.ready;
  let untilInterrupt = Infinity;
  let interruptedAt: "request" | "answer" = "request";
  let interrupt: (() => void) | null = null;
  let writes = 0;

  function answer(asked: IncomingMessage, response: ServerResponse): void {
    untilInterrupt -= 1;
    const isInterrupted = untilInterrupt === 0;
    if (isInterrupted && interruptedAt === "request") {
      interrupt?.();
      asked.destroy();
      return;
    }
    const path = (asked.url ?? "").replace(ACCOUNT_PATH, LOCAL_API_PATH);
    if (asked.method === "PUT") writes += 1;
    // The host is part of the signature, so it is kept as requested.
    const options = { hostname, port, path, method: asked.method, headers: asked.headers };
    const passedOn = request(options, (answered) => {
      if (isInterrupted) {
        interrupt?.();
        asked.destroy();
      } else {
        response.writeHead(answered.statusCode ?? 502, answered.headers);
        answered.pipe(response);
      }
    });
    passedOn.once("error", () => response.destroy());
    asked.pipe(passedOn);
  }

  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  const origin = `http://127.0.0.1:${address.port}`;
  return {
    settings: {
      CLOUDFLARE_ACCOUNT_ID: "test-account",
      CLOUDFLARE_API_TOKEN: "test-token",
      CLOUDFLARE_API_BASE_URL: `${origin}/client/v4`,
      R2_ENDPOINT: `${origin}/cdn-cgi/local/r2/s3`,
      R2_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      R2_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    },
    interruptAfter(requests, moment, callback) {
      untilInterrupt = requests;
      interruptedAt = moment;
      interrupt = callback;
    },
    writes: () => writes,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await runtime.dispose();
    },
  };
}
