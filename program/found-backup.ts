import { createReadStream, existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { systemClock } from "#hosts/ports/clock.ts";
import {
  backupKeys,
  backupTimeMs,
  factsSchema,
  listStoredBackups,
} from "#service/backups/stored-backups.ts";
import { parseJson } from "#service/parse-json.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { SnapshotFacts } from "#service/ports/snapshots.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/** One that is to be restored. */
export type Backup = {
  readonly name: string;
  /** Compressed, or a plain SQLite file. */
  readonly body: Readable;
  readonly isCompressed: boolean;
  /** As stated in its `.json`, else of the file. */
  readonly sizeBytes: number;
  /** Null for a file without its `.json`. */
  readonly facts: SnapshotFacts | null;
};

/**
 * The backup `from`: "latest", the time of one in the store, or a file.
 *
 * @throws {CommandError} if there is none, or it is not described
 */
export async function findBackup(objects: ObjectStore, from: string): Promise<Backup> {
  if (from !== "latest" && existsSync(from)) return await readLocal(from);
  const { times } = await listStoredBackups(objects, systemClock.now());
  const time = from === "latest" ? times[0] : times.find((each) => `${each}Z` === from);
  const keys = time === undefined ? null : backupKeys(time);
  const stored = keys === null ? null : await objects.get(keys.data);
  const facts = keys === null ? null : await objects.get(keys.facts);
  if (time === undefined || stored === null || facts === null)
    throw new CommandError(
      EXIT_CODES.notFound,
      times.length === 0
        ? `${objects.name} has no backup.`
        : `There is no backup ${from}. In ${objects.name} are: ${times.map((each) => `${each}Z`).join(", ")}.`,
    );
  const stated = readFacts(await new Response(facts.body).text());
  return {
    name: `The backup of ${new Date(backupTimeMs(time)).toISOString().slice(0, 19)}Z`,
    body: Readable.fromWeb(stored.body),
    isCompressed: true,
    sizeBytes: stated.sizeBytes,
    facts: stated,
  };
}

/** @throws {CommandError} */
function readFacts(text: string): SnapshotFacts {
  const facts = parseJson(factsSchema, text);
  if (facts !== null) return facts;
  throw new CommandError(
    EXIT_CODES.mismatch,
    "The .json beside the backup does not describe one that this version of Vodkeep knows.",
  );
}

async function readLocal(path: string): Promise<Backup> {
  const isCompressed = path.endsWith(".gz");
  const beside = path.replace(/\.db\.gz$/, ".json");
  const facts =
    isCompressed && existsSync(beside) ? readFacts(await readFile(beside, "utf8")) : null;
  return {
    name: `The backup ${basename(path)}`,
    body: createReadStream(path),
    isCompressed,
    sizeBytes: facts?.sizeBytes ?? (await stat(path)).size,
    facts,
  };
}
