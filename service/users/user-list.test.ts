import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { host } from "#host-under-test";
import { sql } from "#service/db/sql.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { drawPage, pageOf } from "#service/testing/list-page.ts";
import { compareNames, matchesSearch, trickyText } from "#service/testing/tricky-text.ts";
import { pageUsers } from "./user-list.ts";

const vodkeep = await startTestService();
const { context } = vodkeep;
afterAll(() => vodkeep.close());

const draft = fc.record({
  login: trickyText,
  displayName: trickyText,
  email: fc.option(trickyText, { nil: null }),
  isAdmin: fc.boolean(),
  isBanned: fc.boolean(),
  lastLoginAt: fc.option(fc.nat(3), { nil: null }),
});
type Draft = typeof draft extends fc.Arbitrary<infer T> ? T : never;
type Model = Draft & { seq: number; id: string };

const SORTS = {
  lastLoginAt: (left: Model, right: Model) => (left.lastLoginAt ?? -1) - (right.lastLoginAt ?? -1),
  displayName: (left: Model, right: Model) => compareNames(left.displayName, right.displayName),
  createdAt: (left: Model, right: Model) => left.seq - right.seq,
} as const;

const maybe = fc.constantFrom(undefined, undefined, true, false);

test("a page of users matches a naive filter over all users", async () => {
  const { database } = context.platform;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(draft, fc.option(draft)), { minLength: 1, maxLength: 25 }),
      fc.gen(),
      async (drafts, gen) => {
        await database.batch([
          sql`DELETE FROM users`,
          sql`DELETE FROM user_counts`,
          sql`DELETE FROM user_search`,
        ]);
        const rows: Model[] = [];
        for (const [index, [first, later]] of drafts.entries()) {
          const seq = index + 1;
          const id = String(70_000 + seq * 7);
          await database.batch([
            insert(seq, id, first),
            ...(later === null ? [] : [change(id, later)]),
          ]);
          rows.push({ ...(later ?? first), seq, id });
        }
        for (let count = 0; count < 8; count += 1) {
          const query = {
            ...drawPage(
              gen,
              SORTS,
              rows.flatMap((row) => [row.displayName, row.email ?? "-", row.id, `@${row.login}`]),
            ),
            isAdmin: gen(() => maybe),
            isBanned: gen(() => maybe),
          };
          const term = query.search?.trim().replace(/^@(?=.)/s, "");
          const expected = rows
            .filter((row) => query.isAdmin === undefined || row.isAdmin === query.isAdmin)
            .filter((row) => query.isBanned === undefined || row.isBanned === query.isBanned)
            .filter((row) => matchesSearch([row.login, row.displayName, row.email, row.id], term));
          const answer = await pageUsers(context, query);
          expect(answer.items.map((item) => item.id)).toEqual(
            pageOf(expected, SORTS, query).shown.map((row) => row.id),
          );
          expect(answer.total).toBe(expected.length);
        }
      },
    ),
    { numRuns: host.runsOf(120) },
  );
});

function insert(seq: number, id: string, user: Draft) {
  return sql`
    INSERT INTO users (seq, id, login, display_name, email, permissions, banned_at, last_login_at,
      created_at)
    VALUES (${seq}, ${id}, ${user.login}, ${user.displayName}, ${user.email},
      ${user.isAdmin ? '["read:users"]' : "[]"}, ${user.isBanned ? 1 : null}, ${user.lastLoginAt},
      ${seq})`;
}

function change(id: string, user: Draft) {
  return sql`
    UPDATE users SET login = ${user.login}, display_name = ${user.displayName},
      email = ${user.email}, permissions = ${user.isAdmin ? '["read:users"]' : "[]"},
      banned_at = ${user.isBanned ? 1 : null}, last_login_at = ${user.lastLoginAt}
    WHERE id = ${id}`;
}
