import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import { LOCAL_DATABASE_ID, readWranglerConfig } from "../wrangler-config.ts";
import type { Surroundings } from "./account-destination.ts";
import { openD1Api } from "./d1-api.ts";
import type { Destination } from "./destination.ts";

/** The local runtime checks signatures; no other program reaches it while it runs. */
const CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };

const EMPTY_WORKER = "export default { fetch: () => new Response(null, { status: 404 }) }";

/**
 * Opens the storage that `npm run start:cloudflare` keeps in DATA_DIR/cloudflare, in the same way
 * as an account: the local runtime also serves D1's HTTP API and R2's S3 API.
 */
export async function openLocalRuntime(
  dataFolder: string,
  { fetch, clock, random, digests }: Surroundings,
): Promise<Destination> {
  const bucket = readWranglerConfig().r2_buckets[0].bucket_name;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: EMPTY_WORKER,
      unsafeLocalExplorer: true,
      resourcePersistencePath: join(dataFolder, "cloudflare", "v3"),
      d1Databases: { DB: { id: LOCAL_DATABASE_ID } },
      r2Buckets: { OBJECTS: { id: bucket, s3Credentials: CREDENTIALS } },
    }),
  );
  const { origin } = await runtime.ready;
  const client = createS3Client({
    address: { bucket, prefix: "", region: "auto", endpoint: `${origin}/cdn-cgi/local/r2/s3` },
    credentials: CREDENTIALS,
    fetch,
    clock,
    random,
  });
  return {
    database: openD1Api({
      root: `${origin}/cdn-cgi/local/explorer/api`,
      databaseId: LOCAL_DATABASE_ID,
      token: "",
      burst: Infinity,
      paceMs: 0,
      fetch,
      clock,
    }),
    databaseName: "The local D1 database",
    objects: createS3Store(client, digests, { bucket, prefix: "" }),
    nextStep: "npm run start:cloudflare",
    close: () => runtime.dispose(),
  };
}
