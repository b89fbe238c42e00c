import { afterAll, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import type { AnyCall } from "#contract/call.ts";
import { objectKeySchema } from "#contract/files.ts";
import { PROTOCOL_CALLS, type ProtocolCall } from "#contract/manual-uploads.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { createToken, revokeToken } from "#contract/tokens.ts";
import { CALLS } from "#contract/registry.ts";
import { sql } from "#service/db/sql.ts";
import { addressOf, nameOf } from "#service/testing/call-address.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import securityDocument from "../../docs/security.md?raw";

type AnyRequest = AnyCall | ProtocolCall;

const ALL_CALLS: readonly AnyRequest[] = [...CALLS, ...PROTOCOL_CALLS];

/** The rows of docs/security.md#who-may-do-what: a call's name, its policy, whether tokens may. */
const DOCUMENTED_POLICIES = securityDocument
  .matchAll(/^\| `([A-Z]+ \/\S+)` \| `([a-z:]+)`(, no tokens)? \|$/gm)
  .map(([, name = "", policy = "", noTokens]) => ({
    name,
    policy,
    noTokens: noTokens !== undefined,
  }))
  .toArray();

const policies = new Map(DOCUMENTED_POLICIES.map((row) => [row.name, row]));

type Transport = "bearer" | "cookie";

type PrincipalCase = {
  readonly name: string;
  /** Null if there is no live session. */
  readonly permissions: readonly Permission[] | null;
  readonly client: TestClient;
  readonly isToken?: boolean;
};

const principals: PrincipalCase[] = [];

const vodkeep = await startTestService();
const { database } = vodkeep.platform;

async function newcomer(permissions: readonly Permission[]): Promise<TestClient> {
  return await vodkeep.signInWith((await vodkeep.twitch.control.addAccount()).id, permissions);
}
async function dead(name: string, end: (client: TestClient) => Promise<unknown>) {
  const client = await newcomer(PERMISSIONS);
  const copy = Object.assign(client.cookieOnly(), { token: client.token });
  await end(client);
  principals.push({ name, permissions: null, client: copy });
}
principals.push({ name: "anonymous", permissions: null, client: vodkeep.visitor() });
const malformed = vodkeep.visitor();
malformed.token = "not-a-token";
malformed.cookies.set("vodkeep_session", "not-a-token");
principals.push({ name: "malformed", permissions: null, client: malformed });
await dead("expired", async (client) =>
  database.run(sql`UPDATE sessions SET expires_at = 1 WHERE user_id = ${await userOf(client)}`),
);
await dead("revoked", (client) => client.expect(auth.logout));
await dead("banned", async (client) =>
  database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${await userOf(client)}`),
);
principals.push({ name: "not an administrator", permissions: [], client: await newcomer([]) });
const owner = await newcomer([]);
await database.run(sql`INSERT INTO consents (owner_id, text_version, agreed_at)
  VALUES (${await userOf(owner)}, 1, 0)`);
principals.push({ name: "channel owner who has agreed", permissions: [], client: owner });
const demoted = await newcomer(PERMISSIONS);
await database.run(sql`UPDATE users SET permissions = '[]' WHERE id = ${await userOf(demoted)}`);
principals.push({ name: "demoted administrator", permissions: [], client: demoted });
for (const permission of PERMISSIONS) {
  principals.push({
    name: `only ${permission}`,
    permissions: [permission],
    client: await newcomer([permission]),
  });
  const others = PERMISSIONS.filter((other) => other !== permission);
  principals.push({
    name: `all but ${permission}`,
    permissions: others,
    client: await newcomer(others),
  });
}
const kept = objectKeySchema.parse("vods/1/2/kept.ts");
await vodkeep.platform.objects.put(kept, new Uint8Array(3), { contentType: "video/mp2t" });
principals.push({ name: "all", permissions: PERMISSIONS, client: await newcomer(PERMISSIONS) });

/** A program with a token of a new administrator. */
async function program(
  name: string,
  {
    given = PERMISSIONS,
    due,
    end,
  }: {
    readonly given?: readonly Permission[];
    readonly due: readonly Permission[] | null;
    readonly end?: (ownerId: string, tokenId: string, by: TestClient) => Promise<unknown>;
  },
): Promise<void> {
  const by = await newcomer(PERMISSIONS);
  const made = await by.expect(createToken, createToken.path, {
    body: { name, permissions: given, expiresInDays: null },
  });
  await end?.(made.owner.userId, made.id, by);
  const client = Object.assign(vodkeep.visitor(), { token: made.token });
  principals.push({ name, permissions: due, client, isToken: true });
}
await program("token", { due: PERMISSIONS });
await program("token for reading", { given: ["read:uploads"], due: ["read:uploads"] });
await program("expired token", {
  due: null,
  end: (_, id) => database.run(sql`UPDATE api_tokens SET expires_at = 1 WHERE id = ${id}`),
});
await program("revoked token", {
  due: null,
  end: (_, id, by) => by.expect(revokeToken, addressOf(revokeToken, { id })),
});
await program("token of a banned user", {
  due: null,
  end: (id) => database.run(sql`UPDATE users SET banned_at = 1 WHERE id = ${id}`),
});
await program("token of an owner without its rights", {
  given: ["read:users"],
  due: null,
  end: (id) =>
    database.run(sql`UPDATE users SET permissions = '["write:system"]' WHERE id = ${id}`),
});
await program("token of an owner with fewer rights", {
  due: ["read:uploads"],
  end: (id) =>
    database.run(sql`UPDATE users SET permissions = '["read:uploads"]' WHERE id = ${id}`),
});
afterAll(() => vodkeep.close());

/** By the document's table, so that a call declared with the wrong policy is noticed. */
function expectedRefusal(
  call: AnyRequest,
  { permissions, isToken }: PrincipalCase,
  transport: Transport,
): 401 | 403 | null {
  const { policy, noTokens } = policies.get(nameOf(call)) ?? {};
  if (policy === "public") return null;
  if (permissions === null) return 401;
  if (isToken === true && noTokens === true) return 403;
  if (call === auth.refresh && transport === "bearer") return 401;
  if (policy === "session") return null;
  if (policy === "admin") return permissions.length > 0 ? null : 403;
  return permissions.some((held) => held === policy) ? null : 403;
}

async function userOf(client: TestClient): Promise<string> {
  return (await client.expect(auth.validate)).admin?.id ?? "";
}

function clientOf({ client }: PrincipalCase, transport: Transport): TestClient {
  return transport === "bearer" ? client.bearerOnly() : client.cookieOnly();
}

/** A body that no call accepts, so a call that passes the guard fails before changing anything. */
const IMPOSSIBLE_BODY = { rawBody: '{"impossible": true}' };

async function ask(client: TestClient, call: AnyRequest): Promise<number> {
  if (!("data" in call)) {
    const address = call.path.replace("{id}", "0".repeat(24));
    return (await client.send(call.method, address)).status;
  }
  const response = await client.send(
    call.method,
    addressOf(call),
    call.method === "GET" || call === auth.refresh ? {} : IMPOSSIBLE_BODY,
  );
  if (call.stream === true) await response.body?.cancel();
  return response.status;
}

/**
 * The store's content and all rows, except audit rows and logs, which every request writes, and
 * D1's own tables.
 */
async function digest(): Promise<string> {
  const { objects } = vodkeep.platform;
  const tables = await database.all(sql`
    SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
      AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND name NOT LIKE '!_cf%' ESCAPE '!' AND name NOT LIKE '%grams!_%' ESCAPE '!'
      AND name NOT LIKE 'audit%' AND name <> 'logs' ORDER BY name`);
  const contents = await Promise.all(
    tables.map(async ({ name }) => [
      name,
      await database.all({ sql: `SELECT * FROM "${String(name)}"`, values: [] }),
    ]),
  );
  const stored = [await objects.list({}), await objects.listMultiparts()];
  return JSON.stringify([contents, stored]);
}

/** Programs have no cookie. */
function principalsBy(transport: Transport): readonly PrincipalCase[] {
  return principals.filter(({ isToken }) => transport === "bearer" || isToken !== true);
}

test("docs/security.md lists every call with its policy", () => {
  const declared = ALL_CALLS.map((call) => ({
    name: nameOf(call),
    policy: call.policy,
    noTokens: call.policy === "session" || ("refusesTokens" in call && call.refusesTokens),
  }));
  expect(sorted(declared)).toEqual(sorted(DOCUMENTED_POLICIES));
});

function sorted(rows: readonly (typeof DOCUMENTED_POLICIES)[number][]) {
  return rows.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

test.for(["bearer", "cookie"] as const)(
  "every forbidden call by %s is rejected without changes, and each 403 is audited",
  async (transport) => {
    const cells = principalsBy(transport).flatMap((principal) =>
      ALL_CALLS.map((call) => ({
        principal,
        call,
        due: expectedRefusal(call, principal, transport),
      })),
    );
    const refused = cells.filter((cell) => cell.due !== null);
    await Promise.all(
      // The first use of an expired session ends it, so that change does not come from the calls
      // tested.
      principalsBy(transport).map((principal) =>
        clientOf(principal, transport).call("GET", auth.validate.path),
      ),
    );
    await vodkeep.platform.database.batch([
      sql`DELETE FROM single_uses`,
      // Prevents the once-a-minute update of last_seen_at, however long the test takes.
      sql`UPDATE sessions SET last_seen_at = ${vodkeep.clock.now() + 3_600_000}`,
      sql`UPDATE api_tokens SET last_used_at = ${vodkeep.clock.now() + 3_600_000}`,
    ]);
    const before = await digest();
    const auditedBefore = await refusals();
    const deviations: string[] = [];
    for (const { principal, call, due } of refused) {
      const status = await ask(clientOf(principal, transport), call);
      if (status !== due)
        deviations.push(`${principal.name}: ${call.method} ${call.path} answered ${status}`);
    }
    expect(deviations).toEqual([]);
    expect(refused.length).toBeGreaterThan(500);
    expect(await digest()).toBe(before);
    expect((await refusals()) - auditedBefore).toBe(
      refused.filter((cell) => cell.due === 403).length,
    );
  },
);

test.for(["bearer", "cookie"] as const)(
  "every permitted call by %s passes the guard",
  async (transport) => {
    const deviations: string[] = [];
    for (const principal of principalsBy(transport)) {
      for (const call of CALLS.filter((one) => one !== auth.logout)) {
        if (expectedRefusal(call, principal, transport) !== null) continue;
        const status = await ask(clientOf(principal, transport), call);
        if (status === 401 || status === 403 || status >= 500)
          deviations.push(`${principal.name}: ${nameOf(call)} answered ${status}`);
      }
    }
    expect(deviations).toEqual([]);
  },
);

test("malformed Authorization headers and tokens of other kinds are rejected", async () => {
  const client = await vodkeep.signInWith(
    (await vodkeep.twitch.control.addAccount()).id,
    PERMISSIONS,
  );
  const { token } = client.bearerOnly();
  const { streamTicket } = await client.expect(auth.streamTicket);
  const cookie = client.cookies.get("vodkeep_session") ?? "";
  const shapes = [
    "",
    "Bearer",
    `Bearer ${"a".repeat(8_192)}`,
    `Bearer  ${token}`,
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`,
    `Basic ${token}`,
    `${token}`,
    `Bearer ${streamTicket}`,
    `Bearer ${cookie}`,
  ];
  const deviations: string[] = [];
  for (const call of CALLS.filter((one) => one.policy !== "public"))
    for (const authorization of shapes) {
      const { status } = await vodkeep.visitor().send(call.method, addressOf(call), {
        ...(call.method === "GET" ? {} : IMPOSSIBLE_BODY),
        headers: { authorization },
      });
      if (status !== 401) deviations.push(`${nameOf(call)} by ${authorization}: ${status}`);
    }
  expect(deviations).toEqual([]);
  expect((await client.bearerOnly().expect(auth.validate)).valid).toBe(true);
  const headers = { authorization: `bearer ${token}` };
  const inLowerCase = await vodkeep.visitor().send("GET", auth.validate.path, { headers });
  expect(await inLowerCase.text()).toContain(`"valid":true`);
});

test("without permission, existing and unknown resources get the same response", async () => {
  const { platform } = vodkeep;
  await seedUpload(platform.database, { id: "known", status: "failed" });
  await seedFile(platform, { key: "vods/1/2/known.ts" });
  const outsider = await vodkeep.signIn((await vodkeep.twitch.control.addAccount()).id);
  const [user] = await platform.database.all(sql`SELECT id FROM users WHERE permissions <> '[]'`);
  for (const call of CALLS.filter((one) => needsPermissionForId(one))) {
    const known = {
      id: call.path.includes("/users/") ? String(user?.id) : "known",
      key: "vods/1/2/known.ts",
    };
    const answers = [addressOf(call, known), addressOf(call)].map(async (address) => {
      const { status, text } = await outsider.call(call.method, address);
      return { status, text };
    });
    const [existing, unknown] = await Promise.all(answers);
    expect(existing?.status).toBe(403);
    expect(existing).toEqual(unknown);
  }
});

function needsPermissionForId({ path, policy }: AnyCall): boolean {
  return path.includes("{") && policy !== "session" && policy !== "public";
}

async function refusals(): Promise<number> {
  const [row] = await vodkeep.platform.database.all(
    sql`SELECT sum(count) AS n FROM audit WHERE result = 'refused'`,
  );
  return Number(row?.n);
}
