import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import type { V4MiniflareOptions } from "miniflare";
import { layOutConsole } from "./cloudflare-console.ts";
import { LOCAL_DATABASE_ID } from "./wrangler-config.ts";
import { ROOT } from "./tools.mjs";

export type LocalWorker = {
  /** The Worker's data is kept in its subfolder `cloudflare`. */
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  /** For the console's security headers. */
  readonly origins?: Parameters<typeof layOutConsole>[1];
};

/**
 * Options for Miniflare: the built Worker with all bindings of wrangler.jsonc. It starts in a third
 * of wrangler's time.
 */
export async function localWorkerOptions({
  folder,
  settings,
  origins = { apiOrigins: [], imageOrigins: [] },
}: LocalWorker): Promise<V4MiniflareOptions> {
  const state = join(folder, "cloudflare");
  // The headers contain this start's addresses, and other instances may run.
  const consoleFolder = join(state, "console");
  layOutConsole(consoleFolder, origins);
  // wrangler warns of required secrets it does not find; they are passed below.
  process.env["WRANGLER_LOG"] = "error";
  const { unstable_getMiniflareWorkerOptions } = await import("wrangler");
  const { workerOptions: worker } = unstable_getMiniflareWorkerOptions(
    join(ROOT, "hosts/cloudflare/wrangler.jsonc"),
    undefined,
    { overrides: { assets: { directory: consoleFolder } } },
  );
  return {
    ...worker,
    modules: [
      {
        type: "ESModule",
        path: "main.js",
        contents: readFileSync(join(ROOT, "dist/cloudflare/worker/main.js"), "utf8"),
      },
    ],
    bindings: { SECRET_KEY: "a key for tests, not for keeping", ...settings },
    d1Databases: { DB: { id: LOCAL_DATABASE_ID } },
    host: "127.0.0.1",
    port: Number(settings["PORT"] ?? 0),
    resourcePersistencePath: join(state, "v3"),
    cf: false,
  };
}

/** The file of D1's emulator; the Worker has to have run once. */
export function databaseFile(folder: string): string {
  const databases = join(folder, "cloudflare/v3/d1/miniflare-D1DatabaseObject");
  const name = readdirSync(databases).find((one) => /^[0-9a-f]+\.sqlite$/.test(one));
  if (name === undefined) throw new Error("The Worker has no database yet");
  return join(databases, name);
}
