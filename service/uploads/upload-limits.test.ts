import { hash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { cancelUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
const CREATION = "/admin/uploads/manual";

let vodkeep: TestService;
let admin: TestClient;
let freeBytes: number;
beforeEach(() => {
  freeBytes = Number.MAX_SAFE_INTEGER;
});
afterEach(() => vodkeep.close());

/** Free space is simulated here; bench/rigs/full-disk.test.ts fills a real disk. */
async function start(settings: Record<string, string>): Promise<void> {
  vodkeep = await startTestService({
    settings: { STORAGE_RESERVE_GB: "1", ...settings },
    changePlatform: (platform) => ({
      ...platform,
      runtime: {
        ...platform.runtime,
        disks: async () => [{ freeBytes, sizeBytes: 100 * GIB }],
      },
    }),
  });
  admin = await vodkeep.signIn(ADMIN);
}

async function create(length: number): Promise<Response> {
  return await createTusUpload(admin, { "upload-length": String(length) });
}

async function accept(length: number): Promise<string> {
  const response = await create(length);
  expect(response.status).toBe(201);
  return response.headers.get("location") ?? "";
}

function idOf(path: string): string {
  return path.slice(CREATION.length + 1);
}

function statusesOf(responses: readonly Response[]): readonly number[] {
  return responses.map(({ status }) => status).toSorted((one, other) => one - other);
}

async function patch(path: string, offset: number, bytes: Uint8Array): Promise<Response> {
  return await sendTusBytes(admin, path, offset, new Uint8Array(bytes));
}

async function expectRefusal(
  response: Response,
  status: number,
  code: string,
  message: string,
): Promise<void> {
  expect(await response.json()).toEqual({ error: { code, message } });
  expect(response.status).toBe(status);
}

test("a user has at most a hundred unfinished uploads", async () => {
  await start({});
  const { database } = vodkeep.platform;
  for (let count = 1; count < 100; count += 1)
    await seedUpload(database, { id: `other${count}`, ownerId: ADMIN });
  await database.run(sql`UPDATE uploads SET kind = 'manual'`);
  const path = await accept(1);
  const message = "You have 100 unfinished uploads. Finish or cancel some of them first.";
  await expectRefusal(await create(1), 429, "rate_limited", message);
  await admin.expect(cancelUpload, addressOf(cancelUpload, { id: idOf(path) }));
  expect((await create(1)).status).toBe(201);
  await database.run(sql`UPDATE uploads SET stored_bytes = 1 WHERE id = 'other1'`);
  vodkeep.clock.advance(10 * 60_000);
  for (let count = 1; count < 100; count += 1) expect((await create(1)).status).toBe(201);
  await expectRefusal(await create(1), 429, "rate_limited", message);
});

test("rejects new uploads and bytes below the reserve, and resumes once there is space", async () => {
  await start({});
  const bytes = randomBytes(3 * MIB);
  const path = await accept(bytes.length);
  const first = bytes.subarray(0, MIB);
  const rest = bytes.subarray(MIB);
  expect((await patch(path, 0, first)).status).toBe(204);

  freeBytes = GIB + MIB;
  const message =
    "The disk is nearly full: less than 1 GB are free. The upload can go on when there is room.";
  const refused = await patch(path, MIB, rest);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  await expectRefusal(refused, 503, "unavailable", message);
  await expectRefusal(
    await create(2 * MIB),
    503,
    "unavailable",
    "The disk does not have enough space for this file. The upload can go on when there is room.",
  );

  freeBytes = 2 * GIB;
  expect((await patch(path, MIB, rest)).status).toBe(204);
  await vodkeep.service.consume({ uploadId: idOf(path) });
  const [file] = await vodkeep.platform.database.all(sql`SELECT sha256, status FROM files`);
  expect(file).toEqual({
    status: "complete",
    sha256: hash("sha256", bytes),
  });
});

test("concurrently accepted uploads fit on the disk together", async () => {
  await start({});
  freeBytes = 21 * GIB;
  const created = await Promise.all(Array.from({ length: 10 }, () => create(6 * GIB)));
  expect(statusesOf(created)).toEqual([
    ...Array.from({ length: 3 }, () => 201),
    ...Array.from({ length: 7 }, () => 503),
  ]);
});

test("an upload that is declared and not sent takes room on the disk for a minute only", async () => {
  await start({});
  freeBytes = 21 * GIB;
  expect((await create(15 * GIB)).status).toBe(201);
  expect((await create(15 * GIB)).status).toBe(503);
  await vodkeep.platform.database.run(sql`UPDATE uploads SET updated_at = updated_at - 60001`);
  expect((await create(15 * GIB)).status).toBe(201);
});
