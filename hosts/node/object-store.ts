import { join } from "node:path";
import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Random } from "#service/ports/random.ts";
import { type Settings, SettingsError } from "#service/settings.ts";
import { openFolderStore } from "./folder-store/folder-store.ts";
import { parseS3Address } from "./s3-store/s3-address.ts";
import { createS3Client } from "./s3-store/s3-client.ts";
import { createS3Store } from "./s3-store/s3-store.ts";

type OpenedStore = { readonly objects: ObjectStore; close(): Promise<void> };

type Surroundings = {
  readonly dataFolder: string;
  readonly digests: Digests;
  readonly fetch: OutgoingFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly onlyReads?: boolean;
};

/**
 * Opens the store that OBJECT_STORE names; without it, the folder DATA_DIR/objects.
 * @throws {SettingsError} when it does not name a store.
 */
export async function openObjectStore(
  settings: Pick<Settings, "OBJECT_STORE" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY">,
  { dataFolder, digests, fetch, clock, random, onlyReads = false }: Surroundings,
): Promise<OpenedStore> {
  const {
    OBJECT_STORE: text,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  if (text === undefined) {
    const folder = await openFolderStore({
      root: objectsFolder(dataFolder),
      digests,
      clock,
      onlyReads,
    });
    return { objects: folder, close: () => folder.close() };
  }
  const address = parseS3Address(text);
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new SettingsError("S3_ACCESS_KEY_ID must be set with OBJECT_STORE.");
  const credentials = { accessKeyId, secretAccessKey };
  const client = createS3Client({ address, credentials, fetch, clock, random });
  return { objects: createS3Store(client, digests, address), close: async () => undefined };
}

export function objectsFolder(dataFolder: string): string {
  return join(dataFolder, "objects");
}
