import { afterAll, beforeEach, expect, test } from "vitest";
import * as calls from "#contract/channels.ts";
import * as consents from "#contract/consent.ts";
import * as users from "#contract/users.ts";
import { createArchiver } from "#service/archiver/archiver.ts";
import { sql } from "#service/db/sql.ts";
import type { Row } from "#service/ports/database.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { createTwitchSource } from "#service/twitch/twitch-source.ts";
import { fillPlaces, startByRules } from "./start.ts";

const AUTHOR = "1002";
const BACKLOG = 5;
/** What was asked for when the action took effect. */
const IN_FLIGHT = 6;

const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    runtime: { ...platform.runtime, archivePlaces: 1, archiveConcurrency: 1 },
  }),
});
const { context, twitch } = vodkeep;
const { database } = vodkeep.platform;
const archiver = createArchiver(context, { twitch: createTwitchSource(context) }, undefined, () =>
  fillPlaces(context),
);
const admin = await vodkeep.signIn(ADMIN);
const owner = await vodkeep.signIn(STREAMER);
const author = await vodkeep.signInWith(AUTHOR, ["read:uploads", "write:uploads"]);
afterAll(async () => {
  await archiver.drain();
  await vodkeep.close();
});
beforeEach(() =>
  database.batch([
    ...["uploads", "files", "vods", "channels", "consents", "rights_confirmations"].map(
      (table) => sql`DELETE FROM ${{ sql: table, values: [] }}`,
    ),
    sql`UPDATE deployment SET default_rule = '{}', rules_paused_at = NULL`,
    sql`UPDATE users SET banned_at = NULL WHERE id = ${AUTHOR}`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id, changes)
      VALUES (${STREAMER}, 1, ${AUTHOR}, ${AUTHOR}, '{"backDays":null,"chat":false}')`,
    sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
      VALUES (${STREAMER}, ${AUTHOR}, 'We signed a contract.', 1)`,
  ]),
);

const paused = { body: { paused: true } };
const ofChannel = (call: { readonly path: string }) => addressOf(call, { id: STREAMER });

const times = (count: number, row: readonly unknown[]) => Array.from({ length: count }, () => row);

/** What is left when a rule does not take the VODs any more. */
const LEFT_OUT = [[], times(BACKLOG, ["left_out", null])];
const NOT_FOLLOWED = [[], []];
/** Two uploads were handed over, and all VODs say what they wait for. */
const wanted = (reason: string) => [
  times(2, ["pending", null, reason]),
  times(BACKLOG, ["wanted", reason]),
];
const NO_BASIS = "PixelPilot has not agreed to archiving, and nobody has confirmed the rights.";

const ACTIONS: Readonly<
  Record<string, { readonly act: () => Promise<unknown>; readonly left: readonly unknown[] }>
> = {
  "its rule is paused": {
    act: () => admin.expect(calls.updateChannel, ofChannel(calls.updateChannel), paused),
    left: wanted("The rule of this channel is paused."),
  },
  "all rules are paused": {
    act: () => admin.expect(calls.updateChannelDefaults, undefined, paused),
    left: wanted("All rules are paused."),
  },
  "the author revokes the confirmation": {
    act: () =>
      author.expect(
        consents.revokeConfirmation,
        addressOf(consents.revokeConfirmation, { channelId: STREAMER }),
      ),
    left: wanted(NO_BASIS),
  },
  "the owner withdraws, though it rests on an earlier word": {
    act: async () => {
      await database.run(sql`INSERT INTO consents (owner_id, text_version, agreed_at)
        VALUES (${STREAMER}, ${consents.CONSENT_TEXT_VERSION}, 1)`);
      await owner.expect(consents.withdraw);
    },
    left: wanted(NO_BASIS),
  },
  "the channel is removed": {
    act: () => admin.expect(calls.removeChannel, ofChannel(calls.removeChannel)),
    left: NOT_FOLLOWED,
  },
  "the rule is set back": {
    act: () =>
      author.expect(calls.updateChannel, ofChannel(calls.updateChannel), {
        body: { changes: { backDays: null, titleIncludes: ["something else"] } },
      }),
    left: LEFT_OUT,
  },
  "the author is banned": {
    act: () =>
      admin.expect(users.banUser, addressOf(users.banUser, { id: AUTHOR }), {
        body: { reason: "A test." },
      }),
    left: wanted(
      "The author of the rule may no longer start archives. Someone who may has to save it.",
    ),
  },
};

/** A backlog of wanted VODs that the stand-in sends slowly; the first is being copied. */
async function copyFirstOfBacklog() {
  const vodIds: string[] = [];
  for (let count = 0; count < BACKLOG; count += 1) {
    const { id } = await twitch.control.addVod({
      ownerId: STREAMER,
      segmentCount: 150,
      segmentSizeBytes: 18_800,
    });
    vodIds.push(id);
  }
  const nowMs = vodkeep.clock.now();
  await database.batch(
    vodIds.map(
      (id) => sql`INSERT INTO vods (vod_id, owner_id, kind, title, duration_sec, recorded_at,
          first_seen_at, last_seen_at, decision, next_start_at)
        VALUES (${id}, ${STREAMER}, 'archive', ${id}, 1500, ${nowMs}, ${nowMs}, ${nowMs}, 'take', 0)`,
    ),
  );
  await twitch.control.resetLedger();
  // However late the action comes, it finds the copy going on.
  const last = { kind: "segment", segmentIndex: 149 } as const;
  await twitch.control.addFault({ match: last, fault: { type: "stall" }, times: "forever" });
  const slow = { type: "delay", ms: 200 } as const;
  await twitch.control.addFault({ match: { kind: "segment" }, fault: slow, times: "forever" });
  await startByRules(context);
  const [first] = await database.all(sql`SELECT id FROM uploads ORDER BY seq LIMIT 1`);
  const ended = archiver.consume({ uploadId: String(first?.["id"]) });
  await expect.poll(requestedSegments).toBeGreaterThan(10);
  return { ended };
}

async function requestedSegments(): Promise<number> {
  return (await twitch.control.requests({ kind: "segment" })).length;
}

const valuesOf = (rows: readonly Row[]) => rows.map((row) => Object.values(row));

test.for(Object.entries(ACTIONS))("no segment is asked for once %s", async ([, { act, left }]) => {
  const { ended } = await copyFirstOfBacklog();
  const uploads = sql`SELECT status, lease_owner, error_message FROM uploads`;
  expect(await database.all(uploads)).toMatchObject([
    { status: "processing" },
    { status: "pending" },
  ]);
  await act();
  const before = await requestedSegments();
  await ended;
  for (let round = 0; round < 3; round += 1) {
    await startByRules(context);
    const open = await database.all(sql`SELECT id FROM uploads`);
    for (const { id } of open) await archiver.consume({ uploadId: String(id) });
  }
  expect((await requestedSegments()) - before).toBeLessThanOrEqual(IN_FLIGHT);
  const vods = await database.all(sql`SELECT state, waits_for FROM vod_states`);
  expect([valuesOf(await database.all(uploads)), valuesOf(vods)]).toEqual(left);
});
