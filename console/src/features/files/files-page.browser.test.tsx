import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { browseFiles, getFile, type StoredFile } from "#contract/files.ts";
import { uploadIdSchema, userIdSchema } from "#contract/ids.ts";
import { PERMISSIONS } from "#contract/permissions.ts";
import { verifyFile } from "#contract/verification.ts";
import { buildFile } from "#contract/testing/build-file.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { rememberPosition } from "#console/domain/files/watch-positions.ts";
import { siteStore } from "#console/lib/browser-storage.ts";
import { answerChannels } from "#console/testing/answer-channels.ts";
import { answerFiles, buildFilePage } from "#console/testing/answer-files.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { fileRow, openFileMenu } from "#console/testing/file-table.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow, menuItem } from "#console/testing/row-menu.ts";
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
  await expect.element(fileRow(0).getByText("three.ts", { exact: true })).toBeVisible();
  await expect.element(fileRow(0).getByText("seed/one/two/three.ts")).toBeVisible();
  await expect.element(fileRow(0).getByText(/^Unknown/)).toBeVisible();
  for (const [index, [type, status, colour]] of [
    ["Twitch VOD", "Complete", "green"],
    ["Manual Upload", "Partial", "yellow"],
    ["Chunk", "Orphaned", "red"],
  ].entries()) {
    await expect.element(fileRow(index).getByText(type ?? "", { exact: true })).toBeVisible();
    const badge = fileRow(index)
      .getByText(status ?? "", { exact: true })
      .element();
    expect(colourName(getComputedStyle(badge).color)).toBe(colour);
    await expect.element(fileRow(index).getByText(/\d{4}, \d+:\d\d:\d\d [AP]M$/)).toBeVisible();
    expect(fileRow(index).element().querySelector("td svg")).not.toBeNull();
  }
  await expect.element(page.getByText(/^Showing/)).not.toBeInTheDocument();
  await expect
    .element(fileRow(1).getByRole("link", { name: "streamer", exact: true }))
    .toHaveAttribute("href", "/users?search=streamer");
});

test("the details show N/A for missing values, and no metadata section without metadata", async () => {
  showFiles(buildFile(NO_FILE));
  await chooseFromRow("View Details");
  for (const name of ["Filename", "Username", "VOD ID"]) {
    const term = dialog.getByText(name, { exact: true });
    await expect.element(term).toBeVisible();
    expect(term.element().closest("dt")?.nextElementSibling?.textContent).toBe("N/A");
  }
  await expect.element(dialog.getByRole("heading", { name: "Metadata" })).not.toBeInTheDocument();
});

test("the details say that the source stated a longer duration than its playlist has", async () => {
  showFiles(buildFile({ metadata: { durationSec: 200, statedDurationSec: 300 } }));
  await chooseFromRow("View Details");
  const note = dialog.getByText("Twitch states 5:00; its playlist has 3:20.");
  await expect.element(note).toBeVisible();
});

test("the details lead to the owner's channel if it is followed", async () => {
  answerChannels(service, CHANNELS);
  const userId = userIdSchema.parse(CHANNELS[0]?.id);
  showFiles(buildFile({ userId }));
  await chooseFromRow("View Details");
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
  await chooseFromRow("View Details");
  await dialog.getByRole("button", { name: "Verify Now" }).click();
  await expect.element(dialog.getByText(/will be read again now$/)).toBeVisible();
  await expect.poll(toastTexts).toContain("The file will be verified now");
  expect(asked).toEqual([{ key: file.key }]);
});

test("a download without a URL or with a failed request shows an error", async () => {
  showFiles(buildFile());
  await chooseFromRow("Download");
  await expect.poll(toastTexts).toContain("Download URL not available");
  service.answer(getFile, () => new Response(null, { status: 404 }));
  await chooseFromRow("Download");
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
  await chooseFromRow("View Details");
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
  await openFileMenu(1);
  await expect.element(menuItem("Download")).toHaveAttribute("aria-disabled", "true");
  await userEvent.keyboard("{Escape}");
  await openFileMenu();
  await expect.element(menuItem("Download")).not.toHaveAttribute("aria-disabled");
  await menuItem("View Details").click();
  const download = dialog.getByRole("button", { name: "Download" });
  await expect.element(download).toHaveAttribute("aria-disabled", "true");
  await expect.element(download).toHaveAccessibleDescription(missing.problem);
  await expect.element(dialog.getByRole("link", { name: "Watch" })).not.toBeInTheDocument();
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
  await expect.element(fileRow(0).getByText("2h 0m", { exact: true })).toBeVisible();
  await expect.element(fileRow(0).getByRole("img", { name: "Watched until 1h 0m" })).toBeVisible();
  await expect
    .element(fileRow(0).getByRole("link", { name: "Sunrise approach" }))
    .toHaveAttribute("href", "/watch/seen");
  const key = fileRow(0).getByText(file.key);
  expect(key.element().parentElement?.clientWidth).toBe(1);
  expect(fileRow(1).element().getBoundingClientRect().left).toBeGreaterThan(
    fileRow(0).element().getBoundingClientRect().right,
  );
  await fileRow(0).getByRole("checkbox", { name: "Select Sunrise approach" }).click();
  await expect.element(page.getByText(/^1 selected/)).toBeVisible();
  await expectAccessible(ALL_RULES);
  await page.getByRole("button", { name: "List" }).click();
  const keyWidth = () => key.last().element().parentElement?.offsetWidth;
  await expect.poll(keyWidth).not.toBe(1);
  // The next visit shows the files as the last one did.
  mountConsole("/files");
  await expect.poll(keyWidth).not.toBe(1);
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
  await expect.element(fileRow(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
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
  await expect.element(fileRow(0).getByRole("button", { name: /^Actions for/ })).toBeVisible();
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
