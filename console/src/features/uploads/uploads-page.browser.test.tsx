import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { streamTicket } from "#contract/auth.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import {
  cancelUpload,
  deleteUpload,
  getUpload,
  listUploads,
  retryUpload,
  uploadWork,
} from "#contract/uploads.ts";
import { restoreFiles, trashFiles } from "#contract/trash.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow } from "#console/testing/row-menu.ts";
import { refusal, scriptService, streams } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";
import { toast } from "#console/ui/toast-store.ts";

let upload = buildUpload();
const actions = page.getByRole("button", { name: "Actions for evening.ts" });

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  upload = buildUpload({ status: "failed", filename: "evening.ts" });
  service = scriptService();
  service.answer(listUploads, () => buildPage([upload]));
  service.answer(getUpload, ({ url }) =>
    buildUpload({ ...upload, id: url.split("/").at(-1) ?? "" }),
  );
  signIn();
});

const asked = () => service.calls.findLast((call) => call.startsWith("GET /admin/uploads?"));

const rowTexts = () =>
  page
    .getByRole("row")
    .elements()
    .slice(1)
    .map((row) => row.textContent);

const widthPx = () =>
  page.getByRole("columnheader", { name: "File" }).element().getBoundingClientRect().width;

afterEach(() => {
  vi.useRealTimers();
});

test("a pending retry is shown as busy and can't be triggered again", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(retryUpload, async () => {
    await answered.promise;
    return buildUpload({ id: upload.id, version: 2, filename: "evening.ts" });
  });
  mountConsole("/uploads");
  await chooseFromRow("Retry");
  await expect.element(actions).toHaveAttribute("aria-busy", "true");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("menu")).not.toBeInTheDocument();
  answered.resolve();
  await expect.element(actions).not.toHaveAttribute("aria-busy");
  expect(service.calls.filter((call) => call.endsWith("/retry"))).toHaveLength(1);
});

test("a list is stale when polls go unanswered, but never while paused", async () => {
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval", "clearInterval"] });
  mountConsole("/uploads?live=paused");
  await expect.element(actions).toBeVisible();
  await vi.advanceTimersByTimeAsync(600_000);
  await expect.element(page.getByText(/^Stale:/)).not.toBeInTheDocument();
  service.answer(listUploads, () => new Promise(() => undefined));
  await page.getByRole("button", { name: "Resume Live Updates" }).click();
  await expect.element(page.getByText(/^Stale:/)).toBeVisible();
});

test("a broadcast that goes on shows how much there is so far, and no share of it", async () => {
  upload = buildUpload({
    filename: "evening.ts",
    status: "processing",
    phase: "waiting",
    progress: 99.9,
    metadata: { ...upload.metadata, isLive: true, totalSegments: 432, durationSec: 4_320 },
  });
  mountConsole("/uploads");
  await expect.element(page.getByText("live, 1h 12m so far")).toBeVisible();
  await expect.element(page.getByText(/99\.9/)).not.toBeInTheDocument();
  await expect
    .element(page.getByRole("progressbar", { name: "Progress of evening.ts" }))
    .not.toHaveAttribute("aria-valuenow");
});

test("a lost stream is no chosen pause: the list polls, says how old it is, and comes back", async () => {
  vi.useFakeTimers({
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
  let isServed = false;
  service.answer(streamTicket, () =>
    isServed ? { streamTicket: "a".repeat(64) } : new Response(null, { status: 503 }),
  );
  mountConsole("/uploads");
  await expect.element(page.getByText(/^Reconnecting · last update \d\d:\d\d:\d\d$/)).toBeVisible();
  await expect.element(page.getByText("Disconnected", { exact: true })).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Resume Live Updates" })).toBeVisible();
  const lists = () => service.calls.filter((call) => call.startsWith("GET /admin/uploads?")).length;
  const before = lists();
  await vi.advanceTimersByTimeAsync(61_000);
  await expect.poll(lists).toBe(before + 2);
  isServed = true;
  await vi.advanceTimersByTimeAsync(61_000);
  streams.opened.at(-1)?.dispatchEvent(new MessageEvent("message", { data: "{}" }));
  await expect.element(page.getByText("Live", { exact: true })).toBeVisible();
  await expect.element(page.getByText(/^Reconnecting/)).not.toBeInTheDocument();
});

test("the order is the address's, and the same in headers and toolbar", async () => {
  mountConsole("/uploads?page=2&sort=size&order=asc");
  const order = page.getByLabelText("Sort by", { exact: true });
  await expect.element(order).toHaveDisplayValue("By a column");
  await page.getByRole("button", { name: "Size", exact: true }).click();
  await expect.element(order).toHaveDisplayValue("Largest first");
  await expect.poll(asked).toMatch(/\?page=1&sortBy=size&limit=20$/);
  await order.selectOptions("Newest broadcast");
  await expect.poll(asked).toMatch(/sortBy=recordedAt/);
});

test("what runs is first, each upload is listed once, and where one waits is said", async () => {
  const running = buildUpload({ status: "processing", filename: "running.ts" });
  const waiting = buildUpload({ errorMessage: "Waiting, place 1 of 1: both slots are busy." });
  answerUploads(service, [upload, waiting, running]);
  mountConsole("/uploads");
  await expect
    .poll(rowTexts)
    .toEqual([
      expect.stringContaining("running.ts"),
      expect.stringContaining("evening.ts"),
      expect.stringContaining("Waiting, place 1 of 1: both slots are busy."),
    ]);
  const work = page.getByRole("navigation", { name: "Work" });
  await expect
    .element(work)
    .toHaveTextContent("Running 1Waiting 1done in about 2h 10mFailed today 1");
  await work.getByRole("link", { name: "Waiting 1" }).click();
  await expect.poll(() => rowTexts().length).toBe(1);
  await expectAccessible(ALL_RULES);
});

test("no row is drawn before the work is known, whose rows would move it", async () => {
  answerUploads(service, [upload, buildUpload({ status: "processing", filename: "running.ts" })]);
  const known = Promise.withResolvers<undefined>();
  service.answer(uploadWork, () => known.promise.then(() => ({ running: 1 })));
  mountConsole("/uploads");
  await expect.element(page.getByText("Showing 1 to 2 of 2 results")).toBeVisible();
  expect(rowTexts().join("")).toBe("");
  known.resolve(undefined);
  await expect.poll(() => rowTexts().join("")).toContain("running.ts");
});

test("twenty uploads are cancelled in four clicks and a typed number, and a refusal is named", async () => {
  const uploads = Array.from({ length: 20 }, () => buildUpload());
  answerUploads(service, uploads);
  service.answer(cancelUpload, ({ url }) =>
    url.includes(`/${uploads[3]?.id}/`)
      ? refusal("It is completed.", "conflict", 409)
      : buildUpload({ status: "cancelled" }),
  );
  mountConsole("/uploads?status=pending");
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  // On a laptop, the titles can be told apart and the whole page fits.
  const table = page.getByRole("table").element();
  expect(widthPx() / table.clientWidth).toBeGreaterThan(0.4);
  expect(table.querySelector("tbody")?.offsetHeight).toBeLessThanOrEqual(900);
  await page.getByRole("button", { name: "Cancel Selected (20)" }).click();
  await expectAccessible(ALL_RULES);
  const confirm = dialog.getByRole("button", { name: "Cancel uploads" });
  await expect.element(confirm).toHaveAccessibleDescription("Type 20 first.");
  await dialog.getByLabelText("Type 20 to confirm").fill("20");
  await confirm.click();
  await expect.poll(toastTexts).toContain("Cancelled 19 uploads");
  await expect
    .element(page.getByRole("region", { name: "1 upload could not be cancelled" }))
    .toHaveTextContent(`1 upload could not be cancelled${uploads[3]?.filename}: It is completed.`);
});

const menuItems = page.getByRole("menuitem");
const dialog = page.getByRole("dialog");

test.each([
  [{ status: "pending" }, ["Copy link", "Cancel", "Delete"]],
  [{ status: "processing" }, ["Copy link", "Cancel", "Delete"]],
  [{ status: "completed" }, ["Copy link", "Delete"]],
  [{ status: "failed", retryCount: 2, maxRetries: 3 }, ["Retry", "Copy link", "Delete"]],
  [{ status: "failed", retryCount: 3, maxRetries: 3 }, ["Copy link", "Delete"]],
  [{ status: "cancelled" }, ["Copy link", "Delete"]],
] as const)("an upload with %j offers %j", async (state, offered) => {
  upload = buildUpload({ ...state, filename: "evening.ts" });
  mountConsole("/uploads");
  await actions.click();
  await expect.element(menuItems.first()).toHaveFocus();
  expect(menuItems.elements().map(({ textContent }) => textContent)).toEqual(offered);
  await userEvent.keyboard("{Escape}");
  await page.getByRole("link", { name: "evening.ts" }).click();
  for (const name of offered)
    await expect.element(dialog.getByRole("button", { name, exact: true })).toBeVisible();
});

test("the drawer opens from a row, follows its upload, and gives the focus back", async () => {
  upload = buildUpload({ ...upload, status: "processing", progress: 40 });
  mountConsole("/uploads");
  const name = page.getByRole("link", { name: "evening.ts" });
  await name.click();
  await expect.element(dialog.getByText("40%", { exact: true })).toBeVisible();
  upload = buildUpload({ ...upload, version: 2, status: "failed", errorMessage: "No reply." });
  await expect.element(dialog.getByRole("button", { name: "Retry" })).toBeVisible();
  await expect.element(dialog.getByText("No reply.")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(name).toHaveFocus();
});

test("an upload deleted in its drawer closes it, and its row is gone", async () => {
  const other = buildUpload({ filename: "morning.ts" });
  let items = [upload, other];
  service.answer(listUploads, () => buildPage(items));
  service.answer(getUpload, ({ url }) => (url.endsWith(other.id) ? other : upload));
  service.answer(deleteUpload, () => {
    items = [other];
    return { id: upload.id };
  });
  mountConsole(`/uploads?upload=${upload.id}&act=delete`);
  await page.getByRole("button", { name: "Delete upload" }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  await page.getByRole("link", { name: "morning.ts" }).click();
  await expect.element(dialog.getByRole("heading", { name: "morning.ts" })).toBeVisible();
  expect(dialog.elements()).toHaveLength(1);
});

test.each([
  [404, "not_found", "The linked upload no longer exists."],
  [500, "internal", "Failed to load the upload"],
] as const)(
  "an upload in the address that is answered with %d %s: %s",
  async (status, code, text) => {
    service.answer(getUpload, () => refusal("Answered so.", code, status));
    mountConsole("/uploads?upload=another");
    await expect.element(dialog.getByText(text)).toBeVisible();
  },
);

test("the palette offers the actions of the row with the focus", async () => {
  mountConsole("/uploads?live=paused");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expect.element(actions).toBeVisible();
  await userEvent.keyboard("j{Control>}k{/Control}");
  await expect.element(palette).toBeVisible();
  await userEvent.keyboard("actions for{Enter}");
  await expect.element(menuItems.first()).toHaveFocus();
});

test("the palette retries, moves to the trash and undoes it after it has closed", async () => {
  const moved = vi.fn<(body: unknown) => void>();
  answerUploads(service, [upload]);
  service.answer(retryUpload, () => buildUpload({ ...upload, version: 2, status: "pending" }));
  service.answer(trashFiles, async (request) => {
    moved(await request.json());
    return { trashed: ["vods/1.ts"] };
  });
  service.answer(restoreFiles, () => ({ restored: 1 }));
  mountConsole("/uploads?live=paused");
  await expect.element(actions).toBeVisible();
  const palette = page.getByRole("dialog", { name: "Commands" });
  async function pick(action: string): Promise<void> {
    await userEvent.keyboard("{Control>}k{/Control}");
    await expect.element(palette).toBeVisible();
    await userEvent.keyboard("evening");
    await palette.getByRole("option", { name: /^evening\.ts ?(?:Upload|Watch)/ }).hover();
    await userEvent.keyboard(`{ArrowRight}${action}{Enter}`);
    await expect.element(palette).not.toBeInTheDocument();
  }
  await pick("Retry");
  await expect.poll(toastTexts).toContain("Upload retry initiated");
  const stored = { fileKey: "vods/1.ts", fileStatus: "complete" } as const;
  answerUploads(service, [buildUpload({ ...upload, ...stored, version: 3, status: "completed" })]);
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.element(page.getByRole("cell", { name: "Completed" })).toBeVisible();
  // A busy machine may need longer for the press than the message stays.
  toast.pause();
  onTestFinished(() => toast.resume());
  await pick("Move to Trash");
  await expect.poll(toastTexts).toContain("Moved 1 file to the trash for 14 days");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(toastTexts).toContain("Restored 1 file");
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: "Move to Trash (1)" }).click();
  await expect.poll(() => moved.mock.calls.length).toBe(2);
  expect(moved).toHaveBeenLastCalledWith({ keys: ["vods/1.ts"] });
});

test("retry, cancel and delete report failures, and what has changed meanwhile", async () => {
  for (const call of [retryUpload, deleteUpload])
    service.answer(call, () => new Response(null, { status: 404 }));
  service.answer(cancelUpload, () => refusal("It is completed already.", "conflict", 409));
  mountConsole("/uploads?live=paused");
  await chooseFromRow("Retry");
  await expect.poll(toastTexts).toContain("Failed to retry upload");
  upload = buildUpload({ ...upload, status: "processing", version: 2 });
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.element(page.getByRole("cell", { name: "Processing" })).toBeVisible();
  await chooseFromRow("Cancel");
  await dialog.getByRole("button", { name: "Cancel upload" }).click();
  await expect
    .element(dialog.getByRole("alert"))
    .toHaveTextContent("Failed to cancel upload. It is completed already.");
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await chooseFromRow("Delete");
  await dialog.getByRole("button", { name: "Delete upload" }).click();
  await expect.element(dialog.getByRole("alert")).toHaveTextContent("Failed to delete upload");
});

test("the delete dialog shows what is lost for the upload's current state", async () => {
  const states = [
    [{ status: "processing" }, /Nothing is stored/],
    [{ processedSize: 5_000_000 }, /Its unfinished parts are removed from storage/],
    [
      { status: "completed", fileKey: "vods/1/2/3.ts", fileStatus: "complete" },
      /The archived file stays in storage as an orphaned file.+can no longer be downloaded/,
    ],
    [{ fileKey: null, fileStatus: null }, /Its file has already been deleted/],
  ] as const;
  upload = buildUpload({ ...upload, status: "processing" });
  mountConsole("/uploads");
  await chooseFromRow("Delete");
  for (const [change, words] of states) {
    upload = buildUpload({ ...upload, ...change, version: upload.version + 1 });
    await expect.element(dialog.getByText(words)).toBeVisible();
  }
});
