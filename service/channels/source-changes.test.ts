import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import {
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  openPollingWorld,
  SECOND_MS,
} from "#service/testing/polling-world.ts";
import type { Statement } from "#service/ports/database.ts";
import { checkStoredVod } from "#service/storage/upload-vod.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const world = await openPollingWorld();
const { checkVods, clock, column, control, database, listAgain, pass, requestsFor } = world;
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
      await checkVods();
      expect(await column("vods", "missing_lists")).toEqual([list - 1]);
      await listAgain();
    }
    await checkVods();
    clock.advance(30 * SECOND_MS);
    await checkVods();
    expect(await gone()).toEqual([0]);
    clock.advance(MINUTE_MS);
    await checkVods();
    expect(await gone()).toEqual([1]);
  });

  it("not by three lists with one between them that has it", async () => {
    const { id } = await control.addVod({ ownerId: channel });
    await listAgain();
    await control.hide(id);
    for (let list = 0; list < 2; list += 1) await listAgain();
    await show(id);
    await listAgain();
    await control.hide(id);
    await listAgain();
    expect(await column("vods", "missing_lists")).toEqual([1]);
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
        await checkVods();
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
    // The absence of before counts no more.
    await control.hide(id);
    for (let list = 0; list < 3; list += 1) await listAgain();
    await checkVods();
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
    ...checkStoredVod(`of-${id}`),
  ]);
  return id;
}

const CHANGES = `iif(cut_at, 'cut ', '') || iif(muted_at, 'muted ', '') || iif(gone_at, 'gone ', '')
  || iif(longer_at, 'longer ', '')`;
const changes = async () => (await column("vods", CHANGES))[0];

const unmute = () =>
  control.addFault({
    match: { kind: "helix" },
    fault: {
      type: "replace",
      pattern: '"muted_segments":\\[.*?\\]',
      replacement: '"muted_segments":null',
    },
    times: "forever",
  });

const lasts = (durationSec: number) => (id: string) => control.claim(id, "helix", { durationSec });

async function show(id: string): Promise<void> {
  for (const part of ["helix", "webApi", "usher"] as const) await control.claim(id, part);
}

describe("a stored VOD, whose channel nobody follows,", () => {
  it("is not gone by two wrong moments with a right one between them", async () => {
    const id = await store(200);
    for (const change of [control.hide, show, control.hide]) {
      await change(id);
      await checkVods();
      clock.advance(2 * DAY_MS);
    }
    expect(await gone()).toEqual([0]);
    await checkVods();
    expect(await gone()).toEqual([1]);
  });

  type Change = (id: string) => Promise<unknown>;
  it.each<[string, string, number, Change, Change]>([
    ["is as it was", "", 200, (id) => control.mute(id, [0]), unmute],
    ["is muted", "muted ", 200, (id) => control.mute(id, [0, 12, 13]), unmute],
    ["is cut", "cut ", 211, lasts(200), lasts(211)],
    ["is longer", "longer ", 200, lasts(211), lasts(200)],
    ["is gone", "gone ", 200, (id) => control.hide(id), show],
    [
      "is cut and muted",
      "cut muted ",
      211,
      (id) => control.mute(id, [12]),
      (id) => lasts(211)(id).then(unmute),
    ],
  ])(
    "%s if two answers say so, until two say that it is not",
    async (_what, expected, durationSec, change, undo) => {
      const id = await store(durationSec);
      await change(id);
      for (const seen of ["", expected, expected]) {
        await checkVods();
        expect(await changes()).toEqual(seen);
        clock.advance(11 * MINUTE_MS);
      }
      await undo(id);
      clock.advance(DAY_MS);
      for (const seen of [expected, "", ""]) {
        await checkVods();
        expect(await changes()).toEqual(seen);
        clock.advance(11 * MINUTE_MS);
      }
    },
  );

  it("is not what two answers say that differ", async () => {
    const id = await store(200);
    await control.mute(id, [12]);
    await checkVods();
    // The second answer counts only minutes after the first.
    clock.advance(2 * MINUTE_MS);
    await checkVods();
    expect(await changes()).toEqual("");
    clock.advance(9 * MINUTE_MS);
    await lasts(150)(id).then(unmute);
    await checkVods();
    expect(await changes()).toEqual("");
    clock.advance(11 * MINUTE_MS);
    await checkVods();
    expect(await changes()).toEqual("cut ");
  });

  it("is not longer than what its source stated when it was stored", async () => {
    const id = await store(150);
    await database.run(sql`UPDATE uploads SET stated_duration_sec = 200`);
    await lasts(205)(id);
    for (let check = 0; check < 3; check += 1) {
      await checkVods();
      clock.advance(11 * MINUTE_MS);
    }
    expect(await changes()).toEqual("");
  });

  it("is asked for rarer and rarer while it is gone", async () => {
    await control.hide(await store(200));
    await pass(20 * MINUTE_MS);
    expect(await changes()).toEqual("gone ");
    const before = await requestsFor("/videos");
    const asked: number[] = [];
    for (let day = 1; day <= 50; day += 1) {
      clock.advance(DAY_MS);
      await checkVods();
      if ((await requestsFor("/videos")) > before + asked.length) asked.push(day);
    }
    const [first = 0, second = 0, third = 0, ...later] = asked;
    expect([first, later]).toEqual([1, []]);
    expect(second - first).toBeGreaterThanOrEqual(6);
    expect(third - second).toBeGreaterThanOrEqual(27);
  });

  const followedByRule = sql`UPDATE uploads SET by_rule = 1`;
  const taken = sql`UPDATE vods SET decision = 'take'`;
  const followed = sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
    SELECT owner_id, 0, ${ADMIN}, ${ADMIN} FROM uploads LIMIT 1`;
  const confirmed = sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
    SELECT owner_id, ${ADMIN}, 'Mine', 0 FROM uploads LIMIT 1`;
  it.each<[string, readonly Statement[], number]>([
    ["a person's", [], 1],
    ["of a person who was banned", [sql`UPDATE users SET banned_at = 1 WHERE id = ${ADMIN}`], 0],
    [
      "of an owner who withdrew consent since",
      [
        sql`INSERT INTO consents
      (owner_id, text_version, agreed_at, withdrawn_at) SELECT owner_id, 1, 0, created_at + 1 FROM uploads`,
      ],
      0,
    ],
    ["in the trash", [sql`UPDATE files SET trashed_at = 1, trash_until = 2`], 0],
    ["of a rule", [followedByRule, taken, followed, confirmed], 1],
    ["of a rule without a basis", [followedByRule, taken, followed], 0],
    ["of a rule that is gone", [followedByRule, taken, confirmed], 0],
  ])("is archived again once when it is longer: %s", async (_what, statements, times) => {
    await database.batch([
      sql`DELETE FROM consents`,
      sql`DELETE FROM rights_confirmations`,
      sql`UPDATE users SET permissions = '["write:uploads"]', banned_at = NULL WHERE id = ${ADMIN}`,
    ]);
    await store(150);
    await database.batch([sql`UPDATE uploads SET initiated_by = ${ADMIN}`, ...statements]);
    for (let check = 0; check < 4; check += 1) {
      await checkVods();
      clock.advance(DAY_MS);
    }
    const rows = await database.all(sql`SELECT vod_id = (SELECT vod_id FROM vods) AS isSame,
      duration_sec, status, initiated_by FROM uploads WHERE status <> 'completed'`);
    const again = { isSame: 1, duration_sec: 200, status: "pending", initiated_by: ADMIN };
    expect(rows).toEqual(Array.from({ length: times }, () => again));
  });

  it("is asked for once a day", async () => {
    await store(200);
    const before = await requestsFor("/videos");
    await pass(HOUR_MS);
    expect((await requestsFor("/videos")) - before).toBe(1);
  });
});
