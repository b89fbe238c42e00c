import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { reconcilePage } from "#service/proof/reconcile.ts";
import { openArchiveWorld } from "./archive-world.ts";

export type ScanWorld = Awaited<ReturnType<typeof openScanWorld>>;

export const HOUR_MS = 3_600_000;

/** No record knows it. */
export const LOST = objectKeySchema.parse("vods/1/2/lost.ts");

/** A world whose store is scanned, an hour after the last time. */
export async function openScanWorld() {
  const world = await openArchiveWorld();
  const { platform } = world.context;
  let aheadMs = 0;

  /** The service at a later time, with a store that answers differently. */
  function later(ms: number, change: Partial<ObjectStore> = {}): ServiceContext {
    const clock = { ...platform.clock, now: () => platform.clock.now() + ms };
    const objects = { ...platform.objects, ...change };
    return { ...world.context, platform: { ...platform, clock, objects } };
  }

  async function scan(change?: Partial<ObjectStore>): Promise<void> {
    aheadMs += HOUR_MS;
    const context = later(aheadMs, change);
    while (await reconcilePage(context));
  }

  async function put(key: string, text: string): Promise<void> {
    await platform.objects.put(objectKeySchema.parse(key), new TextEncoder().encode(text), {
      contentType: "video/mp2t",
    });
  }

  return {
    ...world,
    later,
    scan,
    put,
    /** Stores an object that no record knows, and scans until it is marked. */
    async orphan(): Promise<void> {
      await put(LOST, "bytes");
      await scan();
      await scan();
    },
    async archive(): Promise<{ uploadId: string; key: string }> {
      const { uploadId } = await world.addVod({ segmentCount: 3 });
      const { fileKey } = await world.archiveToEnd(uploadId);
      return { uploadId, key: fileKey ?? "" };
    },
    async fileOf(key: string) {
      const [row] = await platform.database.all(
        sql`SELECT status, metadata FROM files WHERE object_key = ${key}`,
      );
      return row === undefined
        ? null
        : { status: String(row.status), metadata: JSON.parse(String(row.metadata)) as unknown };
    },
    async rows(table: "notification_events" | "audit", column: string, value: string) {
      return await platform.database.all({
        sql: `SELECT * FROM ${table} WHERE ${column} = ?`,
        values: [value],
      });
    },
  };
}
