import { afterAll, afterEach, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import * as z from "zod/mini";
import { uploadIdSchema } from "#contract/ids.ts";
import { systemMetricsSchema } from "#contract/system.ts";
import { uploadSchema, type Upload } from "#contract/upload.ts";
import { publishRightsChanged } from "#service/auth/session-events.ts";
import { sql } from "#service/db/sql.ts";
import { publishUnread } from "#service/notifications/unread-events.ts";
import { EventReader } from "#service/testing/event-reader.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { publishUpload, publishUploadDeleted } from "#service/storage/upload-events.ts";

const UPLOADS = "/admin/uploads/stream";
const METRICS = "/admin/system/metrics/stream";

let open: EventReader[] = [];
const vodkeep = await startTestService({ starts: true, settings: { RATE_LIMIT_FACTOR: "1000" } });
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());
afterEach(async () => {
  await Promise.all(open.map((reader) => reader.cancel()));
  open = [];
});

async function ticket(client: TestClient = admin): Promise<string> {
  return (await client.expect(auth.streamTicket)).streamTicket;
}

function request(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const { service, settings } = vodkeep;
  return service.fetch(new Request(new URL(path, settings.PUBLIC_URL), { headers }), {
    clientAddress: "127.0.0.1",
  });
}

async function connect(
  options: { path?: string; client?: TestClient; lastEventId?: string; query?: string } = {},
): Promise<EventReader> {
  const response = await request(
    `${options.path ?? UPLOADS}?token=${await ticket(options.client)}${options.query ?? ""}`,
    options.lastEventId === undefined ? {} : { "last-event-id": options.lastEventId },
  );
  expect(response.status).toBe(200);
  const reader = new EventReader(response);
  open.push(reader);
  return reader;
}

async function seed(id: string, status: "processing" | "completed" = "processing"): Promise<void> {
  await seedUpload(vodkeep.platform.database, { id, status });
}

async function change(id: string): Promise<void> {
  const { database } = vodkeep.platform;
  await database.run(sql`UPDATE uploads SET version = version + 1 WHERE id = ${id}`);
  await publishUpload(vodkeep.platform, id);
}

const updateSchema = z.object({ data: z.object({ upload: uploadSchema }) });

function readUpdate(event: unknown): Upload {
  return updateSchema.parse(event).data.upload;
}

function isAbout(id: string) {
  return ({ data }: { data: unknown }) => JSON.stringify(data).includes(`"${id}"`);
}

function isAboutAny(ids: readonly string[]) {
  return (event: { data: unknown }) => ids.some((id) => isAbout(id)(event));
}

test("a stream starts with a connection event and a retry delay of two to four seconds", async () => {
  const reader = await connect();
  expect(await reader.next()).toMatchObject({
    id: expect.any(String),
    data: { type: "connection" },
  });
  expect(reader.retryMs).toBeGreaterThanOrEqual(2_000);
  expect(reader.retryMs).toBeLessThanOrEqual(4_000);
});

test("changes arrive as events with increasing ids", async () => {
  await seed("arrives");
  const reader = await connect();
  await reader.next();
  await change("arrives");
  const update = await reader.until(isAbout("arrives"));
  expect(update.data).toMatchObject({ type: "upload_update", upload: { status: "processing" } });
  await publishUploadDeleted(vodkeep.platform, uploadIdSchema.parse("arrives"));
  const deleted = await reader.until(isAbout("arrives"));
  expect(deleted.data).toEqual({ type: "upload_deleted", id: "arrives" });
  expect(Number(deleted.id)).toBeGreaterThan(Number(update.id));
});

test("a reconnecting reader receives the changes it missed", async () => {
  await seed("missed1");
  await seed("missed2");
  const reader = await connect();
  const { id } = (await reader.next()) ?? { id: null };
  await reader.cancel();
  await change("missed1");
  await change("missed2");
  await change("missed1");
  const again = await connect({ lastEventId: id ?? "" });
  await again.next();
  expect((await again.next())?.data).toMatchObject({ upload: { id: "missed2" } });
  expect((await again.next())?.data).toMatchObject({ upload: { id: "missed1", version: 3 } });
});

test("a reader disconnected while catching up misses nothing after reconnecting", async () => {
  const ids = ["cut1", "cut2", "cut3"];
  for (const id of ids) await seed(id);
  const reader = await connect();
  let seen = (await reader.next())?.id ?? "";
  await reader.cancel();
  for (const id of ids) await change(id);
  const got: string[] = [];
  while (got.length < ids.length) {
    const again = await connect({ lastEventId: seen });
    const connection = await again.next();
    expect(connection).toEqual({ id: seen, data: { type: "connection" } });
    const update = await again.until(isAboutAny(ids));
    got.push(readUpdate(update).id);
    expect(Number(update.id)).toBeGreaterThan(Number(seen));
    seen = update.id ?? "";
    await again.cancel();
  }
  expect(got).toEqual(ids);
});

test("a reader disconnected before it has all of the newest uploads receives them again", async () => {
  await vodkeep.platform.database.run(sql`DELETE FROM uploads`);
  for (const id of ["fresh1", "fresh2", "fresh3"]) await seed(id);
  const reader = await connect({ lastEventId: "7" });
  await reader.next();
  await reader.next();
  const seen = (await reader.next())?.id ?? "";
  await reader.cancel();
  const again = await connect({ lastEventId: seen });
  await again.next();
  const events = [await again.next(), await again.next(), await again.next()];
  expect(events.map((event) => readUpdate(event).id)).toEqual(["fresh1", "fresh2", "fresh3"]);
  await again.cancel();
  await change("fresh2");
  const last = await connect({ lastEventId: events[2]?.id ?? "" });
  expect(readUpdate(await last.until(isAboutAny(["fresh1", "fresh2", "fresh3"]))).id).toBe(
    "fresh2",
  );
});

test.for(["7", "9007199254740991", "99999999999999999999", "abc", "-1", "1.5", "1e3"])(
  "a reader with the unknown Last-Event-ID %s receives the newest uploads",
  async (lastEventId) => {
    await vodkeep.platform.database.run(sql`DELETE FROM uploads`);
    for (let index = 0; index < 25; index++) await seed(`s${index}`);
    const reader = await connect({ lastEventId });
    await reader.next();
    const ids: string[] = [];
    for (let index = 0; index < 20; index++) ids.push(readUpdate(await reader.next()).id);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => `s${index + 5}`));
  },
);

test("notification counts are sent only to their own user", async () => {
  const other = await vodkeep.signInWith("1002", ["read:uploads"]);
  const mine = await connect({ query: "&live=false" });
  const theirs = await connect({ client: other });
  await mine.next();
  await theirs.next();
  await publishUnread(vodkeep.platform, { userId: "1002", unread: 9 });
  await publishUnread(vodkeep.platform, { userId: ADMIN, unread: 3 });
  expect((await mine.next())?.data).toEqual({ type: "notification", unread: 3 });
  expect((await theirs.next())?.data).toEqual({ type: "notification", unread: 9 });
});

test.for([undefined, "7", "9007199254740991", "abc", "-1", "1.5"])(
  "the metrics stream starts with metrics for any Last-Event-ID (%s)",
  async (lastEventId) => {
    const reader = await connect({
      path: METRICS,
      ...(lastEventId === undefined ? {} : { lastEventId }),
    });
    const event = await reader.next();
    systemMetricsSchema.parse(event?.data);
    expect(event?.data).not.toHaveProperty("type");
  },
);

test("a ticket opens one stream only; bearer tokens and the cookie open streams, too", async () => {
  const used = await ticket();
  const first = await request(`${UPLOADS}?token=${used}`);
  expect(first.status).toBe(200);
  await first.body?.cancel();
  const statuses: number[] = [];
  for (const [query, headers] of [
    [`?token=${used}`, {}],
    [`?token=${admin.token ?? ""}`, {}],
    ["", { cookie: `vodkeep_session=${admin.cookies.get("vodkeep_session") ?? ""}` }],
    ["", { authorization: `Bearer ${admin.token ?? ""}` }],
    ["", {}],
    [`?token=${"0".repeat(64)}`, {}],
    ["?token=short", {}],
    [`?token=${await ticket()}&token=${await ticket()}`, {}],
  ] as const) {
    const response = await request(`${UPLOADS}${query}`, headers);
    statuses.push(response.status);
    await response.body?.cancel();
  }
  expect(statuses).toEqual([401, 200, 200, 200, 401, 401, 401, 400]);
});

test("a ticket expires after a minute", async () => {
  const late = await ticket();
  vodkeep.clock.advance(60_001);
  expect((await request(`${UPLOADS}?token=${late}`)).status).toBe(401);
});

test("losing its permission closes a stream, but not one with another permission", async () => {
  const { database } = vodkeep.platform;
  const user = await vodkeep.signInWith("1003", ["read:uploads", "read:system"]);
  const uploads = await connect({ client: user });
  const metrics = await connect({ client: user, path: METRICS });
  await metrics.next();
  await database.run(sql`UPDATE users SET permissions = '["read:system"]' WHERE id = '1003'`);
  await publishRightsChanged(vodkeep.platform, "1003");
  await uploads.end();
  expect(await metrics.next()).not.toBeNull();
});
