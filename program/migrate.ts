import { createWriteStream } from "node:fs";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import type { Platform } from "#service/platform.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { compare } from "./migrate/compare.ts";
import { rowsSql } from "./migrate/rows-sql.ts";
import { withDataFolder } from "./with-data-folder.ts";
import * as z from "zod/mini";
import type { Query } from "./migrate/tables.ts";

/**
 * Two steps of the move to Cloudflare that docs/deploy.md describes; stop the service first.
 * `rows` names the file for the database of DATA_DIR as SQL for wrangler. A comparison compares
 * database and objects with those at Cloudflare.
 */
export async function migrateToCloudflare(
  rows: string | undefined,
  isComparison: boolean,
): Promise<void> {
  if ((rows !== undefined) === isComparison)
    throw new CommandError(EXIT_CODES.usage, "Say one of --rows and --compare.");
  await withDataFolder(
    async ({ platform }) => {
      if (rows === undefined) await reportComparison(platform);
      else
        await pipeline(
          Readable.from(rowsSql(platform.database)),
          createWriteStream(rows, { flags: "wx", mode: 0o600 }),
        );
    },
    { needsDeployment: true },
  );
}

async function reportComparison(platform: Platform): Promise<void> {
  const api = `https://api.cloudflare.com/client/v4/accounts/${read("CLOUDFLARE_ACCOUNT_ID")}`;
  const query = d1Query(
    `${api}/d1/database/${read("D1_DATABASE_ID")}`,
    read("CLOUDFLARE_API_TOKEN"),
  );
  const address = {
    bucket: read("R2_BUCKET"),
    endpoint: read("R2_ENDPOINT"),
    prefix: "",
    region: "auto",
  };
  const credentials = {
    accessKeyId: read("R2_ACCESS_KEY_ID"),
    secretAccessKey: read("R2_SECRET_ACCESS_KEY"),
  };
  const client = createS3Client({ address, credentials, ...platform });
  const there = { query, objects: createS3Store(client, platform.digests, address) };
  let differing = 0;
  for await (const { name, isEqual } of compare(platform, there)) {
    console.log(`${isEqual ? "equal  " : "DIFFERS"} ${name}`);
    if (!isEqual) differing += 1;
  }
  if (differing > 0)
    throw new CommandError(EXIT_CODES.mismatch, `${differing} differ at Cloudflare.`);
}

function read(name: string): string {
  const value = process.env[name] ?? "";
  if (value === "")
    throw new CommandError(EXIT_CODES.settings, `Set ${name} first; docs/deploy.md says how.`);
  return value;
}

const value = z.union([z.string(), z.number(), z.null()]);
const found = z.object({ columns: z.array(z.string()), rows: z.array(z.array(value)) });
const answerSchema = z.object({ result: z.tuple([z.object({ results: found })]) });

/** Queries a D1 database by `POST …/d1/database/<id>/raw` (developers.cloudflare.com/api/resources/d1). */
export function d1Query(databaseUrl: string, token: string): Query {
  return async (text) => {
    const response = await fetch(`${databaseUrl}/raw`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ sql: text }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`D1 answered ${response.status}: ${answer.slice(0, 500)}`);
    const { columns, rows } = answerSchema.parse(JSON.parse(answer)).result[0].results;
    return rows.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])),
    );
  };
}
