import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { browseFiles, bulkDeleteFiles, deleteFile, type StoredFile } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { emptyTrash, findRoom, lockFile, restoreFiles, trashFiles } from "#contract/trash.ts";
import { answerFiles, buildFilePage } from "#console/testing/answer-files.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { fileRow, openFileMenu } from "#console/testing/file-table.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow, menuItem } from "#console/testing/row-menu.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";
import { toast } from "#console/ui/toast-store.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerFiles(service);
  signIn();
});

function showFiles(...files: readonly StoredFile[]) {
  answerFiles(service, files);
  mountConsole("/files");
}

const dialog = page.getByRole("dialog");

test("one line stands for the files of unfinished uploads, which lead to these and cannot be deleted", async () => {
  const running = buildFile({
    uploadType: "chunk",
    status: "partial",
    uploadId: uploadIdSchema.parse("busy"),
    isUploadRunning: true,
  });
  service.answer(browseFiles, ({ url }) =>
    url.includes("uploadType=chunk")
      ? buildFilePage([running])
      : { ...buildFilePage([buildFile()]), hiddenChunks: 22 },
  );
  mountConsole("/files");
  const unfinished = page.getByRole("button", { name: "22 unfinished" });
  await unfinished.click();
  await expect.element(unfinished).not.toBeInTheDocument();
  await openFileMenu();
  await expect.element(menuItem("Show Upload")).toBeVisible();
  await expect.element(menuItem("Delete")).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  const remove = page.getByRole("button", { name: "Delete Selected" });
  await expect.element(remove).toHaveAccessibleDescription(/Cancel the uploads first/);
});

const STILL_RUNNING = "This file's upload is still running. Cancel the upload first.";

function refuseToDelete(kept: readonly StoredFile[], gone: readonly StoredFile[] = []) {
  service.answer(bulkDeleteFiles, () => ({
    deleted: gone.length,
    failed: kept.length,
    freed: 0,
    results: [
      ...kept.map(({ key }) => ({ key, ok: false, error: STILL_RUNNING })),
      ...gone.map(({ key }) => ({ key, ok: true })),
    ],
  }));
}

async function askToDeleteAll() {
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: "Delete Selected" }).click();
}

test("several files are deleted only by whoever types how many, and their titles are shown", async () => {
  const files = Array.from({ length: 26 }, (_, index) => buildFile({ title: `Stream ${index}` }));
  showFiles(...files);
  refuseToDelete(files);
  await askToDeleteAll();
  await expect.element(dialog.getByText(/^Stream 0, Stream 1, .+ and 21 more$/)).toBeVisible();
  const confirm = dialog.getByRole("button", { name: "Delete 26 files" });
  await expect.element(confirm).toHaveAccessibleDescription("Type 26 first.");
  await expectAccessible(ALL_RULES);
  await dialog.getByLabelText("Type 26 to confirm").fill("26");
  await confirm.click();
  await expect.poll(toastTexts).toContain(`None of the files was deleted. ${STILL_RUNNING}`);
});

test("only one file can be deleted at a time, and a failure is reported", async () => {
  const answered = Promise.withResolvers<void>();
  showFiles(buildFile(), buildFile());
  service.answer(deleteFile, async () => {
    await answered.promise;
    return new Response(null, { status: 404 });
  });
  await chooseFromRow("Delete");
  await dialog.getByRole("button", { name: "Delete file" }).click();
  document.querySelectorAll<HTMLElement>("td [role=menu]")[1]?.showPopover();
  await expect
    .poll(() => [...document.querySelectorAll("td [role=menuitem]")].at(-1)?.textContent)
    .toBe("DeleteAnother file is being deleted.");
  answered.resolve();
  await expect.poll(toastTexts).toContain("Failed to delete file");
});

test("a file that the store refuses to delete is reported with the reason, not as freed", async () => {
  const file = buildFile();
  const refusal = "Object Lock protects the object (403 AccessDenied)";
  showFiles(file);
  service.answer(deleteFile, () => ({ ...file, refusal }));
  await chooseFromRow("Delete");
  await dialog.getByRole("button", { name: "Delete file" }).click();
  await expect.poll(toastTexts).toContain(`The store refuses to delete the file: ${refusal}`);
});

test("files that can't be deleted are listed with the reason and stay selected", async () => {
  const [kept, gone] = [buildFile(), buildFile()];
  showFiles(kept, gone);
  refuseToDelete([kept], [gone]);
  await askToDeleteAll();
  await dialog.getByLabelText("Type 2 to confirm").fill("2");
  await dialog.getByRole("button", { name: "Delete 2 files" }).click();
  const report = page.getByRole("region", { name: "1 file could not be deleted" });
  await expect.element(report.getByText(/upload is still running/)).toBeVisible();
  await expect.element(page.getByText(/^1 selected/)).toBeVisible();
  await report.getByRole("button", { name: "Dismiss" }).click();
  await expect.element(report).not.toBeInTheDocument();
});

const DAY = "2999-12-10T12:00:00.000Z";

test("a file is locked from its row, and marked with what its source did since", async () => {
  const locked = vi.fn<(body: unknown) => void>();
  service.answer(lockFile, async (request) => {
    locked(await request.json());
    return { lockedAt: DAY };
  });
  showFiles(
    buildFile({ sourceChange: { kind: "gone", since: DAY } }),
    buildFile({ key: "vods/2/2.ts", lockedAt: DAY, sourceChange: { kind: "muted", since: DAY } }),
  );
  await expect
    .element(fileRow(0).getByText("Gone at the source since December 10, 2999"))
    .toBeVisible();
  await expect
    .element(fileRow(1).getByText("Muted at the source since December 10, 2999"))
    .toBeVisible();
  await expect.element(fileRow(1).getByText("Locked", { exact: true })).toBeVisible();
  await openFileMenu(1);
  await expect.element(menuItem("Delete").getByText("Unlock it first.")).toBeVisible();
  await menuItem("View Details").click();
  const remove = dialog.getByRole("button", { name: "Delete" });
  await expect.element(remove).toHaveAccessibleDescription("Unlock it first.");
  await userEvent.keyboard("{Escape}");
  await chooseFromRow("Lock");
  await expect.poll(toastTexts).toContain("File locked");
  expect(locked).toHaveBeenCalledWith({ locked: true });
  await expectAccessible(ALL_RULES);
});

test("a file goes to the trash without a question, and comes back by Undo", async () => {
  const file = buildFile();
  const asked = vi.fn<(body: unknown) => void>();
  service.answer(trashFiles, async (request) => {
    asked(await request.json());
    return { trashed: [file.key] };
  });
  service.answer(restoreFiles, async (request) => {
    asked(await request.json());
    return { restored: 1 };
  });
  // A busy machine may need longer for the press than the message stays.
  toast.pause();
  onTestFinished(() => toast.resume());
  showFiles(file);
  await chooseFromRow("Move to Trash");
  await expect.poll(toastTexts).toContain("Moved 1 file to the trash for 14 days");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(toastTexts).toContain("Restored 1 file");
  expect(asked.mock.calls).toEqual([[{ keys: [file.key] }], [{ keys: [file.key] }]]);
});

test("the trash is a filter, whose files are restored or deleted at once", async () => {
  const trashed = { trashedAt: "2026-11-26T12:00:00.000Z", trashUntil: DAY };
  const left = [30, 5, 0];
  service.answer(emptyTrash, () => ({ deleted: 25, freed: 1_000_000, left: left.shift() ?? 0 }));
  service.answer(restoreFiles, () => ({ restored: 1 }));
  showFiles(buildFile(trashed));
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabelText("Stored", { exact: true }).selectOptions("In the trash");
  await expect.element(page.getByRole("button", { name: "Filters (1)" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByRole("button", { name: "Empty the trash" })).toBeVisible();
  await expect
    .element(fileRow(0).getByText("In the trash, deleted on December 10, 2999"))
    .toBeVisible();
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: "Restore Selected" }).click();
  await expect.poll(toastTexts).toContain("Restored 1 file");
  await page.getByRole("button", { name: "Empty the trash" }).click();
  await expect.element(dialog.getByText(/^Are you sure you want to delete 1 file/)).toBeVisible();
  await expectAccessible(ALL_RULES);
  answerFiles(service, []);
  await dialog.getByRole("button", { name: "Empty the trash" }).click();
  await expect.poll(toastTexts).toContain("Deleted 75 files: 2.86 MB freed");
  await expect.element(page.getByText("The trash is empty")).toBeVisible();
  expect(left).toEqual([]);
});

test("room is made from the safest files first, up to the goal, by the trash", async () => {
  const GB = 1024 ** 3;
  const found = (name: string, gigabytes: number) => {
    const { key } = buildFile({ key: `seed/${name}.ts` });
    return { key, name, channel: null, sizeBytes: gigabytes * GB };
  };
  const lost = found("lost", 40);
  const [large, small] = [found("large", 30), found("small", 5)];
  service.answer(findRoom, () => ({
    freeBytes: 53 * GB,
    groups: [
      { group: "orphaned" as const, files: 1, sizeBytes: lost.sizeBytes, largest: [lost] },
      { group: "at_source" as const, files: 7, sizeBytes: 90 * GB, largest: [large, small] },
    ],
  }));
  const moved: unknown[] = [];
  service.answer(trashFiles, async (request) => {
    moved.push(await request.json());
    return { trashed: [lost.key, large.key] };
  });
  mountConsole("/files?room=make");
  await expect.element(dialog.getByText("53 GB are free now")).toBeVisible();
  await dialog.getByLabelText("Room to make (GB)").fill("60");
  await dialog.getByRole("button", { name: "Choose the safest" }).click();
  await expect.element(dialog.getByText("Free 60 GB: 70 GB chosen")).toBeVisible();
  await dialog.getByRole("button", { name: "Show files" }).last().click();
  await expect.element(dialog.getByRole("checkbox", { name: "large" })).toBeChecked();
  await expect.element(dialog.getByRole("checkbox", { name: "small" })).not.toBeChecked();
  await expectAccessible(ALL_RULES);
  await dialog.getByRole("button", { name: "Move 70 GB to Trash" }).click();
  await expect.poll(() => moved).toEqual([{ keys: [lost.key, large.key] }]);
  await expect.element(dialog).not.toBeInTheDocument();
});
