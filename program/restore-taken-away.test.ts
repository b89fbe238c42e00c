import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { eraseAgain } from "#service/users/erase-user.ts";
import { openRestoreFolder, type RestoreFolder } from "./testing/restore-folder.ts";

let folder: RestoreFolder;
beforeEach(async () => {
  folder = await openRestoreFolder();
});
afterEach(() => folder.remove());

const IN_FORCE = sql`SELECT
  (SELECT group_concat(id) FROM api_tokens) AS tokens,
  (SELECT group_concat(owner_id) FROM consents WHERE withdrawn_at IS NULL) AS consents,
  (SELECT group_concat(owner_id) FROM consents WHERE withdrawn_at IS NOT NULL) AS withdrawn,
  (SELECT group_concat(owner_id || ' by ' || confirmed_by) FROM rights_confirmations) AS confirmed,
  (SELECT group_concat(user_id) FROM erased_chatters) AS chatters,
  (SELECT group_concat(id) FROM users WHERE banned_at IS NOT NULL) AS banned,
  (SELECT group_concat(display_name) FROM users WHERE id IN ('3', '8')) AS names,
  (SELECT permissions FROM users WHERE id = '1') AS permissions,
  (SELECT group_concat(url) FROM webhooks WHERE enabled) AS told,
  (SELECT error_message FROM uploads WHERE id = 'waits') AS waits,
  (SELECT count(*) FROM sessions) AS sessions`;

function addUser(id: string) {
  return sql`INSERT INTO users (id, login, display_name, permissions, created_at)
    VALUES (${id}, ${`u${id}`}, ${`U${id}`}, '["read:uploads","write:uploads"]', 0)`;
}

/** A backup with people, and what was taken away since from them and from others who came later. */
async function takeAway(): Promise<void> {
  await folder.withDatabase(async (database) => {
    await database.batch([
      sql`UPDATE deployment SET deployment_id = 'here'`,
      ...["1", "2", "3", "4", "5"].map(addUser),
      ...["a", "b"].map(
        (id) => sql`INSERT INTO api_tokens (id, user_id, name, digest, permissions, created_at)
          VALUES (${id}, '1', ${id}, ${id}, '[]', 0)`,
      ),
      sql`INSERT INTO api_tokens (id, user_id, name, digest, permissions, created_at)
        VALUES ('c', '2', 'c', 'c', '[]', 0)`,
      sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('4', 1, 0), ('5', 1, 0)`,
      sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
        VALUES ('1', '2', 'mine', 0), ('1', '5', 'mine', 0), ('5', '1', 'mine', 0)`,
      ...["removed", "off", "moved", "same"].map(
        (id) => sql`INSERT INTO webhooks (id, name, format, host, url, events, enabled, created_at)
          VALUES (${id}, ${id}, 'ntfy', 'host', ${id}, '[]', 1, 0)`,
      ),
    ]);
    await seedUpload(database, { id: "waits", status: "processing", ownerId: "4" });
  });
  await folder.backUp("2026-11-27T03-00-00");
  await folder.withDatabase((database) =>
    database.batch([
      ...["6", "7", "8"].map(addUser),
      sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('6', 1, 8)`,
      sql`DELETE FROM api_tokens WHERE id = 'a'`,
      sql`DELETE FROM webhooks WHERE id = 'removed'`,
      sql`UPDATE webhooks SET enabled = 0 WHERE id = 'off'`,
      sql`UPDATE webhooks SET url = 'elsewhere' WHERE id = 'moved'`,
      sql`UPDATE users SET banned_at = 9 WHERE id IN ('2', '7')`,
      sql`UPDATE users SET permissions = '["read:uploads"]' WHERE id = '1'`,
      sql`UPDATE consents SET withdrawn_at = 9 WHERE owner_id IN ('4', '6')`,
      sql`DELETE FROM rights_confirmations WHERE owner_id = '1' AND confirmed_by = '2'`,
      sql`INSERT INTO erased_chatters (user_id, erased_at) VALUES ('99', 9)`,
      ...["3", "8"].flatMap((id) => eraseAgain(userIdSchema.parse(id), 9)),
    ]),
  );
}

test("what was taken away since the backup stays away", async () => {
  await takeAway();
  const { said } = await folder.restore("--yes");
  expect(said).toMatch(
    /^Taken away since, .*: API tokens \(2\), users' permissions \(2\), bans \(2\), consents \(2\), confirmations of rights \(1\), webhooks \(1\), webhooks' addresses \(2\), names in chats \(1\), people's names \(2\)\.$/m,
  );
  expect(await folder.withDatabase((database) => database.all(IN_FORCE))).toEqual([
    {
      tokens: "b",
      consents: "5",
      withdrawn: "4,6",
      confirmed: "1 by 5,5 by 1",
      chatters: "99",
      banned: "2,7",
      names: "Erased user,Erased user",
      permissions: '["read:uploads"]',
      told: "elsewhere,same",
      waits: expect.stringContaining("The channel's owner has withdrawn consent."),
      sessions: 0,
    },
  ]);
});

test("what the library folder has now stays known, not what it had then", async () => {
  await takeAway();
  const item = {
    key: "vods/1/2/u.ts",
    path: "P/a",
    made: '{".nfo":{"sizeBytes":1}}',
    made_of: "2",
  };
  await folder.withDatabase((database) =>
    database.run(sql`INSERT INTO library_items (key, path, made, made_of)
      VALUES (${item.key}, ${item.path}, ${item.made}, ${item.made_of})`),
  );
  await folder.restore("--yes");
  const items = sql`SELECT key, path, made, made_of FROM library_items`;
  expect(await folder.withDatabase((database) => database.all(items))).toEqual([item]);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ["no", () => rm(join(folder.path, "vodkeep.db")), /there is none/],
  [
    "an unreadable",
    () => writeFile(join(folder.path, "vodkeep.db"), "x".repeat(5_000)),
    /not a database/,
  ],
  [
    "another's",
    () =>
      folder.withDatabase((database) =>
        database.run(sql`UPDATE deployment SET deployment_id = 'there'`),
      ),
    /another deployment's/,
  ],
])(
  "with %s database to compare with, nothing stays that may be revoked",
  async (_what, lose, why) => {
    await takeAway();
    await lose();
    const { said } = await folder.restore("--yes");
    expect(said).toMatch(why);
    expect(said).toMatch(
      /^ {2}API tokens: 3 are revoked\.\n {2}Webhooks: 4 are off .*\n {2}Consents: 2 are withdrawn; .*\n {2}Bans,/m,
    );
    const [left] = await folder.withDatabase((database) => database.all(IN_FORCE));
    expect(left).toMatchObject({
      tokens: null,
      consents: null,
      confirmed: "1 by 2,1 by 5",
      told: null,
    });
  },
);
