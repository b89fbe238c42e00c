import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { browseFiles } from "#contract/files.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { getUpload, listUploads } from "#contract/uploads.ts";
import { buildFilePage } from "#console/testing/answer-files.ts";
import { answerFull } from "#console/testing/answer-full.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

const NAMES = ["a.ts", "b.ts", "c.ts"];
const UPLOADS = NAMES.map((filename) => buildUpload({ filename, status: "processing" }));

type Service = ReturnType<typeof scriptService>;
type Names = () => readonly string[];

const LISTS = [
  {
    address: "/uploads?status=processing",
    action: "Actions for b.ts",
    state: "Completed",
    answerRows: ({ answer }: Service, names: Names) =>
      answer(listUploads, () => buildPage(names().map(uploadOf))),
  },
  {
    address: "/files",
    action: "Actions for b.ts",
    state: "Complete",
    answerRows: ({ answer }: Service, names: Names) =>
      answer(browseFiles, () => buildFilePage(names().map(fileOf))),
  },
];

function uploadOf(filename: string) {
  return UPLOADS.find((upload) => upload.filename === filename) ?? buildUpload({ filename });
}

function fileOf(filename: string) {
  return buildFile({ key: `vods/1/2/${filename}`, filename });
}

test.each(LISTS)(
  "the action under a resting pointer stays the same on $address, whatever ends and arrives",
  async ({ address, action, state, answerRows }) => {
    await page.viewport(1_280, 800);
    const service = scriptService();
    answerFull(service);
    let names = NAMES;
    answerRows(service, () => names);
    service.answer(getUpload, ({ url }) => {
      const ended = UPLOADS.find(({ id }) => url.endsWith(id));
      return buildUpload({ ...ended, version: 2, status: "completed", fileKey: "vods/1/1/b.ts" });
    });
    signIn();
    const queryClient = mountConsole(address);
    const target = page.getByRole("button", { name: action });
    await userEvent.hover(target);
    const { x, y, width, height } = target.element().getBoundingClientRect();
    const underPointer = () =>
      document.elementFromPoint(x + width / 2, y + height / 2)?.closest("button")?.ariaLabel;
    expect(underPointer()).toBe(action);
    for (names of [
      ["new.ts", "a.ts", "c.ts"],
      ["newer.ts", "new.ts", "c.ts"],
    ]) {
      await queryClient.refetchQueries({ type: "active" });
      expect(underPointer()).toBe(action);
    }
    const row = page.getByRole("row").filter({ has: target });
    await expect.poll(() => row.element().textContent).toContain(state);
    await expect.element(page.getByRole("button", { name: "2 new" })).toBeVisible();
    for (names of [names, ["newest.ts", ...names]]) {
      await userEvent.keyboard("r");
      await expect.element(target).not.toBeInTheDocument();
      for (const name of names)
        await expect.element(page.getByRole("row").filter({ hasText: name })).toBeVisible();
    }
    names = ["last.ts", ...names];
    await queryClient.refetchQueries({ type: "active" });
    await expect.element(page.getByRole("button", { name: / new$/ })).toBeVisible();
    await userEvent.hover(page.getByRole("heading", { level: 1 }));
    await expect.element(page.getByRole("row").filter({ hasText: "last.ts" })).toBeVisible();
  },
);
