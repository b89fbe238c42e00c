import * as fc from "fast-check";
import { expect, test } from "vitest";
import { host } from "#host-under-test";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import {
  canManageUsers,
  isAllowed,
  evaluateChange,
  type RightsHolder,
  type RuleBreach,
} from "./user-rules.ts";

const ALL = PERMISSIONS;

function holder(id: string, permissions: readonly Permission[], isBanned = false): RightsHolder {
  return { id, permissions, isBanned };
}

type Case = {
  name: string;
  actor?: RightsHolder;
  before?: RightsHolder;
  after?: RightsHolder;
  othersCanManage?: boolean;
  expected: RuleBreach | null;
};

const cases: readonly Case[] = [
  {
    name: "an administrator with all permissions grants one",
    after: holder("b", ["read:uploads"]),
    expected: null,
  },
  {
    name: "an actor without write:users",
    actor: holder(
      "a",
      ALL.filter((one) => one !== "write:users"),
    ),
    expected: "actor_lacks_right",
  },
  { name: "a banned actor", actor: holder("a", ALL, true), expected: "actor_lacks_right" },
  {
    name: "a change of one's own account",
    before: holder("a", ALL),
    after: holder("a", []),
    expected: "own_account",
  },
  {
    name: "a configured administrator",
    before: holder("boot", ALL),
    after: holder("boot", []),
    expected: "set_by_deployment",
  },
  {
    name: "granting a permission that the actor does not have",
    actor: holder("a", ["write:users"]),
    after: holder("b", ["read:users"]),
    expected: "beyond_own_rights",
  },
  {
    name: "revoking a permission that the actor does not have",
    actor: holder("a", ["write:users"]),
    before: holder("b", ["read:users"]),
    after: holder("b", []),
    expected: "beyond_own_rights",
  },
  {
    name: "banning a user with more permissions",
    actor: holder("a", ["write:users"]),
    before: holder("b", ["read:system"]),
    after: holder("b", ["read:system"], true),
    expected: "beyond_own_rights",
  },
  {
    name: "demoting the last user who can manage users",
    before: holder("b", ALL),
    after: holder("b", []),
    othersCanManage: false,
    expected: "last_administrator",
  },
  {
    name: "banning the last user who can manage users",
    before: holder("b", ALL),
    after: holder("b", ALL, true),
    othersCanManage: false,
    expected: "last_administrator",
  },
  {
    name: "the last user manager keeps the required permissions",
    before: holder("b", ALL),
    after: holder("b", ["read:users", "write:users"]),
    othersCanManage: false,
    expected: null,
  },
];

test.each(cases)("$name: $expected", ({ expected, ...given }) => {
  const breach = evaluateChange({
    actor: holder("a", ALL),
    before: holder("b", []),
    after: holder("b", []),
    othersCanManage: true,
    ...given,
    bootstrapIds: ["boot"],
  });
  expect(breach).toBe(expected);
});

function insertUser(user: RightsHolder): Statement {
  return sql`
    INSERT INTO users (id, login, display_name, permissions, banned_at, created_at)
    VALUES (${user.id}, ${user.id}, ${user.id}, ${JSON.stringify(user.permissions)},
      ${user.isBanned ? 1 : null}, 0)`;
}

/** The results of the UPDATE's condition, on a table with exactly these users, and of the rules. */
async function evaluateBoth(
  database: Database,
  users: readonly [RightsHolder, ...RightsHolder[]],
  after: RightsHolder,
  bootstrapIds: readonly string[],
): Promise<{ isChanged: boolean; breach: RuleBreach | null }> {
  await database.batch([sql`DELETE FROM users`, ...users.map(insertUser)]);
  const [actor] = users;
  const before = users.find(({ id }) => id === after.id) ?? actor;
  const othersCanManage = users.some((each) => each.id !== after.id && canManageUsers(each));
  const { changes } = await database.run(sql`
    UPDATE users SET version = version + 1
    WHERE users.id = ${after.id} AND ${isAllowed(actor.id, after, bootstrapIds)}`);
  const breach = evaluateChange({ actor, before, after, bootstrapIds, othersCanManage });
  return { isChanged: changes === 1, breach };
}

test("the UPDATE condition agrees with the rules for every combination of user managers", async () => {
  const database = await host.openDatabase();
  const rights: readonly Permission[][] = [[], ["write:users"], ["write:users", "read:users"]];
  const others = rights.flatMap((held) => [holder("c", held), holder("c", held, true)]);
  for (const permissions of rights)
    for (const held of rights)
      for (const other of others)
        for (const wanted of [[], ["write:users", "read:users"]] as const) {
          const users = [holder("a", permissions), holder("b", held), other] as const;
          const after = holder("b", wanted);
          const { isChanged, breach } = await evaluateBoth(database, users, after, []);
          expect([users, after, isChanged]).toEqual([users, after, breach === null]);
        }
  await database.close();
});

test("the UPDATE condition allows exactly what the rules allow", async () => {
  const permissions = fc.subarray([...PERMISSIONS]);
  // Makes the relevant rights frequent.
  const rights = fc.oneof(
    permissions,
    fc.constant([...PERMISSIONS]),
    fc.constant<Permission[]>(["write:users", "read:users"]),
  );
  const user = (id: string) =>
    fc.record({ id: fc.constant(id), permissions: rights, isBanned: fc.boolean() });
  const database = await host.openDatabase();
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(user("a"), user("b"), user("c")),
      fc.constantFrom("a", "b"),
      rights,
      fc.boolean(),
      fc.constantFrom<string[][]>([], ["b"], ["c"]),
      async (users, targetId, wanted, isBanned, bootstrapIds) => {
        const after = { id: targetId, permissions: wanted, isBanned };
        const { isChanged, breach } = await evaluateBoth(database, users, after, bootstrapIds);
        expect(isChanged).toBe(breach === null);
      },
    ),
    { numRuns: host.runsOf(500) },
  );
  await database.close();
});
