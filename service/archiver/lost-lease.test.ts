import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { createLeaseThief, type LeaseThief, type Theft } from "#service/testing/lease-thief.ts";

let thief: LeaseThief | undefined;
const world = await openArchiveWorld({
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
  const { clock } = world.context.platform;
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
