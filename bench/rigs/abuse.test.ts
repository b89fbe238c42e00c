import { expect, test } from "vitest";
import { flood } from "./abuse-flood.ts";
import { fullDisk } from "./abuse-full-disk.ts";

test.each([
  ["refused requests from anywhere hardly grow the database", flood, 3_000],
  ["a full disk can be emptied, and the archive on it goes on", fullDisk, 1],
])(
  "%s",
  async (_promise, scenario, requests) => {
    const { faults } = await scenario({ requests, report: () => undefined });
    expect(faults).toEqual([]);
  },
  600_000,
);
