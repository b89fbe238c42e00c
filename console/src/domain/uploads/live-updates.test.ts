import { expect, test } from "vitest";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { applyDeletion, applyUpload } from "./live-updates.ts";
import { uploadsQuery } from "./upload-queries.ts";
import { uploadQuery } from "./upload-query.ts";
import type { UploadPage } from "./uploads-view.ts";

const VIEW = { page: 1 };
const KEY = uploadsQuery(VIEW, true).queryKey;

/** A poll that was sent before an event and is answered after it. */
function startPoll(queryClient: ReturnType<typeof createQueryClient>, answer: UploadPage) {
  const { promise, resolve } = Promise.withResolvers<UploadPage>();
  const poll = queryClient.fetchQuery({ queryKey: KEY, queryFn: () => promise });
  return { respond: () => resolve(answer), ended: poll.catch(() => undefined) };
}

test("a poll sent before a row arrived does not remove it, and leaves the query idle", async () => {
  const queryClient = createQueryClient();
  const old = buildUpload();
  const fresh = buildUpload();
  queryClient.setQueryData(KEY, buildPage([old]), { updatedAt: 1 });
  const poll = startPoll(queryClient, buildPage([old]));
  applyUpload(queryClient, fresh);
  poll.respond();
  await poll.ended;
  await Promise.resolve();
  expect(queryClient.getQueryData(KEY)).toEqual({ ...buildPage([fresh, old]) });
  expect(queryClient.getQueryState(KEY)?.fetchStatus).toBe("idle");
});

test("a live update does not make a page pass for just answered", () => {
  const queryClient = createQueryClient();
  queryClient.setQueryData(KEY, buildPage([buildUpload()]), { updatedAt: 1 });
  applyUpload(queryClient, buildUpload());
  expect(queryClient.getQueryData<UploadPage>(KEY)?.total).toBe(2);
  expect(queryClient.getQueryState(KEY)?.dataUpdatedAt).toBe(1);
});

test("a deleted row is removed from every cached page", () => {
  const queryClient = createQueryClient();
  const upload = buildUpload();
  const other = uploadsQuery({ page: 1, status: "pending" }, true).queryKey;
  queryClient.setQueryData(KEY, buildPage([upload]));
  queryClient.setQueryData(other, buildPage([upload]));
  applyDeletion(queryClient, upload.id);
  expect(queryClient.getQueryData(KEY)).toEqual(buildPage([]));
  expect(queryClient.getQueryData(other)).toEqual(buildPage([]));
});

test("live updates refresh cached uploads and do not cache others", () => {
  const queryClient = createQueryClient();
  const [asked, unasked] = [buildUpload(), buildUpload()];
  queryClient.setQueryData(uploadQuery(asked.id).queryKey, asked);
  for (const upload of [asked, unasked])
    applyUpload(queryClient, { ...upload, version: upload.version + 1 });
  expect(queryClient.getQueryData(uploadQuery(asked.id).queryKey)).toMatchObject({
    version: asked.version + 1,
  });
  expect(queryClient.getQueryCache().getAll()).toHaveLength(1);
});
