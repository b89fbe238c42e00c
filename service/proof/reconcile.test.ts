import { afterEach, beforeEach, expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { openScanWorld, type ScanWorld } from "#service/testing/scan-world.ts";

let world: ScanWorld;
beforeEach(async () => {
  world = await openScanWorld();
});
afterEach(() => world.close());

/** Calls `between` after every write to the store or the database. */
function interrupted(platform: Platform, between: () => Promise<void>): Platform {
  const { database, objects } = platform;
  async function pause<T>(effect: Promise<T>): Promise<T> {
    const result = await effect;
    await between();
    return result;
  }
  return {
    ...platform,
    database: { ...database, batch: (statements) => pause(database.batch(statements)) },
    objects: {
      ...objects,
      put: (...object) => pause(objects.put(...object)),
      uploadPart: (...part) => pause(objects.uploadPart(...part)),
      completeMultipart: (...upload) => pause(objects.completeMultipart(...upload)),
    },
  };
}

async function flagged() {
  return await world.context.platform.database.all(sql`
    SELECT * FROM notification_events WHERE type IN ('orphaned_files_found', 'file_damaged')`);
}

test("two scans between any two steps of an archive report no problems", async () => {
  let steps = 0;
  const archiver = world.newArchiver((platform) =>
    interrupted(platform, async () => {
      steps += 1;
      await world.scan();
      await world.scan();
    }),
  );
  const { uploadId } = await world.addVod({ segmentCount: 4 });
  // On a Worker the scans use up the slice's budget, so the archive takes several slices.
  for (
    let slice = 1;
    slice <= 20 && (await world.upload(uploadId)).status !== "completed";
    slice += 1
  )
    await archiver.consume({ uploadId });
  expect(steps).toBeGreaterThan(5);
  expect(await flagged()).toEqual([]);
});

test("objects with invalid names are logged once", async () => {
  const { objects } = world.context.platform;
  await world.scan({
    list: async (options) => ({ ...(await objects.list(options)), foreignKeys: 2 }),
  });
  expect(world.log().split("whose names are not keys")).toHaveLength(2);
});
