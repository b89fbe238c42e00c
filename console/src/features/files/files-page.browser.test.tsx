import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import {
  browseFiles,
  bulkDeleteFiles,
  deleteFile,
  getFile,
  type StoredFile,
} from "#contract/files.ts";
import { uploadIdSchema, userIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { emptyTrash, findRoom, lockFile, restoreFiles, trashFiles } from "#contract/trash.ts";
import { verifyFile } from "#contract/verification.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { rememberPosition } from "#console/domain/files/watch-positions.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { answerChannels } from "#console/testing/answer-channels.ts";
import { answerFiles, buildFilePage } from "#console/testing/answer-files.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { CHANNELS } from "#console/testing/sample-channels.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

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

const NO_FILE = { filename: null, username: null, vodId: null };
const dialog = page.getByRole("dialog");
const row = (index: number) =>
  page
    .getByRole("table", { name: "Stored files" })
    .getByRole("row")
    .nth(index + 1);
const item = (name: string) => page.getByRole("menuitem", { name: new RegExp(`^${name}`) });
const openMenu = (index = 0) =>
  row(index)
    .getByRole("button", { name: /^Actions for/ })
    .click();

async function choose(name: string) {
  await openMenu();
  await item(name).click();
}

/** Not the owners of files, which are asked for when the browser is idle. */
const lastListCall = () => service.calls.findLast((called) => !called.endsWith("?limit=1000"));

test("has the specified filter and sort options, and sorts newest first by default", async () => {
  showFiles(buildFile());
  for (const [label, options] of [
    ["Type", ["All Types", "Twitch VODs", "Manual Uploads", "Chunks", "Direct URLs"]],
    ["Status", ["All Status", "Complete", "Partial", "Orphaned"]],
    ["Sort by", ["Sort by Date", "Sort by Name", "Sort by Size", "Sort by User"]],
  ] as const) {
    const select = page.getByLabelText(label, { exact: true });
    const choices = select.getByRole("option");
    await expect.element(select).toHaveDisplayValue(options[0]);
    const texts = choices.elements().map(({ textContent }) => textContent);
    // The specification's options come first.
    expect(texts.slice(0, options.length)).toEqual(options);
  }
  await expect.element(page.getByRole("button", { name: "Descending" })).toBeVisible();
});

test("where files are stored is said where it is not R2", async () => {
  signIn(PERMISSIONS, "folder");
  showFiles(buildFile());
  await expect.element(page.getByText("Stored in a folder on this machine")).toBeVisible();
});

test("a row shows type, name, full key, owner and status, with fallbacks for missing values", async () => {
  siteStore.setItem("files_layout", "list");
  onTestFinished(() => siteStore.removeItem("files_layout"));
  showFiles(
    buildFile({ ...NO_FILE, key: "seed/one/two/three.ts" }),
    buildFile({ uploadType: "manual", status: "partial" }),
    buildFile({ uploadType: "chunk", status: "orphaned" }),
  );
  await expect.element(row(0).getByText("three.ts", { exact: true })).toBeVisible();
  await expect.element(row(0).getByText("seed/one/two/three.ts")).toBeVisible();
  await expect.element(row(0).getByText(/^Unknown/)).toBeVisible();
  for (const [index, [type, status, colour]] of [
    ["Twitch VOD", "Complete", "green"],
    ["Manual Upload", "Partial", "yellow"],
    ["Chunk", "Orphaned", "red"],
  ].entries()) {
    await expect.element(row(index).getByText(type ?? "", { exact: true })).toBeVisible();
    const badge = row(index)
      .getByText(status ?? "", { exact: true })
      .element();
    expect(colourName(getComputedStyle(badge).color)).toBe(colour);
    await expect.element(row(index).getByText(/\d{4}, \d+:\d\d:\d\d [AP]M$/)).toBeVisible();
    expect(row(index).element().querySelector("td svg")).not.toBeNull();
  }
  await expect.element(page.getByText(/^Showing/)).not.toBeInTheDocument();
  await expect
    .element(row(1).getByRole("link", { name: "streamer", exact: true }))
    .toHaveAttribute("href", "/users?search=streamer");
});

test("the details show N/A for missing values, and no metadata section without metadata", async () => {
  showFiles(buildFile(NO_FILE));
  await choose("View Details");
  for (const name of ["Filename", "Username", "VOD ID"]) {
    const term = dialog.getByText(name, { exact: true });
    await expect.element(term).toBeVisible();
    expect(term.element().closest("dt")?.nextElementSibling?.textContent).toBe("N/A");
  }
  await expect.element(dialog.getByRole("heading", { name: "Metadata" })).not.toBeInTheDocument();
});

test("the details say that the source stated a longer duration than its playlist has", async () => {
  showFiles(buildFile({ metadata: { durationSec: 200, statedDurationSec: 300 } }));
  await choose("View Details");
  const note = dialog.getByText("Twitch states 5:00; its playlist has 3:20.");
  await expect.element(note).toBeVisible();
});

test("the details lead to the owner's channel if it is followed", async () => {
  answerChannels(service, CHANNELS);
  const userId = userIdSchema.parse(CHANNELS[0]?.id);
  showFiles(buildFile({ userId }));
  await choose("View Details");
  await expect
    .element(dialog.getByRole("link", { name: "Followed channel" }))
    .toHaveAttribute("href", `/channels/${userId}`);
});

test("a file is verified on request", async () => {
  let file = buildFile();
  const asked: unknown[] = [];
  answerFiles(service, [file]);
  service.answer(getFile, () => file);
  service.answer(verifyFile, async (request) => {
    asked.push(await request.json());
    file = { ...file, isVerificationDue: true };
    return { isAsked: true };
  });
  mountConsole("/files");
  await choose("View Details");
  await dialog.getByRole("button", { name: "Verify Now" }).click();
  await expect.element(dialog.getByText(/will be read again now$/)).toBeVisible();
  await expect.poll(toastTexts).toContain("The file will be verified now");
  expect(asked).toEqual([{ key: file.key }]);
});

test("a download without a URL or with a failed request shows an error", async () => {
  showFiles(buildFile());
  await choose("Download");
  await expect.poll(toastTexts).toContain("Download URL not available");
  service.answer(getFile, () => new Response(null, { status: 404 }));
  await choose("Download");
  await expect.poll(toastTexts).toContain("Failed to generate download URL");
});

test("the playlist of a file whose format changes is downloaded, or the file with a note", async () => {
  const downloadUrl = "https://store.test/1.mp4";
  const playlistDownloadUrl = "https://store.test/1.m3u8";
  const file = buildFile({ metadata: { initSegments: 2 }, downloadUrl, playlistDownloadUrl });
  answerFiles(service, [file]);
  service.answer(getFile, () => file);
  const saved: string[] = [];
  const click = vi.spyOn(HTMLAnchorElement.prototype, "click");
  click.mockImplementation(function save(this: HTMLAnchorElement) {
    saved.push(this.href);
  });
  onTestFinished(() => click.mockRestore());
  mountConsole("/files");
  await choose("View Details");
  await dialog.getByRole("button", { name: "Download playlist" }).click();
  await expect.poll(() => saved).toEqual([playlistDownloadUrl]);
  await dialog.getByRole("button", { name: "Download", exact: true }).click();
  await expect.poll(() => saved).toEqual([playlistDownloadUrl, downloadUrl]);
  await expect
    .poll(toastTexts)
    .toContainEqual(expect.stringContaining("The format of this video changes once"));
});

test("a file missing from the store can't be downloaded, and the button says why", async () => {
  const missing = { foundSizeBytes: 0, problem: "The store no longer has this file." };
  showFiles(buildFile(), buildFile({ status: "partial", metadata: missing }));
  await openMenu(1);
  await expect.element(item("Download")).toHaveAttribute("aria-disabled", "true");
  await userEvent.keyboard("{Escape}");
  await openMenu();
  await expect.element(item("Download")).not.toHaveAttribute("aria-disabled");
  await item("View Details").click();
  const download = dialog.getByRole("button", { name: "Download" });
  await expect.element(download).toHaveAttribute("aria-disabled", "true");
  await expect.element(download).toHaveAccessibleDescription(missing.problem);
  await expect.element(dialog.getByRole("link", { name: "Watch" })).not.toBeInTheDocument();
});

test("deleting the last file of the last page shows the previous page, not an empty list", async () => {
  let isDeleted = false;
  const last = buildFile();
  const files = Array.from({ length: 25 }, () => buildFile());
  service.answer(browseFiles, ({ url }) => {
    const current = Number(new URL(url).searchParams.get("page"));
    return current === 3
      ? isDeleted
        ? buildFilePage([], 50, 3)
        : buildFilePage([last], 51, 3)
      : buildFilePage(files, 50, current);
  });
  service.answer(deleteFile, () => {
    isDeleted = true;
    return { key: last.key, size: last.size };
  });
  mountConsole("/files?page=3");
  await expect.element(page.getByText("Showing 51 to 51 of 51 results")).toBeVisible();
  await choose("Delete");
  await dialog.getByRole("button", { name: "Delete file" }).click();
  await expect.element(page.getByText("Showing 26 to 50 of 50 results")).toBeVisible();
  await expect.element(page.getByText("No files found")).not.toBeInTheDocument();
});

test("a page beyond the end leads to the last page, that of an empty list to the first", async () => {
  service.answer(browseFiles, ({ url }) => {
    const { searchParams } = new URL(url);
    const current = Number(searchParams.get("page"));
    if (searchParams.has("search")) return buildFilePage([], 0, current);
    return buildFilePage(current > 3 ? [] : [buildFile()], 60, current);
  });
  mountConsole("/files?page=4000");
  await expect.element(page.getByText("Showing 51 to 60 of 60 results")).toBeVisible();
  await expect.element(row(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
  expect(lastListCall()).toContain("page=3");
  mountConsole("/files?page=4000&search=nothing");
  await expect.element(page.getByText("No files found")).toBeVisible();
  await expect.poll(() => lastListCall()).toContain("page=1");
});

const spinner = () => document.querySelector("nav[aria-label='Pagination'] div > span");

test("Next and Previous, pressed while a page loads, count each press, but none beyond the last page", async () => {
  const answered = Promise.withResolvers<void>();
  const files = Array.from({ length: 10 }, () => buildFile());
  service.answer(browseFiles, async ({ url }) => {
    const current = Number(new URL(url).searchParams.get("page") ?? 1);
    if (current > 1) await answered.promise;
    return buildFilePage(files, 60, current);
  });
  mountConsole("/files");
  await expect.element(page.getByText("Showing 1 to 25 of 60 results")).toBeVisible();
  const next = page.getByRole("button", { name: "Next" });
  expect(spinner()).toBeNull();
  await next.dblClick();
  await expect.poll(() => lastListCall()).toContain("page=3");
  await next.click({ force: true });
  await expect.element(next).toBeDisabled();
  await expect.element(next).toHaveFocus();
  expect(spinner()).not.toBeNull();
  await expect.element(page.getByText("Showing 1 to 25 of 60 results")).toBeVisible();
  await page.getByRole("button", { name: "Previous" }).dblClick();
  await next.click();
  answered.resolve();
  await expect.element(page.getByText("Showing 26 to 50 of 60 results")).toBeVisible();
  await expect.poll(spinner).toBeNull();
});

test("does not report an empty list while cleared filters are loading", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(browseFiles, async ({ url }) => {
    if (new URL(url).searchParams.has("search")) return buildFilePage([]);
    await answered.promise;
    return buildFilePage([buildFile()]);
  });
  mountConsole("/files?search=no+such+file");
  await expect.element(page.getByText("Try adjusting your search criteria")).toBeVisible();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await expect.element(page.getByRole("searchbox")).toHaveValue("");
  await expect.poll(() => lastListCall()).not.toContain("search=");
  await expect.element(page.getByText("No files found")).not.toBeInTheDocument();
  answered.resolve();
  await expect.element(row(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
});

test("an owner is found by a part of the name, and leads to the first page of 25 rows", async () => {
  const byUser = ["avery", "bram", "maverick"].map((username, index) => ({
    userId: userIdSchema.parse(`100${index}`),
    username,
    files: 30,
    size: 30,
  }));
  const files = Array.from({ length: 5 }, () => buildFile());
  service.answer(browseFiles, () => ({ ...buildFilePage(files, 30, 2), byUser }));
  mountConsole("/files?page=2");
  const owner = page.getByRole("combobox", { name: "User" });
  const options = page.getByRole("listbox", { name: "Users" }).getByRole("option");
  await owner.click();
  await expect
    .poll(() => options.elements().map(({ textContent }) => textContent))
    .toEqual(["All Users", "avery30", "bram30", "maverick30"]);
  await expectAccessible(ALL_RULES);
  await owner.fill("aver");
  await userEvent.keyboard("{ArrowDown}{ArrowUp}{ArrowDown}{Enter}");
  await expect.element(owner).toHaveValue("maverick");
  await expect
    .poll(() => lastListCall())
    .toMatch(/\?(?=.*\bpage=1\b)(?=.*userId=1002)(?=.*limit=25)/);
});

test("files are cards with length and what was watched, or rows with names and keys as last chosen", async () => {
  const uploadId = uploadIdSchema.parse("seen");
  const file = buildFile({ title: "Sunrise approach", durationSec: 7_200, uploadId });
  rememberPosition(uploadId, 3_600, 7_200);
  onTestFinished(() => siteStore.removeItem("files_layout"));
  showFiles(file, buildFile());
  await expect.element(row(0).getByText("2h 0m", { exact: true })).toBeVisible();
  await expect.element(row(0).getByRole("img", { name: "Watched until 1h 0m" })).toBeVisible();
  await expect
    .element(row(0).getByRole("link", { name: "Sunrise approach" }))
    .toHaveAttribute("href", "/watch/seen");
  const key = row(0).getByText(file.key);
  expect(key.element().parentElement?.clientWidth).toBe(1);
  expect(row(1).element().getBoundingClientRect().left).toBeGreaterThan(
    row(0).element().getBoundingClientRect().right,
  );
  await row(0).getByRole("checkbox", { name: "Select Sunrise approach" }).click();
  await expect.element(page.getByText(/^1 selected/)).toBeVisible();
  await expectAccessible(ALL_RULES);
  await page.getByRole("button", { name: "List" }).click();
  const keyWidth = () => key.last().element().parentElement?.offsetWidth;
  await expect.poll(keyWidth).not.toBe(1);
  // The next visit shows the files as the last one did.
  mountConsole("/files");
  await expect.poll(keyWidth).not.toBe(1);
});

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
  await openMenu();
  await expect.element(item("Show Upload")).toBeVisible();
  await expect.element(item("Delete")).not.toBeInTheDocument();
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
  await choose("Delete");
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
  await choose("Delete");
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

test("shows an error when loading fails, and loads again on Retry", async () => {
  service.answer(browseFiles, () => new Response(null, { status: 404 }));
  mountConsole("/files");
  await expect.element(page.getByText("Error Loading Files")).toBeVisible();
  await expect
    .element(page.getByText("Failed to load R2 file browser", { exact: true }))
    .toBeVisible();
  answerFiles(service, [buildFile()]);
  await page.getByRole("main").getByRole("button", { name: "Retry" }).click();
  await expect.element(row(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
});

test("the statistics can be hidden, which the address keeps", async () => {
  mountConsole("/files");
  for (const card of ["Total Files", "Total Size", "Users with Files", "Complete Files"])
    await expect.element(page.getByText(card, { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Hide Stats" }).click();
  await expect.element(page.getByText("Total Files", { exact: true })).not.toBeInTheDocument();
  mountConsole("/files?stats=hidden");
  await expect.element(page.getByRole("button", { name: "Show Stats" }).last()).toBeVisible();
});

test("Refresh is busy while it loads", async () => {
  showFiles(buildFile());
  await expect.element(row(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
  const answered = Promise.withResolvers<void>();
  service.answer(browseFiles, async () => {
    await answered.promise;
    return buildFilePage([]);
  });
  const refresh = page.getByRole("button", { name: "Refresh" });
  await refresh.click();
  await expect.element(refresh).toHaveAttribute("aria-busy", "true");
  answered.resolve();
  await expect.element(refresh).not.toHaveAttribute("aria-busy");
});

const header = (name: string) => page.getByRole("columnheader", { name, exact: true });

test("sorting by a header and reversing the order stay in sync with the controls", async () => {
  showFiles(buildFile());
  const sort = page.getByLabelText("Sort by", { exact: true });
  await page.getByRole("button", { name: "Size", exact: true }).click();
  await expect.element(sort).toHaveDisplayValue("Sort by Size");
  await expect.element(header("Size")).toHaveAttribute("aria-sort", "descending");
  await page.getByRole("button", { name: "Descending" }).click();
  await expect.element(header("Size")).toHaveAttribute("aria-sort", "ascending");
  await expect.poll(() => lastListCall()).toMatch(/sortBy=size&sortOrder=asc/);
  await sort.selectOptions("Sort by Name");
  await expect.element(header("File")).toHaveAttribute("aria-sort", "ascending");
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
    .element(row(0).getByText("Gone at the source since December 10, 2999"))
    .toBeVisible();
  await expect
    .element(row(1).getByText("Muted at the source since December 10, 2999"))
    .toBeVisible();
  await expect.element(row(1).getByText("Locked", { exact: true })).toBeVisible();
  await openMenu(1);
  await expect.element(item("Delete").getByText("Unlock it first.")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await choose("Lock");
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
  showFiles(file);
  await choose("Move to Trash");
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
    .element(row(0).getByText("In the trash, deleted on December 10, 2999"))
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
