import { afterEach, expect, it } from "vitest";
import { SLICE } from "#hosts/cloudflare/slice.ts";
import type { Database } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { gaugeConnections, type ConnectionGauge } from "./connection-gauge.ts";

/** Tests the engine within the limits of `hosts/cloudflare/slice.ts`. */

/** developers.cloudflare.com/workers/platform/limits#simultaneous-open-connections */
const MAX_CONNECTIONS = 6;

const MAX_WRITES_PER_SEGMENT = 0.2;

let world: ArchiveWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

type Watched = { readonly gauge: ConnectionGauge | null; readonly writes: () => number };

async function openSlices(clockFactor: number): Promise<{ world: ArchiveWorld } & Watched> {
  let gauge: ConnectionGauge | null = null;
  let writes = 0;
  world = await openArchiveWorld({
    clockFactor,
    changePlatform(platform) {
      gauge = gaugeConnections(asSlice(platform));
      const { database } = gauge.platform;
      return { ...gauge.platform, database: countCopyWrites(database, () => (writes += 1)) };
    },
  });
  return { world, gauge, writes: () => writes };
}

function asSlice(platform: Platform): Platform {
  const runtime = { ...platform.runtime, ...SLICE, archiveConcurrency: 1, isSoleWriter: false };
  return { ...platform, runtime };
}

const COPY_WRITE = /^\s*UPDATE uploads SET (?:stored_bytes|phase|stalled_at)/;

/** Counts writes while bytes are copied: checkpoints, and the displayed state. */
function countCopyWrites(database: Database, onWrite: () => void): Database {
  return {
    ...database,
    async batch(statements) {
      if (statements.some((statement) => COPY_WRITE.test(statement.sql))) onWrite();
      return await database.batch(statements);
    },
  };
}

it("an archive uses at most six connections and one D1 write per five segments", async () => {
  const segments = 40;
  // Slowed down, so that the state is written as rarely as in a copy at 25 MB/s, Twitch's speed, even
  // on a busy machine.
  const { world: opened, gauge, writes } = await openSlices(0.02);
  const vod = await opened.twitch.control.addVod({
    segmentCount: segments,
    segmentSizeBytes: 5_000_000,
  });
  const upload = await opened.archiveToEnd(await opened.addUpload(vod.id));
  expect(upload.status).toBe("completed");
  expect(gauge?.most()).toBeGreaterThan(2);
  expect(gauge?.most()).toBeLessThanOrEqual(MAX_CONNECTIONS);
  expect(writes()).toBeGreaterThan(1);
  expect(writes() / segments).toBeLessThanOrEqual(MAX_WRITES_PER_SEGMENT);
});

it.each<[string, number | null]>([
  ["flows", null],
  ["falls silent", 5],
])("a slice ends between 45 and 90 s while its source %s", async (_how, silentSegment) => {
  // Slow enough that storing what was fetched takes a small share of these times on a busy machine.
  const { world: opened } = await openSlices(10);
  const { clock } = opened.context.platform;
  const vod = await opened.twitch.control.addVod({
    segmentCount: 30,
    segmentSizeBytes: 3_000_000,
    paceBytesPerSecond: 5_000_000,
  });
  if (silentSegment !== null)
    await opened.twitch.control.addFault({
      match: { kind: "segment", vodId: vod.id, segmentIndex: silentSegment },
      fault: { type: "stall" },
      times: "forever",
    });
  const uploadId = await opened.addUpload(vod.id);
  const startedMs = clock.monotonic();
  await opened.archiver.consume({ uploadId });
  const tookMs = clock.monotonic() - startedMs;
  expect(await opened.upload(uploadId)).toMatchObject({ status: "processing" });
  expect(tookMs).toBeGreaterThan(45_000);
  expect(tookMs).toBeLessThan(90_000);
});
