import { afterAll, expect, it } from "vitest";
import type { Database } from "#service/ports/database.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import {
  createCheckpoint,
  forgetParts,
  readCheckpoint,
  sizeOfParts,
  type ConfirmedPart,
} from "./checkpoint.ts";
import { batchUnderLease, takeLease } from "./lease.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const { platform } = world.context;

async function leaseOfNewUpload() {
  const lease = await takeLease(platform, "runner", await world.addUpload("1"));
  if (lease === null) throw new Error("The upload is not due");
  return lease;
}

function part(partNumber: number): ConfirmedPart {
  return {
    partNumber,
    tag: `tag-${partNumber}`,
    sizeBytes: 100,
    sha256: `sha-${partNumber}`,
    end: { unit: partNumber, offset: 50 },
    overlap: { unitSizeBytes: 80, sha256: "overlap" },
    finishedUnits: [{ sizeBytes: 50, isMissing: partNumber === 2 }],
  };
}

it("is read as it was recorded, and continues without the parts that were forgotten", async () => {
  const lease = await leaseOfNewUpload();
  const checkpoint = createCheckpoint(platform, lease, []);
  for (const number of [1, 2, 3]) checkpoint.add(part(number));
  expect(await readCheckpoint(platform.database, lease.uploadId)).toEqual([]);
  await checkpoint.record();
  expect(await readCheckpoint(platform.database, lease.uploadId)).toEqual([1, 2, 3].map(part));
  await batchUnderLease(platform.database, lease, forgetParts(lease, 2, sizeOfParts([part(1)])));
  expect(await readCheckpoint(platform.database, lease.uploadId)).toEqual([part(1)]);
  const [row] = await platform.database.all({
    sql: "SELECT stored_bytes FROM uploads WHERE id = ?",
    values: [lease.uploadId],
  });
  expect(row).toEqual({ stored_bytes: 100 });
});

it("records each part once, and those whose record failed with the next ones", async () => {
  const lease = await leaseOfNewUpload();
  const written: number[] = [];
  let isAway = false;
  const database: Database = {
    ...platform.database,
    async batch(statements) {
      if (isAway) throw new Error("The database is away");
      written.push(statements.filter(({ sql }) => sql.includes("INTO upload_parts")).length);
      return await platform.database.batch(statements);
    },
  };
  const checkpoint = createCheckpoint({ ...platform, database }, lease, []);
  checkpoint.add(part(1));
  checkpoint.add(part(2));
  await checkpoint.record();
  isAway = true;
  checkpoint.add(part(3));
  await expect(checkpoint.record()).rejects.toThrow("away");
  expect(checkpoint.unrecordedBytes()).toBe(100);
  isAway = false;
  checkpoint.add(part(4));
  await checkpoint.record();
  await checkpoint.record();
  expect(written).toEqual([2, 2]);
  const recorded = await readCheckpoint(platform.database, lease.uploadId);
  expect(recorded).toEqual([1, 2, 3, 4].map(part));
});
