import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import type { RowUsage, Statement } from "#service/ports/database.ts";
import type { TagAlgorithm } from "#service/ports/object-store.ts";
import type { Platform } from "#service/platform.ts";
import { openContext } from "#service/open-context.ts";
import { createCopiedBytes } from "#service/history/copied-bytes.ts";
import { observeStore } from "#service/metrics/observed-store.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { meterPlatform } from "./meter-platform.ts";
import { sampleLevels } from "./metering-tasks.ts";
import { readLedger } from "./usage-ledger.ts";
import { NO_USAGE } from "./usage.ts";

let service: TestService;

beforeEach(async () => {
  service = await startTestService();
});

afterEach(() => service.close());

async function usageAfter(work: (platform: Platform) => Promise<void>, base = service.platform) {
  await service.platform.database.run(sql`DELETE FROM usage_days`);
  const { platform, meter } = meterPlatform(base);
  const copiedBytes = createCopiedBytes(platform.database, platform.clock);
  const objects = observeStore(base.objects, { meter, copiedBytes, telemetry: null });
  await work({ ...platform, objects });
  await meter.flushAll();
  const { days } = await readLedger(service.platform.database, "2000-01-01");
  return days[0]?.usage ?? NO_USAGE;
}

const key = objectKeySchema.parse("vods/1/2/three.ts");
const options = { contentType: "video/mp2t" };

test("a multipart upload costs one class A operation to create, per part and to complete", async () => {
  const part = new Uint8Array(5 * 1024 * 1024);
  const usage = await usageAfter(async ({ objects }) => {
    const handle = await objects.createMultipart(key, options);
    const parts = [
      await objects.uploadPart(handle, 1, part),
      await objects.uploadPart(handle, 2, part),
    ];
    await objects.completeMultipart(handle, parts);
  });
  expect(usage).toMatchObject({ classAOperations: 4, classBOperations: 0 });
});

test("reads count as class B with their bytes, while deletes and aborts are free", async () => {
  const usage = await usageAfter(async ({ objects }) => {
    await objects.put(key, new Uint8Array(1_000), options);
    await objects.head(key);
    const whole = await objects.get(key);
    await whole?.body.cancel();
    const range = await objects.get(key, { offset: 10, length: 100 });
    await range?.body.cancel();
    const handle = await objects.createMultipart(key, options);
    await objects.abortMultipart(handle);
    await objects.delete(key);
    await objects.list({});
  });
  expect(usage).toMatchObject({ classAOperations: 3, classBOperations: 3, egressBytes: 1_100 });
});

test("store wrappers report a tag algorithm that becomes known later", async () => {
  let partTagAlgorithm: TagAlgorithm = "none";
  const learning = {
    ...service.platform.objects,
    get partTagAlgorithm() {
      return partTagAlgorithm;
    },
  };
  const { context } = openContext({ ...service.platform, objects: learning }, service.settings);
  partTagAlgorithm = "md5";
  expect(context.platform.objects.partTagAlgorithm).toBe("md5");
});

test("failed operations are billed too", async () => {
  const usage = await usageAfter(async ({ objects }) => {
    const unknown = { key, multipartId: "never-begun" };
    await objects.completeMultipart(unknown, []).catch(() => null);
  });
  expect(usage.classAOperations).toBe(1);
});

test("rows read and written are estimated from the returned and changed rows", async () => {
  const { database: reporting } = service.platform;
  const silent = {
    ...service.platform,
    database: {
      all: (statement: Statement) => reporting.all(statement),
      run: (statement: Statement) => reporting.run(statement),
      batch: (statements: readonly Statement[]) => reporting.batch(statements),
    },
  };
  const usage = await usageAfter(async ({ database }) => {
    await database.run(sql`INSERT INTO erased_chatters VALUES ('1', 0), ('2', 0)`);
    await database.all(sql`SELECT * FROM erased_chatters WHERE user_id IN ('1', '2')`);
    await database.batch([sql`DELETE FROM erased_chatters WHERE user_id = '1'`, sql`SELECT 1`]);
  }, silent);
  // 1 + 2 + 1 + 1 read and 2 + 1 written, plus the ledger's own row.
  expect(usage).toMatchObject({ rowsRead: 6, rowsWritten: 4 });
});

test("usage reported by the database replaces the estimate", async () => {
  const listeners: ((usage: RowUsage) => void)[] = [];
  const billed = {
    ...service.platform,
    database: {
      ...service.platform.database,
      onUsage(listener: (usage: RowUsage) => void) {
        listeners.push(listener);
      },
    },
  };
  const usage = await usageAfter(async ({ database }) => {
    await database.all(sql`SELECT 1`);
    for (const listener of listeners) listener({ rowsRead: 70_000, rowsWritten: 12 });
  }, billed);
  expect(usage).toMatchObject({ rowsRead: 70_001, rowsWritten: 13 });
});

test("queue, cache and hub operations are counted as their products bill them", async () => {
  const usage = await usageAfter(async ({ queue, cache, hub }) => {
    await queue.send({ uploadId: "u1" }, 3_600_000);
    await cache.set("k", "v", 60_000);
    await cache.get("k");
    await cache.clear();
    await hub.publish("topic", "data");
  });
  expect(usage).toMatchObject({
    queueOperations: 3,
    kvWrites: 1,
    kvReads: 1,
    kvLists: 1,
    kvDeletes: 1,
    durableObjectRequests: 1,
  });
});

test("stored bytes count each indexed file and the parts of unfinished uploads once", async () => {
  const { database } = service.platform;
  await service.signIn(ADMIN);
  await database.batch([
    sql`INSERT INTO files (object_key, upload_id, size_bytes, upload_type, status, content_type, last_modified_at)
        VALUES ('a', 'done', 1000, 'twitch', 'complete', 'video/mp2t', 0),
          ('b', 'indexed', 200, 'chunk', 'partial', 'video/mp2t', 0)`,
    ...[
      ["done", "completed", 1000],
      ["indexed", "processing", 200],
      ["fresh", "processing", 30],
      ["broken", "failed", 4],
      // Its file has been deleted.
      ["gone", "completed", 50_000],
    ].map(
      ([id = "", status = "", bytes = 0]) => sql`
        INSERT INTO uploads (id, kind, filename, owner_id, rights, status, stored_bytes, max_retries,
          failure_class, created_at, updated_at, multipart_id)
        VALUES (${id}, 'twitch', 'f', '1001', 'owner_signed_in', ${status}, ${bytes}, 3, 'ours', 0, 0, 'm')`,
    ),
  ]);
  const { context, meter } = openContext(service.platform, service.settings);
  await sampleLevels(context, meter);
  await meter.flushAll();
  const { days } = await readLedger(database, "2000-01-01");
  expect(days[0]?.usage.storedBytesPeak).toBe(1234);
  expect(days[0]?.usage.databaseBytesPeak).toBeGreaterThan(10_000);
});
