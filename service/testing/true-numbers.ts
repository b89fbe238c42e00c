import { expect } from "vitest";
import { budgets, costBreakdown, costTrend } from "#contract/costs.ts";
import { dashboardStats } from "#contract/dashboard.ts";
import { browseFiles, fileStats, fileStatusSchema, uploadTypeSchema } from "#contract/files.ts";
import { systemMetrics } from "#contract/system.ts";
import { FAILURE_CLASSES, FUTILE_RETRIES, UPLOAD_STATUSES } from "#contract/upload.ts";
import { listFailedUploads, listUploads } from "#contract/uploads.ts";
import { listUsers } from "#contract/users.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { uploadCostUsd } from "#service/costs/archive-cost.ts";
import { dayOf } from "#service/costs/billing-period.ts";
import type { TestClient } from "./test-client.ts";
import type { TestService } from "./test-service.ts";
import { readBaseRows, sumOf, type BaseRows } from "./recount.ts";

/** A service under test, and an administrator who may see all of it. */
type Watched = { readonly vodkeep: TestService; readonly admin: TestClient };

/** Calls everything that shows figures and compares them with counted rows. */
export async function expectTrueNumbers(run: Watched): Promise<void> {
  const rows = await readBaseRows(run.vodkeep.platform.database);
  await expectTrueUploads(run, rows);
  await expectTrueFiles(run, rows);
  await expectTrueUsers(run, rows);
  await expectTrueOverview(run, rows);
  await expectTrueCosts(run, rows);
}

async function expectTrueUploads({ admin }: Watched, { uploads }: BaseRows): Promise<void> {
  const listed = async (query: string) =>
    await admin.expect(listUploads, `/admin/uploads?limit=100${query}`);
  for (const status of [undefined, ...UPLOAD_STATUSES]) {
    const own = uploads.filter((upload) => status === undefined || upload.status === status);
    const answer = await listed(status === undefined ? "" : `&status=${status}`);
    expect([status, answer.total]).toEqual([status, own.length]);
    expect(answer.items.map(({ id }) => id)).toEqual(own.map(({ id }) => id));
    expect(answer.items.map(({ costUsd }) => costUsd)).toEqual(
      own.map((upload) => uploadCostUsd(upload.stored_bytes, upload.part_size_bytes)),
    );
  }
  for (const ownerId of new Set(uploads.map((upload) => upload.owner_id)))
    expect((await listed(`&userId=${ownerId}`)).total).toBe(
      uploads.filter((upload) => upload.owner_id === ownerId).length,
    );
  for (const word of ["clip", ".ts"])
    expect((await listed(`&search=${word}`)).total).toBeGreaterThanOrEqual(
      uploads.filter(({ filename }) => filename.includes(word)).length,
    );

  const failed = uploads.filter(({ status }) => status === "failed");
  const hasRetries = (upload: (typeof uploads)[number]) => upload.retry_count < upload.max_retries;
  const canRetry = (list: typeof uploads) =>
    list.filter(
      (upload) =>
        hasRetries(upload) &&
        (upload.failure_class === null || !FUTILE_RETRIES.includes(upload.failure_class)),
    ).length;
  const answer = await admin.expect(listFailedUploads, "/admin/uploads/failed?limit=100");
  expect(answer.summary).toEqual({
    totalFailed: failed.length,
    canRetry: canRetry(failed),
    maxRetriesReached: failed.filter((upload) => !hasRetries(upload)).length,
  });
  expect(answer.groups).toEqual(
    FAILURE_CLASSES.flatMap((failureClass) => {
      const own = failed.filter((upload) => (upload.failure_class ?? "ours") === failureClass);
      return own.length === 0 ? [] : [{ failureClass, count: own.length, canRetry: canRetry(own) }];
    }),
  );
}

async function expectTrueFiles({ admin }: Watched, { files }: BaseRows): Promise<void> {
  const filters = [undefined, ...fileStatusSchema.options].flatMap((status) =>
    [undefined, ...uploadTypeSchema.options].map((uploadType) => ({ status, uploadType })),
  );
  for (const { status, uploadType } of filters) {
    const own = files.filter(
      (file) =>
        (status === undefined || file.status === status) &&
        (uploadType === undefined || file.upload_type === uploadType),
    );
    const query = new URLSearchParams({
      limit: "1000",
      ...(status === undefined ? {} : { status }),
      ...(uploadType === undefined ? {} : { uploadType }),
    });
    const answer = await admin.expect(browseFiles, `/admin/r2/browse?${query.toString()}`);
    expect(answer.files.map(({ key }) => key).toSorted()).toEqual(
      own.map((file) => file.object_key).toSorted(),
    );
    expect(answer.pagination.total).toBe(own.length);
    expect(answer.summary).toEqual({
      totalFiles: own.length,
      totalSizeFormatted: formatBytes(sumOf(own, (file) => file.size_bytes)),
    });
    expect(answer.byStatus).toEqual(countByStatus(own));
    const owners = [...new Set(own.map((file) => file.user_id))];
    expect(new Map(answer.byUser.map((group) => [group.userId, group]))).toEqual(
      new Map(
        owners.map((userId) => {
          const theirs = own.filter((file) => file.user_id === userId);
          const size = sumOf(theirs, (file) => file.size_bytes);
          const group = { userId, files: theirs.length, size };
          return [userId, expect.objectContaining(group)];
        }),
      ),
    );
  }
  const sizes = new Map<string, number>();
  for (const { user_id: id, size_bytes: size } of files)
    if (id !== null) sizes.set(id, (sizes.get(id) ?? 0) + size);
  const ofType = (type: string) => files.filter((file) => file.upload_type === type).length;
  expect(await admin.expect(fileStats)).toEqual({
    totalFiles: files.length,
    totalSize: sumOf(files, (file) => file.size_bytes),
    usersWithFiles: sizes.size,
    largestOwners: [...sizes]
      .sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1))
      .slice(0, 8)
      .map(([userId, size]) => expect.objectContaining({ userId, size })),
    byStatus: countByStatus(files),
    byType: { twitch: ofType("twitch"), manual: ofType("manual"), chunk: ofType("chunk") },
  });
}

function countByStatus(files: BaseRows["files"]): Record<string, number> {
  return Object.fromEntries(
    fileStatusSchema.options.map((status) => [
      status,
      files.filter((file) => file.status === status).length,
    ]),
  );
}

async function expectTrueUsers(
  { admin }: Watched,
  { users, uploads, files }: BaseRows,
): Promise<void> {
  for (const query of [
    "",
    "&isAdmin=true",
    "&isAdmin=false",
    "&isBanned=true",
    "&isBanned=false",
  ]) {
    const own = users.filter(({ permissions: held, banned_at: bannedAt }) => {
      if (query.includes("isAdmin")) return query.endsWith("true") === held.length > 0;
      return query === "" || query.endsWith("true") === (bannedAt !== null);
    });
    const answer = await admin.expect(listUsers, `/admin/users?limit=100${query}`);
    expect([query, answer.total]).toEqual([query, own.length]);
    expect(new Set(answer.items.map(({ id }) => id))).toEqual(new Set(own.map(({ id }) => id)));
    for (const user of answer.items)
      expect([user.uploads, user.storedBytes]).toEqual([
        uploads.filter((upload) => upload.owner_id === user.id).length,
        sumOf(
          files.filter((file) => file.user_id === user.id),
          (file) => file.size_bytes,
        ),
      ]);
  }
}

async function expectTrueOverview(
  { admin, vodkeep }: Watched,
  { uploads, files, users }: BaseRows,
): Promise<void> {
  const ofStatus = (status: string) => uploads.filter((upload) => upload.status === status).length;
  const used = sumOf(files, (file) => file.size_bytes);
  const capacity = vodkeep.settings.STORAGE_CAPACITY_GB * 1024 ** 3;
  expect(await admin.expect(dashboardStats)).toEqual({
    uploads: {
      total: uploads.length,
      today: uploads.filter((upload) => dayOf(upload.created_at) === dayOf(vodkeep.clock.now()))
        .length,
      completed: ofStatus("completed"),
      processing: ofStatus("processing"),
      failed: ofStatus("failed"),
      pending: ofStatus("pending"),
    },
    users: {
      active: users.filter((user) => user.banned_at === null).length,
      total: users.length,
    },
    storage: { used, percentage: expect.closeTo((used / capacity) * 100, 9) },
  });
  expect(await admin.expect(systemMetrics)).toMatchObject({
    totalUploads: uploads.length,
    activeUploads: ofStatus("processing"),
    failedUploads: ofStatus("failed"),
    cloudflare: { r2Storage: { usedGB: Number((used / 1024 ** 3).toFixed(4)) } },
  });
  const prometheus = await admin.send("GET", "/metrics", {
    headers: { authorization: "Bearer a-token-for-metrics" },
  });
  const text = await prometheus.text();
  for (const status of UPLOAD_STATUSES)
    expect(text).toContain(`vodkeep_uploads{status="${status}"} ${ofStatus(status)}\n`);
  expect(text).toContain(`vodkeep_stored_bytes ${used}\n`);
}

/** Every view of the costs adds up to the same total. */
async function expectTrueCosts(
  { admin }: Watched,
  { uploads, files, users }: BaseRows,
): Promise<void> {
  const breakdown = await admin.expect(costBreakdown);
  const { total, workers, r2Storage, r2Operations, r2Transfer } = breakdown;
  const { d1Database, d1Operations, kvOperations, queueOperations } = breakdown;
  const parts = [workers, r2Storage, r2Operations, r2Transfer, d1Database, d1Operations];
  expect(sumOf([...parts, kvOperations, queueOperations], (usd) => usd)).toBeCloseTo(total, 6);
  const { days } = await admin.expect(costTrend, "/admin/cost-alerts/trend?days=90");
  const ofMonth = days.filter(({ date }) => date >= breakdown.periodStart);
  expect(sumOf(ofMonth, (day) => day.total)).toBeCloseTo(total, 5);
  const {
    budgets: [budget],
  } = await admin.expect(budgets);
  expect(budget?.spent).toBeCloseTo(total, 9);
  expect(budget?.remaining).toBeCloseTo(Math.max(0, (budget?.budget ?? 0) - total), 6);

  const { unitEconomics } = (await admin.expect(systemMetrics)).costAnalysis;
  const completed = uploads.filter(({ status }) => status === "completed").length;
  const gigabytes = sumOf(files, (file) => file.size_bytes) / 1024 ** 3;
  const { costPerVod, costPerUser, costPerGB } = unitEconomics;
  expect((costPerVod ?? 0) * completed).toBeCloseTo(completed === 0 ? 0 : total, 2);
  expect((costPerUser ?? 0) * users.length).toBeCloseTo(users.length === 0 ? 0 : total, 2);
  expect((costPerGB ?? 0) * gigabytes).toBeCloseTo(gigabytes === 0 ? 0 : total, 2);
}
