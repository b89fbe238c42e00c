import { afterAll, expect, test } from "vitest";
import * as calls from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

const types = ["twitch", "manual", "chunk"] as const;
const statuses = ["complete", "partial", "orphaned"] as const;

const FILES = Array.from({ length: 60 }, (_, index) => ({
  key: `vods/${2_001 + (index % 3)}/${index}/file${index}.ts`,
  filename: index % 7 === 0 ? `100%_${index}.ts` : `clip ${index}.ts`,
  userId: index % 5 === 0 ? null : String(2_001 + (index % 3)),
  sizeBytes: (index * 7_919) % 1_000,
  uploadType: types[index % 3] ?? "twitch",
  status: statuses[Math.floor(index / 3) % 3] ?? "complete",
  modifiedAtMs: 1_000_000 + ((index * 31) % 60),
  // The last millisecond of January and the first of February.
  ...(index % 4 === 0 && { recordedAtMs: Date.UTC(2026, 1) - (index % 8 === 0 ? 1 : 0) }),
}));

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
for (const id of ["2001", "2002", "2003"])
  await vodkeep.platform.database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES (${id}, ${`owner${id}`}, ${id}, 1)`,
  );
for (const file of FILES) await seedFile(vodkeep.platform, file);
afterAll(() => vodkeep.close());

function browse(query: Record<string, string> = {}) {
  return admin.expect(
    calls.browseFiles,
    `${calls.browseFiles.path}?${new URLSearchParams(query).toString()}`,
  );
}

test("the file statistics match the rows", async () => {
  const stats = await admin.expect(calls.fileStats);
  const owners = ["2001", "2002", "2003"].map((userId) => {
    const own = FILES.filter((file) => file.userId === userId);
    const size = own.reduce((sum, file) => sum + file.sizeBytes, 0);
    return { userId, username: `owner${userId}`, files: own.length, size };
  });
  expect(stats).toEqual({
    totalFiles: 60,
    totalSize: FILES.reduce((sum, file) => sum + file.sizeBytes, 0),
    usersWithFiles: 3,
    largestOwners: owners.sort((one, other) => other.size - one.size),
    months: ["2026-02", "2026-01"],
    byStatus: { complete: 21, partial: 21, orphaned: 18 },
    byType: { twitch: 20, manual: 20, chunk: 20 },
  });
});

test("chunks that are left out are counted, also those of one owner", async () => {
  for (const filter of [{}, { userId: "2001" }, { status: "partial" }]) {
    const chunks = await browse({ ...filter, uploadType: "chunk" });
    const { files, pagination, hiddenChunks } = await browse({ ...filter, chunks: "hidden" });
    expect(files.map(({ uploadType }) => uploadType)).not.toContain("chunk");
    expect(hiddenChunks).toBe(chunks.pagination.total);
    expect(pagination.total + chunks.pagination.total).toBe(
      (await browse(filter)).pagination.total,
    );
  }
});

test("the file statistics list only the eight largest owners", async () => {
  const { database } = vodkeep.platform;
  for (let index = 1; index <= 9; index += 1)
    await seedFile(vodkeep.platform, {
      key: `vods/${3_000 + index}/1/large.ts`,
      userId: String(3_000 + index),
      sizeBytes: index * 1_000_000,
    });
  const { usersWithFiles, largestOwners } = await admin.expect(calls.fileStats);
  expect(usersWithFiles).toBe(12);
  expect(largestOwners.map(({ userId }) => userId)).toEqual(
    [9, 8, 7, 6, 5, 4, 3, 2].map((index) => String(3_000 + index)),
  );
  await database.run(sql`DELETE FROM files WHERE user_id > '3000'`);
});

test.each([
  ["all files", {}],
  ["a status", { status: "complete" as const }],
  ["a search", { search: "of-many" }],
])("all users are counted beside the first hundred: %s", async (_what, filter) => {
  const { database } = vodkeep.platform;
  await database.run(sql`DELETE FROM files`);
  for (let index = 1; index <= 103; index += 1)
    await seedFile(vodkeep.platform, {
      key: `vods/${4_000 + index}/1/of-many.ts`,
      userId: String(4_000 + index),
      sizeBytes: 1,
    });
  await seedFile(vodkeep.platform, { key: "vods/0/1/of-many.ts", userId: null, sizeBytes: 1 });
  const { byUser, users } = await browse(filter);
  expect([byUser.length, users]).toEqual([100, 103]);
});

test("an empty store and a file of 5 TB are listed with correct totals", async () => {
  const { database } = vodkeep.platform;
  await database.run(sql`DELETE FROM files`);
  const empty = await browse();
  expect(empty).toMatchObject({
    files: [],
    byUser: [],
    pagination: { total: 0, totalPages: 0, hasNext: false },
    summary: { totalFiles: 0, totalSizeFormatted: "0 Bytes" },
  });
  expect(await admin.expect(calls.fileStats)).toMatchObject({ totalFiles: 0, totalSize: 0 });
  await seedFile(vodkeep.platform, { key: "vods/1/2/large.ts", sizeBytes: 5 * 1_024 ** 4 });
  expect((await browse()).summary.totalSizeFormatted).toBe("5 TB");
  expect((await admin.expect(calls.fileStats)).totalSize).toBe(5 * 1_024 ** 4);
});

async function near(key: string) {
  const path = `/admin/r2/neighbours/${key}`;
  const { newer, older } = await admin.expect(calls.neighbouringFiles, path);
  return [newer, older].map((files) => files.map((file) => file.key));
}

test("the channel's other videos stand beside one, the nearest broadcast first", async () => {
  const { database } = vodkeep.platform;
  await database.run(sql`DELETE FROM files`);
  const keys = Array.from({ length: 25 }, (_, index) => `vods/2001/${index}/near.ts`);
  for (const [index, key] of keys.entries())
    // Pairs of broadcasts began at the same instant.
    await seedFile(vodkeep.platform, { key, userId: "2001", recordedAtMs: index >> 1 });
  await seedFile(vodkeep.platform, { key: "vods/2001/x/undated.ts", userId: "2001" });
  for (const [key, other] of [
    ["vods/2001/x/orphan.ts", { userId: "2001", status: "orphaned" }],
    ["vods/2001/x/chunk.ts", { userId: "2001", uploadType: "chunk", status: "partial" }],
    ["vods/2002/x/other.ts", { userId: "2002" }],
  ] as const)
    await seedFile(vodkeep.platform, { key, recordedAtMs: 6, ...other });
  expect(await near("vods/2001/13/near.ts")).toEqual([
    keys.slice(14, 24),
    keys.slice(3, 13).toReversed(),
  ]);
  expect(await near("vods/2001/24/near.ts")).toEqual([[], keys.slice(14, 24).toReversed()]);
  expect(await near("vods/2001/x/undated.ts")).toEqual([[], keys.slice(15, 25).toReversed()]);
});
