import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { answerChannels } from "#console/testing/answer-channels.ts";
import { answerFiles } from "#console/testing/answer-files.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

test.each([
  {
    address: "/uploads",
    title: "No uploads found",
    hint: "Nothing has been archived yet. Start with a VOD's address.",
    step: page.getByRole("button", { name: "New archive" }),
    next: page.getByRole("dialog", { name: /archive/i }),
  },
  {
    address: "/uploads/failed",
    title: "No failed uploads",
    hint: "Every upload is completed, cancelled or in progress.",
    step: page.getByRole("link", { name: "Watch the uploads" }),
    next: page.getByRole("heading", { name: "Upload Monitor" }),
  },
  {
    address: "/files",
    title: "No files found",
    hint: "No files are currently stored in R2",
    step: page.getByRole("link", { name: "Archive a VOD" }),
    next: page.getByRole("dialog", { name: /archive/i }),
  },
  {
    address: "/channels",
    title: "No channels found",
    hint: "Name a channel once, and each of its new VODs is archived by itself. Its owner agrees to that, or you confirm that you hold the rights.",
    step: page.getByRole("button", { name: "Add channels" }),
    next: page.getByRole("dialog", { name: "Add channels" }),
  },
])(
  "an empty $address shows a hint and leads to the next step",
  async ({ address, title, hint, step, next }) => {
    const service = scriptService();
    answerUploads(service);
    answerFiles(service);
    answerChannels(service);
    signIn();
    mountConsole(address);
    await expect.element(page.getByText(title, { exact: true })).toBeVisible();
    await expect.element(page.getByText(hint, { exact: true })).toBeVisible();
    await step.last().click();
    await expect.element(next).toBeVisible();
  },
);
