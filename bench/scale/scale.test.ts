import { expect, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { ROW_BYTES } from "./archive-model.ts";
import { readDocument, withTables } from "./scale-document.ts";
import { renderTables } from "./scale-tables.ts";
import { simulate } from "./slice-simulation.ts";

test("docs/scale.md says what the model computes", { timeout: 60_000 }, () => {
  const text = readDocument();
  expect(text, "npm run bench -- scale --write").toBe(withTables(text, renderTables()));
});

/** How much the database grows by rows of a kind. */
async function bytesOf(fill: (database: ReturnType<typeof openSqliteDatabase>) => Promise<void>) {
  const database = openSqliteDatabase(":memory:");
  try {
    await migrate(database, 1);
    const size = async () => {
      const [row] = await database.all(sql`
        SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size`);
      return Number(row?.["bytes"]);
    };
    const before = await size();
    await fill(database);
    return (await size()) - before;
  } finally {
    await database.close();
  }
}

const COUNT = 3_000;
const seed = { users: 1, uploads: 0, files: 0 };

/** What an archive leaves beside its upload and its file: created, started, completed; one delivery. */
const TRACES: readonly Statement[] = [
  sql`INSERT INTO audit (at, actor_id, action, target, result, after, request_id)
    SELECT u.created_at, u.owner_id, step.value, u.id, 'done', '{"status":"completed"}', u.id
    FROM uploads u, json_each('["upload.create","upload.start","upload.complete"]') step`,
  sql`INSERT INTO audit_seals (seq, hash) SELECT seq, hex(randomblob(32)) FROM audit`,
  sql`INSERT INTO notification_events (type, subject, title, body, link, created_at)
    SELECT 'upload.completed', id, filename, title, '/uploads?search=' || id, 1 FROM uploads`,
];

test("an archive and a user take as many bytes of the database as the model says", async () => {
  const archives = await bytesOf(async (database) => {
    await seedRows(
      database,
      { ...seed, uploads: COUNT, files: COUNT },
      Date.UTC(2026, 0, 1),
      () => {},
    );
    await database.batch(TRACES);
  });
  const users = await bytesOf((database) =>
    seedRows(database, { ...seed, users: COUNT }, Date.UTC(2026, 0, 1), () => {}),
  );
  // Within a fifth: names are of many lengths.
  expect(Math.abs(archives / COUNT / ROW_BYTES.archive - 1)).toBeLessThan(0.2);
  expect(Math.abs(users / COUNT / ROW_BYTES.user - 1)).toBeLessThan(0.2);
});

const PLACES = { count: 1, sliceSec: 60, slices: 2 };

test("oldest first finishes an upload before it begins the next", () => {
  const served = simulate(
    [
      { atSec: 0, channel: "a" },
      { atSec: 0, channel: "a" },
      { atSec: 30, channel: "b" },
    ],
    "oldest first",
    PLACES,
  );
  expect(served.map(({ startedSec, endedSec }) => [startedSec, endedSec])).toEqual([
    [0, 120],
    [120, 240],
    [240, 360],
  ]);
});

test("in turns a channel's first of the day goes before another one's second", () => {
  const served = simulate(
    [
      { atSec: 0, channel: "a" },
      { atSec: 0, channel: "a" },
      { atSec: 130, channel: "b" },
    ],
    "channels in turns",
    { ...PLACES, slices: 3 },
  );
  expect(served.map(({ channel, endedSec }) => [channel, endedSec])).toEqual([
    ["a", 180],
    ["b", 360],
    ["a", 540],
  ]);
});
