import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ChatState } from "#contract/chat-state.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { getFile, getFileProof, neighbouringFiles, objectKeySchema } from "#contract/files.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { getUpload, readChatAgain } from "#contract/uploads.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { answerFiles } from "#console/testing/answer-files.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { prefetch } from "./watch-page.tsx";

const heading = (name: string) => page.getByRole("heading", { level: 1, name });

test("a file deleted since its upload was read is called deleted, not an unknown address", async () => {
  const service = scriptService();
  const upload = buildUpload({ status: "completed", fileKey: "vods/1/2/3.ts" });
  service.answer(getUpload, () => upload);
  service.answer(getFile, () => refusal("There is no such file.", "not_found", 404));
  signIn();
  mountConsole(`/watch/${upload.id}`);
  await expect.element(page.getByText("Its file was deleted.")).toBeVisible();
  await expect.element(page.getByRole("heading", { name: upload.filename })).toBeVisible();
});

test("a video leads to those before and after it, and back to the list it was opened from", async () => {
  const service = scriptService();
  const videos = ["3", "2", "1"].map((number) => {
    const key = objectKeySchema.parse(`vods/1/${number}/4.ts`);
    const title = `Stream ${number}.ts`;
    const id = uploadIdSchema.parse(number.repeat(24));
    return {
      upload: buildUpload({ id, status: "completed", fileKey: key, filename: title }),
      file: buildFile({ key, filename: title, title, uploadId: id, durationSec: 90 }),
    };
  });
  answerFiles(
    service,
    videos.map(({ file }) => file),
  );
  service.answer(
    getUpload,
    ({ url }) =>
      videos.find(({ upload }) => url.includes(upload.id))?.upload ??
      new Response(null, { status: 404 }),
  );
  service.answer(neighbouringFiles, ({ url }) => {
    const at = videos.findIndex(({ file }) => url.includes(file.key));
    const files = videos.map(({ file }) => file);
    return { newer: files.slice(0, at).toReversed(), older: files.slice(at + 1) };
  });
  signIn();
  mountConsole("/files?search=stream");
  await page.getByRole("link", { name: "Stream 2.ts" }).click();
  await expect.element(heading("Stream 2.ts")).toBeVisible();
  await page.getByRole("tab", { name: "Videos" }).click();
  await expect.element(page.getByRole("link", { name: "Stream 1.ts 1m 30s" })).toBeVisible();
  await userEvent.keyboard("N");
  await expect.element(heading("Stream 3.ts")).toBeVisible();
  const next = page.getByRole("button", { name: "Next video" });
  await expect.element(next).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("button", { name: "Previous video: Stream 2.ts" }).click();
  await expect.element(heading("Stream 2.ts")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "File Browser" }).click();
  await expect.element(page.getByRole("searchbox")).toHaveValue("stream");
});

test("a video without its chat says so and gets it again", async () => {
  const service = scriptService();
  const upload = buildUpload({
    kind: "twitch",
    status: "completed",
    fileKey: "vods/1/2/3.ts",
    chat: { state: "gone", untilSec: null, shortSeconds: [] },
  });
  service.answer(getUpload, () => upload);
  const chat: ChatState = { state: "reading", untilSec: 65, shortSeconds: [] };
  service.answer(readChatAgain, () => ({ ...upload, version: upload.version + 1, chat }));
  answerFiles(service, [buildFile({ key: "vods/1/2/3.ts", uploadId: upload.id })]);
  signIn();
  mountConsole(`/watch/${upload.id}`);
  await expect.element(page.getByText("Chat gone at Twitch").first()).toBeVisible();
  await page.getByRole("button", { name: "Get the chat again" }).first().click();
  await expect.element(page.getByText("Chat: reading, to 0:01:05").first()).toBeVisible();
});

test("what proves a video's file is shown and asked for only once opened", async () => {
  const service = scriptService();
  const key = objectKeySchema.parse("vods/1/2/3.ts");
  const upload = buildUpload({ status: "completed", fileKey: key, fileStatus: "complete" });
  service.answer(getUpload, () => upload);
  answerFiles(service, [buildFile({ key, uploadId: upload.id, metadata: { tag: "etag-1" } })]);
  service.answer(getFileProof, () => ({ partSha256: ["0".repeat(64)], partSizeBytes: 8 }));
  signIn();
  mountConsole(`/watch/${upload.id}`);
  await expect.element(page.getByText("Last Modified")).toBeVisible();
  expect(service.calls.filter((call) => call.includes("/proof/"))).toEqual([]);
  await expect.element(page.getByText("etag-1")).not.toBeInTheDocument();
  await page.getByText("Proof", { exact: true }).click();
  await expect.element(page.getByText("SHA-256 of 1 part")).toBeVisible();
  await expect.element(page.getByText("etag-1")).toBeVisible();
});

test("pointing at a link requests nothing of its video, whose use is audited", async () => {
  const queryClient = createQueryClient();
  const opening = { search: {}, params: { uploadId: buildUpload().id }, may: () => true };
  await prefetch({ ...opening, queryClient, cause: "preload" });
  expect(queryClient.getQueryCache().getAll()).toEqual([]);
});
