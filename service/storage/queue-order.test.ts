import * as fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { dueUploads } from "./lease.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

const HOUR_MS = 3_600_000;

/** The documented order of the queue, for {@link Waiting} rows. */
function inDocumentedOrder(rows: readonly Waiting[], nowMs: number): readonly string[] {
  const isOld = ({ atMs }: Waiting) => atMs <= nowMs - 24 * HOUR_MS;
  const isNear = ({ dangerAt }: Waiting) => dangerAt !== null && dangerAt < nowMs + 48 * HOUR_MS;
  const keys = (row: Waiting) => [
    row.phase === "copying" ? 0 : 1,
    isNear(row) ? (row.dangerAt ?? 0) : Infinity,
    row.isLive ? 0 : 1,
    isOld(row) ? 0 : 1,
    isOld(row) ? row.age : 0,
    Number(row.byRule),
    row.dangerAt ?? Infinity,
    row.age,
  ];
  return rows
    .filter(({ isDue }) => isDue)
    .map((row) => ({ id: row.id, keys: keys(row) }))
    .sort((left, right) => {
      const at = left.keys.findIndex((key, index) => key !== right.keys[index]);
      return (left.keys[at] ?? 0) - (right.keys[at] ?? 0);
    })
    .map(({ id }) => id);
}

type Waiting = {
  readonly id: string;
  readonly age: number;
  readonly atMs: number;
  readonly phase: "waiting" | "copying" | null;
  readonly isLive: boolean;
  readonly byRule: boolean;
  readonly dangerAt: number | null;
  readonly isDue: boolean;
};

it("uploads are taken in the documented order", async () => {
  const { database, clock } = world.context.platform;
  const nowMs = clock.now();
  const host = { ...world.context.platform, clock: { ...clock, now: () => nowMs } };
  const ownerId = "1005";
  const vodId = "2000000001";
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at, permissions)
      VALUES (${ownerId}, 'owner', 'Owner', 1, '["write:uploads"]')
      ON CONFLICT DO UPDATE SET permissions = excluded.permissions`,
    // All uploads by rules are of this VOD.
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${ownerId}, 1, 1)`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
      VALUES (${ownerId}, 1, ${ownerId}, ${ownerId})`,
    sql`INSERT INTO vods (vod_id, owner_id, kind, title, recorded_at, first_seen_at, last_seen_at,
      decision) VALUES (${vodId}, ${ownerId}, 'archive', 'Title', 1, 1, 1, 'take')`,
  ]);
  const shape = fc.record({
    hoursAgo: fc.integer({ min: 0, max: 40 }),
    phase: fc.constantFrom(null, null, null, "waiting" as const, "copying" as const),
    isLive: fc.integer({ min: 0, max: 5 }).map((number) => number === 0),
    byRule: fc.boolean(),
    dangerAt: fc.option(
      fc
        .constantFrom(-1, 47, 48, 49, 200)
        .chain((hours) => fc.integer({ min: 0, max: 5 }).map((ms) => nowMs + hours * HOUR_MS + ms)),
    ),
    isDue: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(shape, { maxLength: 30 }), async (shapes) => {
      const rows = shapes
        .toSorted((left, right) => right.hoursAgo - left.hoursAgo)
        .map(({ hoursAgo, ...row }, age): Waiting => ({
          ...row,
          id: `queued-${age}`,
          age,
          atMs: nowMs - hoursAgo * HOUR_MS,
        }));
      await database.batch([
        sql`DELETE FROM uploads`,
        sql`UPDATE vods SET decision = 'take'`,
        ...rows.map(
          (
            row,
          ) => sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, phase,
              is_live, by_rule, danger_at, next_attempt_at, max_retries, created_at, updated_at)
            VALUES (${row.id}, 'twitch', ${row.byRule ? vodId : null}, 'planned', ${ownerId}, 'administrator_confirmed',
              ${row.phase === null ? "pending" : "processing"}, ${row.phase}, ${Number(row.isLive)},
              ${Number(row.byRule)}, ${row.dangerAt}, ${row.isDue ? null : nowMs + 60_000}, 3,
              ${row.atMs}, ${row.atMs})`,
        ),
      ]);
      const expected = inDocumentedOrder(rows, nowMs);
      expect(await dueUploads(host, null, 100)).toEqual(expected);
      expect(await dueUploads(host, null, 3)).toEqual(expected.slice(0, 3));
    }),
    { numRuns: 60, seed: 33 },
  );
  await database.run(sql`DELETE FROM uploads`);
});

it("finds due uploads without reading all pending ones", async () => {
  const host = world.context.platform;
  let plan: readonly Row[] = [];
  const explaining: Database = {
    ...host.database,
    async all(statement) {
      plan = await host.database.all({ ...statement, sql: `EXPLAIN QUERY PLAN ${statement.sql}` });
      return [];
    },
  };
  await dueUploads({ ...host, database: explaining }, "free", 2);
  const steps = plan.map(({ detail }) => String(detail));
  expect(steps.filter((step) => /^\w+ uploads\b/.test(step))).toEqual([
    "SEARCH uploads USING INTEGER PRIMARY KEY (rowid=?)",
    "SEARCH uploads USING INDEX uploads_status (status=?)",
    ...Array<string>(2).fill(
      "SEARCH uploads USING INDEX uploads_queue (is_live=? AND by_rule=? AND <expr><?)",
    ),
    "SEARCH uploads USING INDEX uploads_queue (is_live=?)",
    "SEARCH uploads USING INDEX uploads_status (status=? AND seq<?)",
    "SEARCH uploads USING COVERING INDEX uploads_created (created_at>?)",
    "SEARCH uploads USING INDEX uploads_status (status=? AND seq<?)",
    "SEARCH uploads USING INDEX uploads_queue (is_live=?)",
    "SEARCH uploads USING COVERING INDEX uploads_created (created_at>?)",
    "SEARCH uploads USING COVERING INDEX uploads_created (created_at>?)",
  ]);
  // Only the candidates are sorted.
  expect(steps.filter((step) => step.includes("TEMP B-TREE"))).toEqual([
    "USE TEMP B-TREE FOR ORDER BY",
  ]);
});
