import { afterAll, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import * as calls from "#contract/verification.ts";
import { priceReading } from "#service/costs/read-price.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const GB = 1_000_000_000;

const vodkeep = await startTestService({ settings: { SCRUB_DAYS: "30" } });
afterAll(() => vodkeep.close());

test("files are asked for and audited; what is no whole file is skipped", async () => {
  const admin = await vodkeep.signIn(ADMIN);
  const [whole, orphaned] = ["vods/1/a.ts", "vods/1/b.ts"];
  await seedFile(vodkeep.platform, { key: whole, bytes: new Uint8Array(600) });
  await seedFile(vodkeep.platform, { key: orphaned, bytes: new Uint8Array(5), status: "orphaned" });
  const none = await admin.expect(calls.readVerification);
  expect(none).toMatchObject({ cycleDays: 30, bytesPerMonth: 613, usdPerMonth: 0, filesLeft: 0 });
  for (const [key, isAsked] of [
    [whole, true],
    [orphaned, false],
    ["vods/1/none.ts", false],
  ] as const)
    expect(await admin.expect(calls.verifyFile, undefined, { body: { key } })).toEqual({ isAsked });
  expect(await admin.expect(calls.readVerification)).toMatchObject({
    filesLeft: 1,
    bytesLeft: 600,
  });
  expect(await admin.expect(calls.verifyEverything)).toEqual({ files: 1 });
  expect(await admin.expect(calls.readVerification)).toMatchObject({
    filesLeft: 1,
    bytesLeft: 600,
  });
  const { items } = await admin.expect(listAudit);
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["store.verify", "file.verify"]),
  );
});

test.each([
  ["a folder", undefined, 0],
  ["R2", "r2://OBJECTS/prefix", 0],
  ["R2's S3 interface", "s3://b?endpoint=https://x.r2.cloudflarestorage.com&region=auto", 0],
  ["AWS", "s3://b?region=eu-west-1", 90.4],
])("reading a TB in a million requests from %s costs what its list says", (_, store, usd) => {
  expect(priceReading(store, { sizeBytes: 1_000 * GB, reads: 1_000_000 })).toBeCloseTo(usd);
});
