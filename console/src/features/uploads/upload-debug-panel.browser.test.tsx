import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { userIdSchema } from "#contract/ids.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { colourName } from "#contract/testing/colour-name.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";

/** In the middle of that minute, so that the displayed age stays the same for a while. */
function minutesAgo(minutes: number): string {
  return new Date(Date.now() - (minutes + 0.5) * 60_000).toISOString();
}

const debug = page.getByRole("button", { name: "Debug information of evening.ts" });

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  signIn();
});

test("a debug panel is as wide as its table, whose columns keep their widths", async () => {
  const column = page.getByRole("columnheader", { name: "File" });
  const widthPx = () => column.element().getBoundingClientRect().width;
  answerUploads(service, [buildUpload({ filename: "evening.ts" })]);
  mountConsole("/uploads");
  await expect.element(debug).toBeVisible();
  const before = widthPx();
  await debug.click();
  await expect.element(page.getByText("Progress history")).toBeVisible();
  expect(widthPx()).toBe(before);
  const panel = page.getByText("Progress history").element().closest("td");
  expect(panel?.offsetWidth).toBe(page.getByRole("table").element().clientWidth);
});

test("the debug panel shows all known details and the last 5 entries of the progress history", async () => {
  const upload = buildUpload();
  const shown = buildUpload({
    ...upload,
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
  answerUploads(service, [shown]);
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
