import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { getFile } from "#contract/files.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { getUpload, readChatAgain } from "#contract/uploads.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { answerFiles } from "#console/testing/answer-files.ts";
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

test("a video without its chat says so and gets it again", async () => {
  const service = scriptService();
  const upload = buildUpload({
    kind: "twitch",
    status: "completed",
    fileKey: "vods/1/2/3.ts",
    chat: { state: "gone", untilSec: null },
  });
  service.answer(getUpload, () => upload);
  const chat = { state: "reading", untilSec: 65 } as const;
  service.answer(readChatAgain, () => ({ ...upload, version: upload.version + 1, chat }));
  answerFiles(service, [buildFile({ key: "vods/1/2/3.ts", uploadId: upload.id })]);
  signIn();
  mountConsole(`/watch/${upload.id}`);
  await expect.element(page.getByText("Chat gone at Twitch").first()).toBeVisible();
  await page.getByRole("button", { name: "Get the chat again" }).first().click();
  await expect.element(page.getByText("Chat: reading, to 0:01:05").first()).toBeVisible();
});

test("pointing at a link requests nothing of its video, whose use is audited", async () => {
  const queryClient = createQueryClient();
  const opening = { search: {}, params: { uploadId: buildUpload().id }, may: () => true };
  await prefetchWatch({ ...opening, queryClient, cause: "preload" });
  expect(queryClient.getQueryCache().getAll()).toEqual([]);
});
