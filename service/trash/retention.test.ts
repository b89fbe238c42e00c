import * as fc from "fast-check";
import { afterAll, beforeEach, expect, test } from "vitest";
import { host } from "#host-under-test";
import type { Retention } from "#contract/channel-rules.ts";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { restoreFiles, trashFiles } from "#contract/trash.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { runRetention } from "./retention-run.ts";
import { simulate } from "./simulation.ts";

const vodkeep = await startTestService();
const { database } = vodkeep.platform;
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GB = 1_000_000_000;
const START_MS = Date.UTC(2026, 10, 1);

/** Two channels with a rule of their own, or the default one, and one that nobody follows. */
const CHANNELS = ["7001", "7002", "7003"].map((id) => twitchUserIdSchema.parse(id));
const AUTHORS = ["8001", "8002"];

let nowMs = START_MS;
let archived = 0;
const context = {
  ...vodkeep.context,
  platform: { ...vodkeep.platform, clock: { ...vodkeep.clock, now: () => nowMs } },
};

beforeEach(reset);

async function reset() {
  nowMs = START_MS;
  await database.batch([
    ...["files", "scan_findings", "uploads", "vods", "channels", "system_history"].map((table) => ({
      sql: `DELETE FROM ${table}`,
      values: [],
    })),
    sql`UPDATE deployment SET default_rule = '{}', default_rule_author_id = NULL, rules_paused_at = NULL`,
    sql`UPDATE deployment SET scan_ended_at = ${nowMs}`,
    ...[...CHANNELS, ...AUTHORS].map(
      (id) => sql`INSERT OR REPLACE INTO users
      (id, login, display_name, created_at, permissions)
      VALUES (${id}, ${id}, ${id}, 0, ${JSON.stringify(PERMISSIONS)})`,
    ),
    ...CHANNELS.slice(0, 2).map((id) => follow(id)),
  ]);
}

/** The service ran for so long. */
async function ranFor(hours: number) {
  await database.run(sql`
    WITH RECURSIVE hours AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM hours WHERE n < ${hours})
    INSERT INTO system_history (kind, at) SELECT 'hour', ${nowMs} + n * ${HOUR_MS} FROM hours WHERE ${hours} > 0`);
  nowMs += hours * HOUR_MS;
}

function follow(id: string) {
  return sql`INSERT OR REPLACE INTO channels (owner_id, added_at, added_by, author_id)
    VALUES (${id}, 0, ${AUTHORS[0] ?? ""}, ${AUTHORS[0] ?? ""})`;
}

/** A file as the history left it; `fault` is why no rule may remove it. */
type Copy = {
  readonly key: string;
  /** Several copies may be of one. */
  readonly vodId: string;
  readonly channel: number;
  readonly sizeBytes: number;
  readonly recordedAtMs: number;
  fault: keyof typeof FAULTS | "missing";
  trashUntilMs: number | null;
};

const FAULTS = {
  none: sql`status = 'complete', metadata = '{}', locked_at = NULL`,
  locked: sql`locked_at = 1, trashed_at = NULL, trash_until = NULL`,
  damaged: sql`status = 'partial', metadata = '{"problem":"x"}'`,
  partial: sql`status = 'partial'`,
  orphaned: sql`status = 'orphaned'`,
} as const;

/** A state as the history left it. Rule 2 is the default, which channels without their own have. */
type World = {
  copies: Copy[];
  readonly takenByHand: Set<string>;
  readonly rules: { retention: Retention | null; author: number; isPaused: boolean }[];
  readonly isFollowed: Set<number>;
  readonly holdsRight: Set<number>;
  isScanned: boolean;
  /** Lists of keys from the last runs, beside those that they should be. */
  readonly found: { readonly is: unknown; readonly due: readonly unknown[] }[];
};
type Step = (world: World) => Promise<void>;

const retention = fc.oneof(
  fc.constant<Retention>({ keep: "all" }),
  fc.integer({ min: 1, max: 40 }).map((days): Retention => ({ keep: "days", days })),
  fc.integer({ min: 1, max: 4 }).map((count): Retention => ({ keep: "count", count })),
  fc
    .integer({ min: 1, max: 6 })
    .map((size): Retention => ({ keep: "bytes", sizeBytes: size * GB })),
);

function pick<Item>(items: readonly Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}

const archive = fc
  .tuple(fc.nat(2), fc.nat(1_500), fc.integer({ min: 1, max: 3 }))
  .map(([channel, ageHours, size]): Step => async (world) => {
    const recordedAtMs = nowMs - ageHours * HOUR_MS - archived;
    await store(world, { vodId: String(archived), channel, recordedAtMs }, size * GB);
  });

const archiveAgain = fc
  .tuple(fc.nat(), fc.integer({ min: 1, max: 3 }))
  .map(([file, size]): Step => async (world) => {
    const copy = pick(world.copies, file);
    if (copy !== undefined) await store(world, copy, size * GB);
  });

async function store(
  { copies }: World,
  { vodId, channel, recordedAtMs }: Pick<Copy, "vodId" | "channel" | "recordedAtMs">,
  sizeBytes: number,
) {
  archived += 1;
  const userId = CHANNELS[channel] ?? null;
  const key = `vods/${userId}/${archived}/x.ts`;
  const file = { key, vodId, sizeBytes, recordedAtMs };
  copies.push({ ...file, channel, fault: "none", trashUntilMs: null });
  await seedFile(vodkeep.platform, { ...file, userId });
}

const takeByHand = fc
  .tuple(fc.nat(), fc.boolean())
  .map(([file, isDecided]): Step => async ({ copies, takenByHand }) => {
    const copy = pick(copies, file);
    if (copy === undefined || takenByHand.has(copy.vodId)) return;
    takenByHand.add(copy.vodId);
    if (!isDecided) await seedUpload(database, { id: `u${copy.key}`, vodId: copy.vodId });
    else
      await database.run(sql`INSERT OR IGNORE INTO vods
        (vod_id, owner_id, kind, title, recorded_at, first_seen_at, last_seen_at, decided_by)
        VALUES (${copy.vodId}, ${CHANNELS[copy.channel] ?? ""}, 'archive', 'x', 0, 0, 0, ${ADMIN})`);
  });

const fault = fc
  .tuple(
    fc.nat(),
    fc.constantFrom<Copy["fault"][]>("none", "locked", "damaged", "partial", "orphaned", "missing"),
  )
  .map(([file, found]): Step => async ({ copies }) => {
    const copy = pick(copies, file);
    if (copy === undefined) return;
    copy.fault = found;
    if (found === "locked") copy.trashUntilMs = null;
    await database.batch([
      sql`DELETE FROM scan_findings WHERE object_key = ${copy.key}`,
      sql`UPDATE files SET ${FAULTS.none} WHERE object_key = ${copy.key}`,
      found === "missing"
        ? sql`INSERT INTO scan_findings VALUES (${copy.key}, 'missing', 1, 0, '')`
        : sql`UPDATE files SET ${FAULTS[found]} WHERE object_key = ${copy.key}`,
    ]);
  });

const restore = fc.nat().map((file): Step => async ({ copies }) => {
  const copy = pick(copies, file);
  if (copy === undefined || copy.trashUntilMs === null) return;
  await admin.expect(restoreFiles, undefined, { body: { keys: [copy.key] } });
  Object.assign(copy, { trashUntilMs: null, fault: "locked" });
  await database.run(
    sql`UPDATE files SET status = 'complete', metadata = '{}' WHERE object_key = ${copy.key}`,
  );
});

const setRule = fc
  .tuple(fc.nat(2), fc.option(retention), fc.nat(1), fc.boolean())
  .map(([index, own, author, isPaused]): Step => async ({ rules }) => {
    rules[index] = { retention: own, author, isPaused };
    const changes = own === null ? "{}" : JSON.stringify({ retention: own });
    const paused = isPaused ? 1 : null;
    await database.run(
      index === 2
        ? sql`UPDATE deployment SET default_rule = ${changes}, default_rule_author_id = ${AUTHORS[author] ?? null}, rules_paused_at = ${paused}`
        : sql`UPDATE channels SET changes = ${changes}, author_id = ${AUTHORS[author] ?? null}, paused_at = ${paused} WHERE owner_id = ${CHANNELS[index] ?? null}`,
    );
  });

const setRight = fc
  .tuple(fc.nat(1), fc.boolean())
  .map(([author, holds]): Step => async ({ holdsRight }) => {
    if (holds) holdsRight.add(author);
    else holdsRight.delete(author);
    const permissions = JSON.stringify(holds ? PERMISSIONS : ["write:uploads"]);
    await database.run(
      sql`UPDATE users SET permissions = ${permissions} WHERE id = ${AUTHORS[author] ?? null}`,
    );
  });

const other: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(1).map((channel) => async ({ isFollowed }: World) => {
    isFollowed.delete(channel);
    await database.run(sql`DELETE FROM channels WHERE owner_id = ${CHANNELS[channel] ?? null}`);
  }),
  fc.boolean().map((isScanned) => async (world: World) => {
    world.isScanned = isScanned;
  }),
);

/** What the rules remove now, by a naive reading of them. */
function removable({
  copies,
  takenByHand,
  rules,
  isFollowed,
  holdsRight,
  isScanned,
}: World): Copy[] {
  const isFree = ({ vodId, fault: found }: Copy) => found === "none" && !takenByHand.has(vodId);
  const counts = (copy: Copy) => isFree(copy) && copy.trashUntilMs === null;
  return CHANNELS.flatMap((_channel, channel) => {
    const own = rules[channel];
    const base = rules[2];
    const by = own !== undefined && own.retention !== null ? own : base;
    const keep = by?.retention ?? { keep: "all" };
    if (!isFollowed.has(channel) || own === undefined || base === undefined || by === undefined)
      return [];
    if (own.isPaused || base.isPaused || !isScanned || !holdsRight.has(by.author)) return [];
    const stored = copies.filter((copy) => copy.channel === channel);
    return stored.filter((copy) => {
      const sizeOf = (vodId: string, counted: (each: Copy) => boolean) =>
        Math.max(
          0,
          ...stored
            .filter((each) => each.vodId === vodId && counted(each))
            .map((each) => each.sizeBytes),
        );
      const newer = stored.filter((each) => counts(each) && each.recordedAtMs > copy.recordedAtMs);
      const vods = [...new Set(newer.map(({ vodId }) => vodId))];
      const ownBytes = sizeOf(copy.vodId, counts) || sizeOf(copy.vodId, () => true);
      const bytes = vods.reduce((sum, vodId) => sum + sizeOf(vodId, counts), ownBytes);
      if (!isFree(copy)) return false;
      if (keep.keep === "days") return copy.recordedAtMs < nowMs - keep.days * DAY_MS;
      if (keep.keep === "count") return vods.length >= keep.count;
      return keep.keep === "bytes" && vods.length > 0 && bytes > keep.sizeBytes;
    });
  });
}

function sorted(copies: readonly Copy[]): readonly string[] {
  return copies.map(({ key }) => key).toSorted();
}

async function keysOf(where: ReturnType<typeof sql>) {
  const rows = await database.all(
    sql`SELECT object_key FROM files WHERE ${where} ORDER BY object_key`,
  );
  return rows.map(({ object_key: key }) => key);
}

/** The keys that simulations of all saved retentions list. */
async function simulated({ rules, isFollowed }: World) {
  const listed: string[] = [];
  for (const [index, { retention: own, author }] of rules.entries()) {
    if (own === null || (index !== 2 && !isFollowed.has(index))) continue;
    const channelId = CHANNELS[index];
    const scope = index === 2 || channelId === undefined ? {} : { channelId };
    const { removed } = await simulate(
      context,
      { retention: own, ...scope },
      AUTHORS[author] ?? "",
    );
    listed.push(...removed.map(({ key }) => key));
  }
  return listed.sort();
}

const run = fc.nat(9).map((days): Step => async (world) => {
  await ranFor(days * 24);
  await database.run(
    sql`UPDATE deployment SET scan_ended_at = ${world.isScanned ? nowMs : nowMs - 4 * HOUR_MS}`,
  );
  const inTrash = await keysOf(sql`trash_until IS NOT NULL`);
  const listed = await simulated(world);
  const removed = removable(world);
  const goes = removed.filter(({ trashUntilMs }) => trashUntilMs === null);
  const ends = removed.filter(({ trashUntilMs }) => trashUntilMs !== null && trashUntilMs <= nowMs);
  await runRetention(context, nowMs);
  for (const copy of goes) copy.trashUntilMs = nowMs + 14 * DAY_MS;
  world.copies = world.copies.filter((copy) => !ends.includes(copy));
  const now = await keysOf(sql`trash_until IS NOT NULL`);
  world.found.push(
    { is: listed, due: sorted(goes) },
    { is: now.filter((key) => !inTrash.includes(key)), due: listed },
    { is: await keysOf(sql`TRUE`), due: sorted(world.copies) },
  );
});

test("in any history, what a simulation lists is what goes, and nothing that is protected", async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: archive },
    { weight: 4, arbitrary: run },
    { weight: 3, arbitrary: setRule },
    { weight: 2, arbitrary: fault },
    archiveAgain,
    takeByHand,
    setRight,
    restore,
    other,
  );
  await fc.assert(
    fc
      .asyncProperty(fc.array(step, { minLength: 6, maxLength: 20 }), async (steps) => {
        const world: World = {
          copies: [],
          takenByHand: new Set(),
          rules: CHANNELS.map(() => ({ retention: null, author: 0, isPaused: false })),
          isFollowed: new Set([0, 1]),
          holdsRight: new Set([0, 1]),
          isScanned: true,
          found: [],
        };
        for (const take of steps) await take(world);
        for (const { is, due } of world.found) expect(is).toEqual(due);
      })
      .beforeEach(reset),
    { numRuns: host.runsOf(2_000) },
  );
});

test.each([
  [
    "that a person took",
    "by_hand",
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, recorded_at, first_seen_at,
    last_seen_at, decided_by) VALUES ('1', '7001', 'archive', 'x', 0, 0, 0, ${ADMIN})`,
  ],
  [
    "that a scan misses",
    "disputed",
    sql`INSERT INTO scan_findings VALUES ('a', 'missing', 1, 0, '')`,
  ],
  ["that cannot be read", "disputed", sql`UPDATE files SET unreadable_since_at = 1`],
  [
    "whose verification fails",
    "disputed",
    sql`INSERT INTO jobs (kind, key, due_at, error) VALUES ('verify', 'a', 0, 'Denied')`,
  ],
])("a file %s is kept", async (_what, reason, protect) => {
  await seedFile(vodkeep.platform, { key: "a", vodId: "1", userId: "7001", recordedAtMs: 1 });
  const asked = [context, { retention: { keep: "days", days: 1 } }, AUTHORS[0] ?? ""] as const;
  expect(await simulate(...asked)).toMatchObject({ files: 1, kept: [] });
  await database.run(protect);
  expect(await simulate(...asked)).toMatchObject({ files: 0, kept: [{ reason, files: 1 }] });
  await database.run(sql`DELETE FROM jobs WHERE kind = 'verify'`);
});

test("what a person moved to the trash goes after 14 days, while that person may delete", async () => {
  const keys = ["a", "b"].map((name) => `vods/${CHANNELS[2]}/1/${name}.ts`);
  for (const key of keys) await seedFile(vodkeep.platform, { key, recordedAtMs: START_MS });
  await admin.expect(trashFiles, undefined, { body: { keys: keys.slice(0, 1) } });
  const trashedMs = vodkeep.clock.now();
  nowMs = trashedMs;
  const left = async () =>
    (await database.all(sql`SELECT object_key FROM files ORDER BY seq`)).map(
      (row) => row.object_key,
    );
  await ranFor(14 * 24 - 1);
  await runRetention(context, nowMs);
  expect(await left()).toEqual(keys);
  await ranFor(1);
  await database.run(sql`UPDATE users SET permissions = '[]' WHERE id = ${ADMIN}`);
  await runRetention(context, nowMs);
  expect(await left()).toEqual(keys);
  await database.run(
    sql`UPDATE users SET permissions = ${JSON.stringify(PERMISSIONS)} WHERE id = ${ADMIN}`,
  );
  await runRetention(context, nowMs);
  expect(await left()).toEqual(keys.slice(1));
});
