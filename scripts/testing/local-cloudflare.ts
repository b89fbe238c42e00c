import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { LOCAL_DATABASE_ID } from "../wrangler-config.ts";

const WRANGLER = fileURLToPath(
  new URL("../../node_modules/wrangler/bin/wrangler.js", import.meta.url),
);

/** Runs SQL with wrangler in the database that `npm run start:cloudflare` keeps in `state`. */
export async function importLocally(file: string, state: string): Promise<void> {
  mkdirSync(state, { recursive: true });
  const config = join(state, "import.json");
  const database = { binding: "DB", database_name: "vodkeep", database_id: LOCAL_DATABASE_ID };
  writeFileSync(config, JSON.stringify({ name: "vodkeep", d1_databases: [database] }));
  const paths = [`--config=${config}`, `--persist-to=${state}`, `--file=${file}`];
  await promisify(execFile)(
    process.execPath,
    [WRANGLER, "d1", "execute", "vodkeep", "--local", "--yes", ...paths],
    {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], WRANGLER_SEND_METRICS: "false" },
    },
  );
}

/** Serves the storage in `state` through the local runtime's copies of D1's HTTP API and R2's S3 API. */
export async function serveLocally(state: string) {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: "export default { fetch: () => new Response(null, { status: 404 }) }",
      unsafeLocalExplorer: true,
      resourcePersistencePath: join(state, "v3"),
      d1Databases: { DB: { id: LOCAL_DATABASE_ID } },
      r2Buckets: { OBJECTS: { id: "vodkeep", s3Credentials: credentials } },
    }),
  );
  const { origin } = await runtime.ready;
  const endpoint = `${origin}/cdn-cgi/local/r2/s3`;
  return {
    databaseUrl: `${origin}/cdn-cgi/local/explorer/api/d1/database/${LOCAL_DATABASE_ID}`,
    s3: { address: { bucket: "vodkeep", endpoint, prefix: "", region: "auto" }, credentials },
    close: () => runtime.dispose(),
  };
}
