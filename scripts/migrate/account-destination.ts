import * as z from "zod/mini";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Random } from "#service/ports/random.ts";
import { readWranglerConfig } from "../wrangler-config.ts";
import { openD1Api } from "./d1-api.ts";
import { Refusal } from "../command-line.ts";
import type { Destination } from "./destination.ts";

/** 1,200 calls in five minutes are allowed (developers.cloudflare.com/fundamentals/api/reference/limits). */
const BURST_CALLS = 1_000;
const PACE_MS = 300;

const REQUIRED = [
  "CLOUDFLARE_ACCOUNT_ID",
  "CLOUDFLARE_API_TOKEN",
  "R2_ACCESS_KEY_ID",
  "R2_SECRET_ACCESS_KEY",
] as const;

const listSchema = z.object({ result: z.array(z.object({ uuid: z.string(), name: z.string() })) });

export type Surroundings = {
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly digests: Digests;
};

/**
 * Opens the database and the bucket named in wrangler.jsonc, in the account given by the
 * environment: D1 through Cloudflare's API, R2 through its S3 API.
 *
 * @throws {Refusal} when a setting or resource is missing.
 */
export async function openAccount(
  environment: NodeJS.ProcessEnv,
  { fetch, clock, random, digests }: Surroundings,
): Promise<Destination> {
  const missing = REQUIRED.filter((name) => (environment[name] ?? "") === "");
  if (missing.length > 0)
    throw new Refusal(`Set ${missing.join(", ")} first; docs/deploy.md says how.`);
  const accountId = environment["CLOUDFLARE_ACCOUNT_ID"] ?? "";
  const token = environment["CLOUDFLARE_API_TOKEN"] ?? "";
  // The variable that wrangler uses.
  const api = environment["CLOUDFLARE_API_BASE_URL"] ?? "https://api.cloudflare.com/client/v4";
  const root = `${api}/accounts/${accountId}`;
  const config = readWranglerConfig();
  const databaseName = config.d1_databases[0].database_name;
  const bucket = config.r2_buckets[0].bucket_name;
  const databaseId = await findDatabase(root, token, databaseName, fetch);
  const client = createS3Client({
    // A bucket in a jurisdiction has a separate endpoint.
    address: {
      bucket,
      prefix: "",
      region: "auto",
      endpoint: environment["R2_ENDPOINT"] ?? `https://${accountId}.r2.cloudflarestorage.com`,
    },
    credentials: {
      accessKeyId: environment["R2_ACCESS_KEY_ID"] ?? "",
      secretAccessKey: environment["R2_SECRET_ACCESS_KEY"] ?? "",
    },
    fetch,
    clock,
    random,
  });
  return {
    database: openD1Api({
      root,
      databaseId,
      token,
      burst: BURST_CALLS,
      paceMs: PACE_MS,
      fetch,
      clock,
    }),
    databaseName: `D1 database ${databaseName}`,
    objects: createS3Store(client, digests, { bucket, prefix: "" }),
    nextStep: "npm run deploy",
    close: async () => undefined,
  };
}

async function findDatabase(
  root: string,
  token: string,
  name: string,
  fetch: OutgoingFetch,
): Promise<string> {
  const response = await fetch(`${root}/d1/database?name=${name}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await response.text();
  if (!response.ok) throw new Refusal(`Cloudflare answered ${response.status}: ${text}`);
  const found = listSchema.parse(JSON.parse(text)).result.find((one) => one.name === name);
  if (found === undefined)
    throw new Refusal(`There is no D1 database ${name} yet: npx wrangler d1 create ${name}`);
  return found.uuid;
}
