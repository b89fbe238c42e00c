import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { HOUR_MS, openScanWorld, type ScanWorld } from "#service/testing/scan-world.ts";
import { carryOutRemovals } from "./store-removals.ts";
import { removeStrayMultiparts } from "./stray-multiparts.ts";

let world: ScanWorld;
beforeEach(async () => {
  world = await openScanWorld();
});
afterEach(() => world.close());

/** Starts three multipart uploads: one of an upload, one without, one of another program. */
async function beginMultiparts() {
  const { objects, database } = world.context.platform;
  const begin = (key: string) =>
    objects.createMultipart(objectKeySchema.parse(key), { contentType: "video/mp4" });
  const stray = await begin("manual/1/a/video.mp4");
  await begin("backups/of-somebody-else.tar");
  const owned = await begin("vods/1/2/b.ts");
  const uploadId = await world.addUpload("2000000002");
  await database.run(
    sql`UPDATE uploads SET multipart_id = ${owned.multipartId} WHERE id = ${uploadId}`,
  );
  return { stray };
}

/** The multipart uploads whose removal is planned `ms` later. */
async function plannedAfter(ms: number): Promise<unknown[]> {
  await removeStrayMultiparts(world.later(ms));
  const planned = await world.context.platform.database.all(
    sql`SELECT key FROM jobs WHERE kind = 'abort'`,
  );
  return planned.map((row) => String(row.key).split("\n")[1]);
}

test("a multipart upload without an owner is removed after a day", async ({ skip }) => {
  const { objects } = world.context.platform;
  if ((await objects.listMultiparts()) === null)
    skip("R2 lists none from inside a Worker; its lifecycle rule removes them");
  const { stray } = await beginMultiparts();
  expect(await plannedAfter(23 * HOUR_MS)).toEqual([]);
  expect(await plannedAfter(25 * HOUR_MS)).toEqual([stray.multipartId]);
  expect(await plannedAfter(25 * HOUR_MS)).toEqual([stray.multipartId]);
  await carryOutRemovals(world.later(25 * HOUR_MS));
  expect((await world.storeContents()).multiparts).toBe(2);
});
