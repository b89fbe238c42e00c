import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { streamTicket } from "#contract/auth.ts";
import { inviteOwner, revokeConfirmation, revokeInvitation } from "#contract/consent.ts";
import { twitchVodIdSchema, userIdSchema } from "#contract/ids.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { previewSource } from "#contract/source-preview.ts";
import {
  cancelUpload,
  deleteUpload,
  getUpload,
  listUploads,
  retryUpload,
  startUpload,
  uploadWork,
} from "#contract/uploads.ts";
import { restoreFiles, trashFiles } from "#contract/trash.ts";
import { listChannels } from "#contract/channels.ts";
import { buildChannel } from "#console/testing/sample-channels.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { refusal, scriptService, streams } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

const VOD_ID = twitchVodIdSchema.parse("2000000001");

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

test("a debug panel is as wide as its table, whose columns keep their widths", async () => {
  mountConsole("/uploads");
  await expect.element(actions).toBeVisible();
  const before = widthPx();
  await page.getByRole("button", { name: "Debug information of evening.ts" }).click();
  await expect.element(page.getByText("Progress history")).toBeVisible();
  expect(widthPx()).toBe(before);
  const panel = page.getByText("Progress history").element().closest("td");
  expect(panel?.offsetWidth).toBe(page.getByRole("table").element().clientWidth);
});

test("a pending retry is shown as busy and can't be triggered again", async () => {
  const answered = Promise.withResolvers<void>();
  service.answer(retryUpload, async () => {
    await answered.promise;
    return buildUpload({ id: upload.id, version: 2, filename: "evening.ts" });
  });
  mountConsole("/uploads");
  await choose("Retry");
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

test("the number of rows is remembered, and a page can be gone to", async () => {
  service.answer(listUploads, () => ({ ...buildPage([upload]), total: 5_068, hasNext: true }));
  mountConsole("/uploads");
  const number = page.getByRole("spinbutton", { name: "Page of 254" });
  await number.fill("12");
  await userEvent.keyboard("{Enter}");
  await expect.poll(asked).toContain("page=12&limit=20");
  await page.getByLabelText("Rows per page").selectOptions("100 rows");
  await expect.poll(asked).toContain("page=1&limit=100");
  expect(localStorage.getItem("page_size")).toBe("100");
  await page.getByLabelText("Rows per page").selectOptions("20 rows");
});

/** In the middle of that minute, so that the displayed age stays the same for a while. */
function minutesAgo(minutes: number): string {
  return new Date(Date.now() - (minutes + 0.5) * 60_000).toISOString();
}

const menuItems = page.getByRole("menuitem");
const dialog = page.getByRole("dialog");
const debug = page.getByRole("button", { name: "Debug information of evening.ts" });

async function choose(item: string): Promise<void> {
  await actions.click();
  await page.getByRole("menuitem", { name: item }).click();
}

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

test("the palette offers the actions of the row with the focus, and of what it finds", async () => {
  mountConsole("/uploads?live=paused");
  const palette = page.getByRole("dialog", { name: "Commands" });
  await expect.element(actions).toBeVisible();
  await userEvent.keyboard("j{Control>}k{/Control}");
  await expect.element(palette).toBeVisible();
  await userEvent.keyboard("actions for{Enter}");
  await expect.element(menuItems.first()).toHaveFocus();
  await userEvent.keyboard("{Escape}{Control>}k{/Control}");
  await expect.element(palette).toBeVisible();
  await userEvent.keyboard("evening");
  await palette.getByRole("option", { name: /^evening\.ts ?Upload/ }).hover();
  await userEvent.keyboard("{ArrowRight}delete{Enter}");
  await expect.element(page.getByRole("button", { name: "Delete upload" })).toBeVisible();
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
  await pick("Move to Trash");
  await expect.poll(toastTexts).toContain("Moved 1 file to the trash for 14 days");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(toastTexts).toContain("Restored 1 file");
  await page.getByRole("checkbox", { name: "Select all on this page" }).click();
  await page.getByRole("button", { name: "Move to Trash (1)" }).click();
  await expect.poll(() => moved.mock.calls.length).toBe(2);
  expect(moved).toHaveBeenLastCalledWith({ keys: ["vods/1.ts"] });
});

test("the debug panel shows all known details and the last 5 entries of the progress history", async () => {
  upload = buildUpload({
    filename: "evening.ts",
    status: "processing",
    metadata: { ...upload.metadata, durationSec: 200, statedDurationSec: 300 },
    debugInfo: {
      ...upload.debugInfo,
      isStalled: true,
      byRule: true,
      dangerAt: "2999-12-02T12:00:00.000Z",
      internalVodId: "vod-internal",
      twitchVodId: "2345678901",
      timeStarted: minutesAgo(30),
      lastSegmentTime: minutesAgo(11),
      lastSegmentProcessed: 41,
      chatFileId: "chat-file",
      progressHistory: [1, 2, 3, 4, 5, 6, 7].map((percentage) => ({
        timestamp: minutesAgo(20 - percentage),
        percentage,
      })),
      initiatedBy: {
        userId: userIdSchema.parse("1"),
        twitchId: "12345",
        username: "olga_operator",
        displayName: "Olga Operator",
        profileImageUrl: null,
      },
      sessionInfo: {
        createdAt: minutesAgo(31),
        startedAt: minutesAgo(30),
        retryCount: 1,
        maxRetries: 3,
        error: "The source answered slowly.",
      },
    },
  });
  mountConsole("/uploads?live=paused");
  await debug.click();
  await expect.element(page.getByText("STALLED").first()).toBeVisible();
  await expect.element(page.getByText(/No progress for over 10 minutes\./)).toBeVisible();
  const facts = Object.fromEntries(
    [...document.querySelectorAll("td dt")].map((name) => [
      name.textContent,
      name.nextElementSibling?.textContent,
    ]),
  );
  expect(facts).toMatchObject({
    "Internal VOD ID": "vod-internal",
    "Twitch VOD ID": "2345678901",
    "Time started": "30 min. ago",
    "Last segment at": "11 min. ago",
    "Last segment": "#41",
    "Chat file ID": "chat-file",
    Length: expect.stringContaining("Twitch states 5:00; its playlist has 3:20"),
    Stalled: "Yes",
    "Initiated by": expect.stringContaining("Olga Operator@olga_operatorby the channel's rule"),
    "At the source": "may be deleted from December 2, 2999",
    "Twitch user ID": "12345",
    Created: "31 min. ago",
    Started: "30 min. ago",
    Retries: "1 of 3",
    Error: "The source answered slowly.",
  });
  const overdue = page.getByText("11 min. ago").first().element();
  expect(colourName(getComputedStyle(overdue.parentElement ?? overdue).backgroundColor)).toBe(
    "yellow",
  );
  // In the row, and in the panel.
  const lengths = page.getByText(/Twitch states 5:00; its playlist has 3:20/);
  await expect.poll(() => lengths.all().length).toBe(2);
  const history = [...document.querySelectorAll("td li")].map((entry) => entry.textContent);
  expect(history.map((text) => text.slice(0, 2))).toEqual(["7%", "6%", "5%", "4%", "3%"]);
});

test("retry, cancel and delete report failures, and what has changed meanwhile", async () => {
  for (const call of [retryUpload, deleteUpload])
    service.answer(call, () => new Response(null, { status: 404 }));
  service.answer(cancelUpload, () => refusal("It is completed already.", "conflict", 409));
  mountConsole("/uploads?live=paused");
  await choose("Retry");
  await expect.poll(toastTexts).toContain("Failed to retry upload");
  upload = buildUpload({ ...upload, status: "processing", version: 2 });
  await page.getByRole("button", { name: "Refresh" }).click();
  await expect.element(page.getByRole("cell", { name: "Processing" })).toBeVisible();
  await choose("Cancel");
  await dialog.getByRole("button", { name: "Cancel upload" }).click();
  await expect
    .element(dialog.getByRole("alert"))
    .toHaveTextContent("Failed to cancel upload. It is completed already.");
  await dialog.getByRole("button", { name: "Keep it" }).click();
  await choose("Delete");
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
  await choose("Delete");
  for (const [change, words] of states) {
    upload = buildUpload({ ...upload, ...change, version: upload.version + 1 });
    await expect.element(dialog.getByText(words)).toBeVisible();
  }
});

const preview = {
  vodId: VOD_ID,
  title: "Evening",
  durationSec: 60,
  createdAt: upload.createdAt,
  ownerConsent: { textVersion: 1, agreedAt: upload.createdAt },
};

const owner = { twitchId: "7", login: "nova", displayName: "Nova" };

test("Enter on the confirmation of rights starts the archive, once it is ticked", async () => {
  service.answer(previewSource, () => ({ ...preview, ownerConsent: null }));
  service.answer(startUpload, () => upload);
  mountConsole(`/uploads?archive=${VOD_ID}`);
  await userEvent.click(page.getByRole("checkbox", { name: /^I confirm/ }));
  await userEvent.keyboard(" {Enter}");
  expect(service.calls).not.toContain("POST /admin/uploads");
  await userEvent.keyboard(" {Enter}");
  await expect.poll(toastTexts).toContain("Archive started");
});

test("an owner who withdrew is named, and a link that asks again can be copied and revoked", async () => {
  const ownerConsent = {
    textVersion: 1,
    agreedAt: upload.createdAt,
    withdrawnAt: upload.createdAt,
  };
  service.answer(previewSource, () => ({ ...preview, owner, ownerConsent }));
  const address = `https://vods.example.org/consent/${"a".repeat(64)}`;
  service.answer(inviteOwner, () => ({ channelId: "7", address, expiresAt: upload.createdAt }));
  service.answer(revokeInvitation, () => ({}));
  mountConsole(`/uploads?archive=${VOD_ID}`);
  await expect.element(page.getByText(/^The owner withdrew consent on/)).toBeVisible();
  const invite = page.getByRole("button", { name: "Invite the owner" });
  await invite.click();
  await expect.element(page.getByRole("textbox", { name: "Link for Nova" })).toHaveValue(address);
  await expect.element(page.getByRole("button", { name: "Copy link" })).toBeVisible();
  await page.getByRole("button", { name: "Revoke link" }).click();
  await expect.element(invite).toBeVisible();
  expect(service.calls).toContain("DELETE /admin/consent/invitations/7");
});

async function readVodId(request: Request) {
  return twitchVodIdSchema.parse(/\d{10}/.exec(await request.clone().text())?.[0]);
}

test("of several lines those not archived yet start; the dialog says what became of each", async () => {
  const bodies: unknown[] = [];
  let running = 0;
  let most = 0;
  let isRemembered = false;
  service.answer(previewSource, async (request) => {
    most = Math.max(most, (running += 1));
    const vodId = await readVodId(request);
    running -= 1;
    return vodId === "2000000009"
      ? refusal("Twitch no longer has this VOD.")
      : {
          ...preview,
          vodId,
          title: `Evening ${vodId.at(-1)}`,
          owner,
          ownerConsent: null,
          ownConfirmation: isRemembered
            ? { reason: "Contract 7", confirmedAt: upload.createdAt }
            : null,
          existingUpload: vodId === "2000000003" ? { id: upload.id, status: "completed" } : null,
        };
  });
  service.answer(startUpload, async (request) => {
    bodies.push(await request.clone().json());
    isRemembered = true;
    return (await readVodId(request)) === "2000000004" ? refusal("The budget is used up.") : upload;
  });
  service.answer(revokeConfirmation, () => ({}));
  mountConsole("/uploads?archive=new");
  const field = page.getByRole("textbox", { name: "Video address or VOD number" });
  await field.fill(
    "2000000001\n2000000002\n2000000003\n2000000004 2000000009\nhttps://twitch.tv/videos/2000000001",
  );
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("Twitch no longer has this VOD.")).toBeVisible();
  await expect.element(page.getByText("Listed above already")).toBeVisible();
  const stored = page.getByRole("checkbox", { name: "Archive Evening 3" });
  await expect
    .element(page.getByRole("link", { name: "Archived before: completed" }))
    .toBeVisible();
  await expect.element(stored).not.toBeChecked();
  expect(most).toBe(3);
  const start = page.getByRole("button", { name: "Archive 3 VODs" });
  await expect.element(start).toHaveAttribute("aria-disabled", "true");
  await page.getByRole("checkbox", { name: /^I confirm .* 3 videos of Nova/ }).click();
  await page.getByRole("textbox", { name: "Reason (optional)" }).fill("Contract 7");
  await expectAccessible(ALL_RULES);
  await start.click();
  await expect.element(page.getByText("2 of 3 archives started.")).toBeVisible();
  await expect.element(page.getByText("The budget is used up.")).toBeVisible();
  expect(bodies).toHaveLength(3);
  expect(bodies[0]).toMatchObject({
    rightsConfirmed: true,
    rememberRights: { reason: "Contract 7" },
    again: false,
  });
  await page.getByRole("button", { name: "Archive more" }).click();
  await expect.element(field).toHaveFocus();
  await userEvent.keyboard("2000000001{Enter}");
  await expect.element(page.getByText(/^You confirmed .* Nova on .*: Contract 7$/)).toBeVisible();
  await page.getByRole("button", { name: "Revoke" }).click();
  await expect.element(page.getByRole("checkbox", { name: /^I confirm/ })).not.toBeChecked();
  expect(service.calls).toContain("DELETE /admin/consent/confirmations/7");
});

test("a lower quality can be chosen, with its size, and a withheld one is named", async () => {
  service.answer(previewSource, () => ({
    ...preview,
    withheldRendition: { label: "1440p60", reason: "sign_in" },
    qualities: [
      { quality: "best", rendition: "720p60", estimatedSizeBytes: 2_000_000 },
      { quality: "audio", rendition: "audio only", estimatedSizeBytes: 3 },
    ],
  }));
  const started = vi.fn<(body: unknown) => void>();
  service.answer(startUpload, async (request) => {
    started(await request.json());
    return upload;
  });
  mountConsole(`/uploads?archive=${VOD_ID}`);
  await expect.element(page.getByText("Twitch withholds 1440p60 without a sign-in.")).toBeVisible();
  await page.getByRole("combobox", { name: "Quality" }).selectOptions("Audio only");
  await expect.element(page.getByText("3 Bytes")).toBeVisible();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await expect.poll(toastTexts).toContain("Archive started");
  expect(started).toHaveBeenCalledWith(expect.objectContaining({ quality: "audio" }));
});

test("a cancelled VOD can be archived again, and a refusal is not taken for a duplicate", async () => {
  const { debugInfo } = upload;
  upload = { ...upload, status: "cancelled", debugInfo: { ...debugInfo, twitchVodId: VOD_ID } };
  service.answer(previewSource, () => preview);
  service.answer(startUpload, () => refusal("New archives are paused.", "conflict", 409));
  mountConsole("/uploads");
  await choose("Archive again");
  const start = page.getByRole("button", { name: "Archive", exact: true });
  await start.click();
  await expect.element(page.getByText("New archives are paused.")).toBeVisible();
  await expect.element(start).toBeVisible();
});

test.each([
  ["Pixelpilot", "Follow it", "/channels?add=pixelpilot"],
  ["https://www.twitch.tv/sunrise/videos", "Choose from its VODs", "/channels/5001"],
])("a channel is not looked up as a video: %s", async (line, link, address) => {
  const items = [buildChannel(1, { login: "sunrise", displayName: "Sunrise" })];
  service.answer(listChannels, () => ({ items, summary: { channels: 1 } }));
  mountConsole("/uploads?archive=new");
  await page.getByRole("textbox", { name: "Video address or VOD number" }).fill(line);
  await userEvent.keyboard("{Enter}");
  const found = page.getByRole("dialog").getByRole("link", { name: link });
  await expect.element(found).toHaveAttribute("href", address);
  expect(service.calls).not.toContain("POST /admin/uploads/preview");
  await expectAccessible(ALL_RULES);
});
