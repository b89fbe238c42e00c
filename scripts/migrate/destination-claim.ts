import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { Refusal } from "../command-line.ts";
import type { D1Api } from "./d1-api.ts";
import type { Destination } from "./destination.ts";

/**
 * A destination accepts the data of one source. It is first *empty*, then *claimed* by a row that
 * names the source, and *finished* once everything was compared. Only that source may fill a
 * claimed destination again; a finished one belongs to the service and is never written again.
 */
export type Claim =
  | { readonly state: "empty" | "claimed" }
  | { readonly state: "finished"; at: Date };

const claimRow = z.object({ source: z.string(), finished_at: z.nullable(z.number()) });

/** @throws {Refusal} when the destination contains anything from another source */
export async function readClaim(destination: Destination, source: string): Promise<Claim> {
  const { database, objects } = destination;
  const tables = await tableNames(database);
  if (tables.has("moves")) {
    const [row] = await rowsOf(database, "SELECT source, finished_at FROM moves");
    const standing = claimRow.parse(row);
    if (standing.source !== source)
      throw new Refusal(
        `${destination.databaseName} holds data moved from another folder. Choose an empty database.`,
      );
    return standing.finished_at === null
      ? { state: "claimed" }
      : { state: "finished", at: new Date(standing.finished_at) };
  }
  if (tables.size > 0)
    throw new Refusal(
      `${destination.databaseName} is in use already: a Worker has been deployed on it. Move into an ` +
        "empty database, and deploy afterwards.",
    );
  const { objects: found } = await objects.list({});
  if (found.length > 0)
    throw new Refusal(
      `${objects.name} has objects already, ${found[0]?.key} for one. Move into an empty bucket.`,
    );
  return { state: "empty" };
}

/** Identifies a database by the time of its first migration, in milliseconds. */
export async function sourceIdentity(database: Database): Promise<string> {
  const [row] = await database.all(sql`SELECT min(applied_at) AS made_at FROM migrations`);
  return `node host of ${new Date(Number(row?.["made_at"])).toISOString()}`;
}

/** Idempotent. */
export async function claim({ database }: Destination, source: string): Promise<void> {
  await database.query([
    {
      sql: `CREATE TABLE IF NOT EXISTS moves (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        source TEXT NOT NULL,
        finished_at INTEGER
      )`,
    },
    {
      sql: "INSERT INTO moves (id, source) VALUES (1, ?1) ON CONFLICT DO NOTHING",
      params: [source],
    },
  ]);
}

export async function finish({ database }: Destination, nowMs: number): Promise<void> {
  await database.query([
    { sql: "UPDATE moves SET finished_at = ?1 WHERE finished_at IS NULL", params: [String(nowMs)] },
  ]);
}

async function tableNames(database: D1Api): Promise<ReadonlySet<string>> {
  const rows = await rowsOf(
    database,
    `SELECT name FROM sqlite_master WHERE type = 'table'
      AND name NOT LIKE 'sqlite|_%' ESCAPE '|' AND name NOT LIKE '|_cf|_%' ESCAPE '|'`,
  );
  return new Set(rows.map(({ name }) => String(name)));
}

async function rowsOf(database: D1Api, text: string): Promise<readonly Row[]> {
  const [rows = []] = await database.query([{ sql: text }]);
  return rows;
}
