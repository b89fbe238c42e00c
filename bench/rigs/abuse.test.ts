import { expect, test } from "vitest";
import { flood } from "./abuse-flood.ts";
import { fullDisk } from "./abuse-full-disk.ts";

test.each([
  ["rejected requests hardly grow the database", flood, 3_000],
  ["an archive continues once a full disk has free space again", fullDisk, 1],
])(
  "%s",
  async (_promise, scenario, requests) => {
    const { faults } = await scenario({ requests, report: () => undefined });
    expect(faults).toEqual([]);
  },
  600_000,
);
