import { afterAll, beforeEach, expect, test } from "vitest";
import { host } from "#host-under-test";
import { twitchUserIdSchema, userIdSchema } from "#contract/ids.ts";
import { upsertUser } from "#service/auth/signed-in-user.ts";
import { sql } from "#service/db/sql.ts";
import { eraseAgain } from "#service/users/erase-user.ts";
import { storeNames } from "./stored-name.ts";

const NOW_MS = 7_000;
const PERSON = { id: twitchUserIdSchema.parse("7"), login: "first", profileImageUrl: null };
const OTHER = { id: "8", login: "second", displayName: "Second", profileImageUrl: null };

const database = await host.openDatabase();
afterAll(() => database.close());
beforeEach(() =>
  database.batch([
    sql`DELETE FROM jobs`,
    sql`INSERT OR REPLACE INTO users (id, login, display_name, created_at)
      VALUES ('7', 'first', 'First', 0), ('8', 'second', 'Second', 0)`,
  ]),
);

const WRITERS = {
  "a source": (displayName: string) =>
    storeNames([{ ...PERSON, displayName }, OTHER], "listed", NOW_MS),
  "the person who signs in": (displayName: string) =>
    upsertUser({ ...PERSON, displayName, email: null, broadcasterType: "" }, false, NOW_MS),
};

test.for(Object.entries(WRITERS))(
  "a new name from %s has that person's uploads found by it, whatever failed before",
  async ([, write]) => {
    await database.batch(write("First"));
    expect(await database.all(sql`SELECT 1 FROM jobs`)).toEqual([]);
    await database.run(sql`INSERT INTO jobs (kind, key, due_at, attempts, error, failing_since_at)
      VALUES ('reindex', '7', 9e15, 4, 'It failed.', 1)`);
    await database.batch(write("Renamed"));
    expect(
      await database.all(sql`SELECT kind, key, due_at, attempts, error, failing_since_at,
        (SELECT display_name FROM users WHERE id = key) AS name FROM jobs`),
    ).toEqual([
      {
        kind: "reindex",
        key: "7",
        due_at: NOW_MS,
        attempts: 0,
        error: null,
        failing_since_at: null,
        name: "Renamed",
      },
    ]);
  },
);

test("an erased person's uploads are no longer found by the name, which a list does not bring back", async () => {
  await database.batch(eraseAgain(userIdSchema.parse("7"), NOW_MS));
  const jobs = sql`SELECT key FROM jobs WHERE kind = 'reindex'`;
  expect(await database.all(jobs)).toEqual([{ key: "7" }]);
  await database.run(sql`DELETE FROM jobs`);
  const named = [{ ...PERSON, displayName: "First" }];
  await database.batch(storeNames(named, "listed", NOW_MS));
  expect(await database.all(jobs)).toEqual([]);
  await database.batch(storeNames(named, "decided", NOW_MS));
  expect(await database.all(jobs)).toEqual([{ key: "7" }]);
});
