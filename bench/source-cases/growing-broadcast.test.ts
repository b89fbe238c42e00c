import { expect, test } from "vitest";
import { sql } from "#service/db/sql.ts";
import { MINUTE_MS, openSourceCases } from "./source-case.ts";

const world = await openSourceCases();

const MINUTES = 2 * 60;
const SEGMENTS_A_MINUTE = 6;

/** What following a broadcast of a whole day may cost the source. */
const MOST_WEB_API_REQUESTS = 100;
const MOST_BYTES_PER_STORED_BYTE = 1.1;

test("a broadcast of hours is followed with few requests, and its bytes are fetched once", async () => {
  const { control } = world;
  const { vodId, uploadId } = await world.addVod({
    segmentSizeBytes: 100_000,
    growing: { initialSegments: SEGMENTS_A_MINUTE },
  });
  for (let minute = 1; minute < MINUTES; minute += 1) {
    await world.archiver.consume({ uploadId });
    await control.grow(vodId, SEGMENTS_A_MINUTE);
    await world.context.platform.clock.sleep(MINUTE_MS);
  }
  await control.end(vodId);
  const upload = await world.archiveToEnd(uploadId);
  expect(upload.status).toBe("completed");
  expect(await world.holdsVod(upload, vodId)).toBe(true);

  const requestsOf = async (kind: "helix" | "gql" | "master" | "playlist" | "segment") =>
    (await control.requests({ kind })).length;
  expect((await requestsOf("helix")) + (await requestsOf("gql"))).toBeLessThan(
    MOST_WEB_API_REQUESTS,
  );
  expect(await requestsOf("master")).toBeLessThan(10);
  expect(await requestsOf("playlist")).toBeLessThan(MINUTES * 1.1);
  // All segments are of one size.
  expect(await requestsOf("segment")).toBeLessThan(
    MINUTES * SEGMENTS_A_MINUTE * MOST_BYTES_PER_STORED_BYTE,
  );
  const [left] = await world.context.platform.database.all(
    sql`SELECT count(*) AS pieces FROM incomplete_parts`,
  );
  expect(left?.pieces).toBe(0);
});
