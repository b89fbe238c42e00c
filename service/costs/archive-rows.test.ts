import { afterAll, expect, it } from "vitest";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const PARTS = 10;
const PART_BYTES = 8 * 1024 * 1024;

/** With the user and the upload. */
const MAX_ROWS_WRITTEN = 139;

/** A row more is written each time, so that a slow machine writes more of them. */
const RENEWED_EVERY_MS = 5_000;

const world = await openArchiveWorld({ clockFactor: 1 });
afterAll(() => world.close());

it("an archive of ten parts stays within the limit of billed D1 rows", async ({ skip }) => {
  const { database } = world.context.platform;
  skip(database.onUsage === undefined, "Only D1 reports the rows that it bills.");
  const vod = await world.twitch.control.addVod({
    container: "ts",
    segmentCount: PARTS,
    segmentSizeBytes: PART_BYTES,
  });
  let rowsWritten = 0;
  database.onUsage?.((usage) => {
    rowsWritten += usage.rowsWritten;
  });
  const startedMs = performance.now();
  const upload = await world.archiveToEnd(await world.addUpload(vod.id));
  const renewals = (performance.now() - startedMs) / RENEWED_EVERY_MS;
  expect(upload.status).toBe("completed");
  expect(rowsWritten).toBeGreaterThan(0);
  expect(rowsWritten).toBeLessThanOrEqual(MAX_ROWS_WRITTEN + renewals);
});
