import { afterAll, expect, it } from "vitest";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import type { Fault } from "#stand-ins/twitch/faults/fault.ts";

/** Faults of connections, over real ones; bench/source-cases/ has those of answers. */

const world = await openArchiveWorld();
afterAll(() => world.close());

it.each<[string, Fault, number]>([
  ["a wrong length", { type: "lengthMismatch" }, 2],
  ["a short body", { type: "truncate", afterBytes: 100_000 }, 2],
  ["a stall midway", { type: "stall", afterBytes: 1_000 }, 1],
  ["a very slow body", { type: "slow", bytesPerSecond: 50 }, 1],
  ["a reset midway", { type: "resetMidBody" }, 2],
  ["a body that never ends", { type: "endless" }, 1],
  ["an encoded body", { type: "gzipBomb" }, 1],
])("a segment is fetched again after %s", async (_, fault, times) => {
  const custom = { segmentCount: 5, segmentSizeBytes: 700_000 };
  const { vodId, uploadId } = await world.addVod(custom, { segment: 2, fault, times });
  const upload = await world.archiveToEnd(uploadId);
  expect([upload.status, upload.errorMessage]).toEqual(["completed", null]);
  expect(await world.holdsVod(upload, vodId)).toBe(true);
});
