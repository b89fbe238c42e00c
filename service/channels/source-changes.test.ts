import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  openPollingWorld,
  SECOND_MS,
} from "#service/testing/polling-world.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { checkVods } from "./source-changes.ts";

const world = await openPollingWorld();
const { clock, column, control, database, listAgain, pass, polling, requestsFor } = world;
afterAll(() => world.close());

let channel: Awaited<ReturnType<typeof world.reset>>;
beforeEach(async () => {
  channel = await world.reset();
});

const gone = () => column("vods", "gone_at IS NOT NULL");

describe("a VOD is gone", () => {
  it("after three lists, and if both interfaces say so twice, a minute apart", async () => {
    const { id } = await control.addVod({ ownerId: channel });
    await listAgain();
    await control.deleteVod(id);
    for (let list = 1; list <= 3; list += 1) {
      await checkVods(polling);
      expect(await column("vods", "missing_lists")).toEqual([list - 1]);
      await listAgain();
    }
    await checkVods(polling);
    clock.advance(30 * SECOND_MS);
    await checkVods(polling);
    expect(await gone()).toEqual([0]);
    clock.advance(MINUTE_MS);
    await checkVods(polling);
    expect(await gone()).toEqual([1]);
  });

  it("within the hour, by the tasks alone", async () => {
    const { id } = await control.addVod({ ownerId: channel });
    await pass(MINUTE_MS);
    await control.deleteVod(id);
    clock.advance(DAY_MS);
    await pass(30 * MINUTE_MS);
    expect(await gone()).toEqual([1]);
  });

  it("not while one interface has it or does not answer, and no more once it is listed", async () => {
    const { id } = await control.addVod({ ownerId: channel });
    await listAgain();
    const listThrice = async () => {
      for (let list = 0; list < 3; list += 1) await listAgain();
      for (let check = 0; check < 3; check += 1) {
        await checkVods(polling);
        clock.advance(11 * MINUTE_MS);
      }
    };
    await control.claim(id, "helix", { isMissing: true });
    await listThrice();
    expect(await gone()).toEqual([0]);
    clock.advance(DAY_MS);
    await control.hide(id);
    await control.addFault({
      match: { kind: "gql" },
      fault: { type: "status", status: 500 },
      times: "forever",
    });
    await listThrice();
    expect(await gone()).toEqual([0]);
    await control.clearFaults();
    await listThrice();
    expect(await gone()).toEqual([1]);
    await control.claim(id, "helix");
    await listAgain();
    expect(await gone()).toEqual([0]);
  });
});

/** A stored VOD of 200 s, of which the copy has this, and whose channel nobody follows. */
async function store(durationSec: number): Promise<string> {
  const { id } = await control.addVod({ ownerId: channel, segmentCount: 20 });
  await seedUpload(database, { id: `of-${id}`, ownerId: channel, vodId: id, status: "processing" });
  await database.batch([
    sql`DELETE FROM channels`,
    sql`UPDATE uploads SET status = 'completed', duration_sec = ${durationSec},
      muted_ranges = '[{"startSec":0,"endSec":10}]'`,
    sql`INSERT INTO files (object_key, vod_id, size_bytes, upload_type, status, content_type,
      last_modified_at) VALUES ('vods/1.ts', ${id}, 1, 'twitch', 'complete', 'video/mp2t', 0)`,
  ]);
  return id;
}

const CHANGES = `iif(cut_at, 'cut ', '') || iif(muted_at, 'muted ', '') || iif(gone_at, 'gone', '')`;

describe("a stored VOD, whose channel nobody follows,", () => {
  it.each<[string, string, number, (id: string) => Promise<unknown>]>([
    ["is as it was", "", 200, (id) => control.mute(id, [0])],
    ["is muted", "muted ", 200, (id) => control.mute(id, [0, 12, 13])],
    ["is cut", "cut ", 211, async () => undefined],
    ["is gone", "gone", 200, (id) => control.deleteVod(id)],
  ])("%s if two answers say so", async (_what, expected, durationSec, change) => {
    await change(await store(durationSec));
    await checkVods(polling);
    expect(await column("vods", CHANGES)).toEqual([""]);
    clock.advance(11 * MINUTE_MS);
    await checkVods(polling);
    expect(await column("vods", CHANGES)).toEqual([expected]);
  });

  it("is asked for once a day", async () => {
    await store(200);
    const before = await requestsFor("/videos");
    await pass(HOUR_MS);
    expect((await requestsFor("/videos")) - before).toBe(1);
  });
});
