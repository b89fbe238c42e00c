import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { createToken } from "#contract/tokens.ts";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { openMessageWorld } from "#service/testing/message-world.ts";
import { NAUGHTY_STRINGS } from "#service/testing/naughty-strings.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { countStoreChanges, watchChanges, type ChangeWatch } from "./change-watch.ts";

/** A user with a live session, or a program with a token. */
export type Actor = {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly client: TestClient;
  readonly isToken?: boolean;
};

export type FuzzWorld = Awaited<ReturnType<typeof openFuzzWorld>>;

/** With fewer of a kind, most requests would meet deleted data. */
const LEAST_OF_A_KIND = 8;

/** The service on real parts, with users in every role and data to act on. */
export async function openFuzzWorld() {
  let storeChanges = 0;
  const vodkeep = await openMessageWorld({
    changePlatform: (platform) => ({
      ...platform,
      objects: countStoreChanges(platform.objects, () => {
        storeChanges += 1;
      }),
    }),
  });
  const { database } = vodkeep.platform;
  const { control } = vodkeep.twitch;

  const administrator = await vodkeep.signIn(ADMIN);
  const actors: Actor[] = [
    { name: "administrator", permissions: PERMISSIONS, client: administrator },
    {
      name: "nobody",
      permissions: [],
      client: await vodkeep.signIn((await control.addAccount()).id),
    },
  ];
  const permissions = ["read:uploads", "write:uploads"] as const;
  const { token } = await administrator.expect(createToken, createToken.path, {
    body: { name: "fuzz", permissions, expiresInDays: null },
  });
  const program = Object.assign(vodkeep.visitor(), { token });
  actors.push({ name: "token", permissions, client: program, isToken: true });
  for (const permission of PERMISSIONS)
    actors.push({
      name: `only ${permission}`,
      permissions: [permission],
      client: await vodkeep.signInWith((await control.addAccount()).id, [permission]),
    });

  const atMs = vodkeep.clock.now();
  for (let user = 0; user < 12; user += 1)
    await database.run(sql`
      INSERT INTO users (id, login, display_name, email, created_at)
      VALUES (${`7000${user}`}, ${`login_${user}`}, ${textAt(user)}, ${`u${user}@example.org`}, ${atMs})`);
  await database.run(sql`
    INSERT INTO cost_alerts (threshold_id, period, type, threshold_name, message, triggered_at)
    SELECT id, '2026-10', type, name, 'Spent', ${atMs} FROM cost_thresholds`);

  let made = 0;
  let known = await readKnownIds();
  let passing: Actor | null = null;
  let watch: ChangeWatch | null = null;

  /** Existing ids by type. */
  async function readKnownIds() {
    return {
      vods: (await control.vods()).map(({ id }) => id),
      uploads: await columnOf(sql`SELECT id AS value FROM uploads ORDER BY seq DESC LIMIT 60`),
      users: await columnOf(sql`SELECT id AS value FROM users WHERE id LIKE '7000%' ORDER BY seq`),
      files: await columnOf(
        sql`SELECT object_key AS value FROM files ORDER BY object_key LIMIT 60`,
      ),
      thresholds: await columnOf(sql`SELECT id AS value FROM cost_thresholds ORDER BY id`),
      alerts: await columnOf(sql`SELECT seq AS value FROM cost_alerts ORDER BY seq`),
    };
  }

  /** Creates new data in place of what earlier requests used up. */
  async function restock(): Promise<void> {
    for (const status of UPLOAD_STATUSES) {
      const [row] = await database.all(
        sql`SELECT count(*) AS n FROM uploads WHERE status = ${status}`,
      );
      for (let have = Number(row?.n); have < LEAST_OF_A_KIND; have += 1) {
        made += 1;
        const title = textAt(made);
        await seedUpload(database, {
          id: `fuzz${made}`,
          status,
          title,
          filename: `${title}.ts`,
          ownerId: `7000${made % 12}`,
          vodId: String(3_000_000_000 + made),
          retryCount: made % 4,
          atMs: atMs - made * 1_000,
        });
      }
    }
    const [files] = await database.all(sql`SELECT count(*) AS n FROM files`);
    for (let have = Number(files?.n); have < 3 * LEAST_OF_A_KIND; have += 1) {
      made += 1;
      await seedFile(vodkeep.platform, {
        key: `vods/7/${made}/video.ts`,
        filename: `${textAt(made)}.ts`,
        userId: made % 3 === 0 ? null : `7000${made % 12}`,
        status: (["complete", "partial", "orphaned"] as const)[made % 3] ?? "complete",
        ...(made % 2 === 0 ? { bytes: new Uint8Array(64) } : { sizeBytes: 2 ** 40 }),
      });
    }
    known = await readKnownIds();
    await watch?.take();
    storeChanges = 0;
  }

  async function columnOf(query: Statement): Promise<string[]> {
    return (await database.all(query)).map((row) => String(row.value));
  }

  await restock();
  // The first look into the store writes the owner mark.
  for (const id of known.uploads)
    await (await administrator.send("GET", `/admin/uploads/${id}/thumbnail`)).arrayBuffer();
  storeChanges = 0;
  watch = await watchChanges(database);

  return {
    vodkeep,
    actors,
    known: () => known,
    /** A user with all rights whose session may be ended or refreshed. */
    async passerBy(): Promise<Actor> {
      passing ??= {
        name: "passer-by",
        permissions: PERMISSIONS,
        client: await vodkeep.signInWith((await control.addAccount()).id, PERMISSIONS),
      };
      await watch?.take();
      return passing;
    },
    forgetPasserBy() {
      passing = null;
    },
    restock,
    async takeChanges(): Promise<readonly string[]> {
      const tables = (await watch?.take()) ?? [];
      const changed = storeChanges > 0 ? [...tables, "the store"] : tables;
      storeChanges = 0;
      return changed;
    },
    close: () => vodkeep.close(),
  };
}

/** Hostile titles and names that a source could have sent. */
function textAt(index: number): string {
  const text = NAUGHTY_STRINGS[index % NAUGHTY_STRINGS.length] ?? "";
  return text.toWellFormed().replaceAll("\0", "").slice(0, 300) || `title ${index}`;
}
