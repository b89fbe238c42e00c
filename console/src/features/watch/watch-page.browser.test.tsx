import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { getFile } from "#contract/files.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { getUpload } from "#contract/uploads.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { prefetchWatch } from "./prefetch-watch.ts";

test("a file deleted since its upload was read is called deleted, not an unknown address", async () => {
  const service = scriptService();
  const upload = buildUpload({ status: "completed", fileKey: "vods/1/2/3.ts" });
  service.answer(getUpload, () => upload);
  service.answer(getFile, () =>
    Response.json(
      { error: { code: "not_found", message: "There is no such file." } },
      { status: 404 },
    ),
  );
  signIn();
  mountConsole(`/watch/${upload.id}`);
  await expect.element(page.getByText("Its file was deleted.")).toBeVisible();
  await expect.element(page.getByRole("heading", { name: upload.filename })).toBeVisible();
});

test("pointing at a link requests nothing of its video, whose use is audited", async () => {
  const queryClient = createQueryClient();
  const opening = { search: {}, params: { uploadId: buildUpload().id }, may: () => true };
  await prefetchWatch({ ...opening, queryClient, cause: "preload" });
  expect(queryClient.getQueryCache().getAll()).toEqual([]);
});
