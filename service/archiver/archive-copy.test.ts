import { afterAll, expect, it } from "vitest";
import type { Database } from "#service/ports/database.ts";
import { readCheckpoint } from "#service/storage/checkpoint.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

let refusedRecords = 0;
const world = await openArchiveWorld({
  changePlatform(platform) {
    const batch: Database["batch"] = async (statements, options) => {
      const isRecord = statements.some(({ sql }) => sql.includes("INTO upload_parts"));
      if (isRecord && refusedRecords > 0) {
        refusedRecords -= 1;
        throw new Error("The database is away");
      }
      return await platform.database.batch(statements, options);
    };
    return { ...platform, database: { ...platform.database, batch } };
  },
});
afterAll(() => world.close());

it("parts that the store has confirmed are on record after the copy has failed", async () => {
  const { vodId, uploadId } = await world.addVod({ segmentCount: 4, segmentSizeBytes: 5_000_000 });
  refusedRecords = 1;
  await world.archiver.consume({ uploadId });
  const parts = await readCheckpoint(world.context.platform.database, uploadId);
  expect(parts.map(({ partNumber }) => partNumber)).toContain(1);
  expect(await world.holdsVod(await world.archiveToEnd(uploadId), vodId)).toBe(true);
});
