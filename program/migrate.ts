import { createWriteStream } from "node:fs";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import type { Platform } from "#service/platform.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { compare } from "./migrate/compare.ts";
import { d1Query } from "./migrate/d1-query.ts";
import { rowsSql } from "./migrate/rows-sql.ts";
import { withDataFolder } from "./with-data-folder.ts";

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
