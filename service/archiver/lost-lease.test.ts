import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { Archiver } from "#service/archiver/archiver.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { createLeaseThief, type LeaseThief, type Theft } from "#service/testing/lease-thief.ts";

let thief: LeaseThief | undefined;
const world = await openArchiveWorld({
  clockFactor: 20,
  changePlatform(platform) {
    thief = createLeaseThief(platform.database);
    return { ...platform, database: thief.database };
  },
});
afterAll(() => world.close());

const SMALL = { segmentCount: 3, segmentSizeBytes: 100_000 };

async function segmentsAre(status: number, segment?: number): Promise<string> {
  const { uploadId } = await world.addVod(SMALL, {
    ...(segment === undefined ? {} : { segment }),
    fault: { type: "status", status },
    times: "forever",
  });
  return uploadId;
}

/** Three segments to two parts. */
const IN_PARTS = { segmentCount: 3, segmentSizeBytes: 6_000_000 };
const GROWING = { segmentSizeBytes: 100_000, growing: { initialSegments: 2 } };

const { database, clock } = world.context.platform;
const { control } = world.twitch;

/** Hands each archive over at its next checkpoint. */
const handingOver = world.newArchiver((platform) => ({
  ...platform,
  runtime: { ...platform.runtime, sliceMs: 0 },
}));

/** Ways of an archive to its end. */
const ARCHIVES = {
  "that completes": async () => (await world.addVod(SMALL)).uploadId,
  "that keeps a partial file": () => segmentsAre(404, 1),
  async "that keeps nothing"() {
    const { vodId, uploadId } = await world.addVod(SMALL);
    await world.twitch.control.addFault({
      match: { kind: "playlist", vodId },
      fault: { type: "replace", pattern: "^#EXTINF", replacement: "#EXT-X-GAP\n#EXTINF" },
      times: "forever",
    });
    return uploadId;
  },
  "that waits for the source": () => segmentsAre(503),
  "that has lost its plan and starts over": async () => {
    const { uploadId } = await world.addVod(SMALL);
    await world.context.platform.database.run(sql`
      UPDATE uploads SET manifest_key = 'vods/none.manifest.json', status = 'processing'
      WHERE id = ${uploadId}`);
    return uploadId;
  },
};

/** Continues an archive that waits, e.g. for another look at its end. */
async function runUntilTheft(uploadId: string): Promise<Theft | undefined> {
  for (;;) {
    await world.archiver.consume({ uploadId });
    const { status, failureClass, nextAttemptAt } = await world.upload(uploadId);
    const hasEnded = status !== "processing" || failureClass !== null;
    if (hasEnded || thief?.theft() !== undefined) return thief?.theft();
    await clock.sleep(Math.max(1, Date.parse(nextAttemptAt ?? "1970") - clock.now() + 1));
  }
}

it.each(Object.entries(ARCHIVES))(
  "whichever write of an archive %s finds its lease lost, it changes no row",
  async (_, prepare) => {
    let thefts = 0;
    for (;;) {
      const uploadId = await prepare();
      thief?.arm(uploadId);
      const theft = await runUntilTheft(uploadId);
      if (theft === undefined) break;
      thefts += 1;
      expect({ write: theft.write, rows: theft.after }).toEqual({
        write: theft.write,
        rows: theft.before,
      });
    }
    expect(thefts).toBeGreaterThan(0);
  },
);

/** Writes that no way above makes, with an archive that is about to make them. */
const WRITES: readonly (readonly [string, RegExp, () => Promise<string>])[] = [
  [
    "a step back by some parts",
    /DELETE FROM upload_parts/,
    async () => {
      // The last part would end where its segment does.
      const stall = { segment: 2, fault: { type: "stall" } } as const;
      const { uploadId } = await world.addVod(IN_PARTS, stall);
      await handingOver.consume({ uploadId });
      await database.run(sql`UPDATE upload_parts SET end_overlap_sha256 = 'another'
        WHERE upload_id = ${uploadId}`);
      return uploadId;
    },
  ],
  [
    "an absence",
    /absent_since_at = \?/,
    async () => {
      const { vodId, uploadId } = await world.addVod(SMALL);
      await control.deleteVod(vodId);
      return uploadId;
    },
  ],
  [
    "a presence",
    /absent_since_at = NULL/,
    async () => {
      const { vodId, uploadId } = await world.addVod(SMALL);
      await control.claim(vodId, "webApi", { isMissing: true });
      await database.run(sql`UPDATE uploads SET absent_since_at = ${clock.now() - 1}
        WHERE id = ${uploadId}`);
      return uploadId;
    },
  ],
  [
    "the beginning of a part",
    /INTO incomplete_parts/,
    async () => (await world.addVod(GROWING)).uploadId,
  ],
  [
    "the loss of that beginning",
    /DELETE FROM incomplete_parts/,
    async () => {
      const { uploadId } = await world.addVod(GROWING);
      await world.archiver.consume({ uploadId });
      await database.batch([
        sql`UPDATE incomplete_parts SET object_key = object_key || '0'
          WHERE upload_id = ${uploadId}`,
        sql`UPDATE uploads SET next_attempt_at = 0 WHERE id = ${uploadId}`,
      ]);
      return uploadId;
    },
  ],
];

async function rob(which: RegExp, uploadId: string, archiver: Archiver) {
  thief?.arm(uploadId, which);
  await archiver.consume({ uploadId });
  return thief?.theft();
}

it.each(WRITES)("%s is not recorded without the lease", async (_, which, prepare) => {
  const theft = await rob(which, await prepare(), world.archiver);
  expect(theft?.write).toMatch(which);
  expect(theft?.after).toBe(theft?.before);
});

it("a handover is not recorded without the lease", async () => {
  const { uploadId } = await world.addVod(IN_PARTS);
  const which = /SET lease_owner = NULL, lease_until = NULL, lost_starts = 0/;
  const theft = await rob(which, uploadId, handingOver);
  expect(theft?.write).toMatch(which);
  expect(theft?.after).toBe(theft?.before);
});
