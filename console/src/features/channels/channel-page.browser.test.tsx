import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { decideVods, listVods, previewRule } from "#contract/channel-vods.ts";
import {
  getChannel,
  readChannelDefaults,
  updateChannel,
  type Channel,
} from "#contract/channels.ts";
import { userIdSchema } from "#contract/ids.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { simulateRetention } from "#contract/trash.ts";
import { ago } from "#console/testing/ago.ts";
import { ALL_RULES, COLOUR_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { AVERY, buildChannel, CHANNELS } from "#console/testing/sample-channels.ts";
import { AMOUNT, VODS } from "#console/testing/sample-vods.ts";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

let service: ReturnType<typeof scriptService>;
let channel: Channel;
let bodies: unknown[];

const dialog = page.getByRole("dialog");

beforeEach(() => {
  service = scriptService();
  signIn();
  bodies = [];
  channel = { ...(CHANNELS[0] ?? buildChannel(1)), changes: { quality: "720p" } };
  service.answer(getChannel, () => channel);
  service.answer(listVods, () => ({ ...buildPage(VODS), notArchived: AMOUNT, removedAtOnce: 215 }));
  service.answer(readChannelDefaults, () => ({ rule: BUILT_IN_RULE }));
  service.answer(previewRule, () => ({
    taken: AMOUNT,
    withoutBasis: 20,
    leftOut: [{ reason: "too_short", vods: 3 }],
    vods: VODS.map((vod) => ({ ...vod, channelId: channel.id, channel: "x" })),
    isListed: true,
  }));
  service.answer(simulateRetention, () => ({ digest: "none" }));
  service.answer(updateChannel, async (request) => {
    bodies.push(await request.json());
    return channel;
  });
  service.answer(decideVods, async (request) => {
    bodies.push(await request.json());
    return { changed: 2 };
  });
});

async function openRule(): Promise<void> {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("button", { name: "Rule", exact: true }).click();
  await expect.element(dialog.getByText("What is archived")).toBeVisible();
}

async function expectAccessibleEverywhere(): Promise<void> {
  await expectAccessible(ALL_RULES);
  await page.viewport(390, 800);
  document.documentElement.dataset["theme"] = "dark";
  await expectAccessible(ALL_RULES);
  await page.viewport(820, 800);
  await expectAccessible(COLOUR_RULES);
}

test("VODs stand beside the archive, with what became of each", async () => {
  mountConsole(`/channels/${channel.id}`);
  for (const text of [
    /The monthly budget is used up/,
    /^may be deleted from November 26/,
    "42%",
    "too short",
    /^Gone at the source since/,
  ])
    await expect.element(page.getByText(text)).toBeVisible();
  await expect
    .element(page.getByRole("link", { name: "Watch" }))
    .toHaveAttribute("href", "/watch/up5");
  await expectAccessibleEverywhere();
});

test("highlights near the limit and a VOD that became longer say so", async () => {
  const changed = VODS.map((vod) => ({
    ...vod,
    kind: "highlight",
    sourceChange: vod.sourceChange && { ...vod.sourceChange, kind: "longer" },
  }));
  service.answer(listVods, () => ({ items: changed, notArchived: AMOUNT }));
  mountConsole(`/channels/${channel.id}`);
  await expect.element(page.getByText("Above 100 hours: any of these may go")).toBeVisible();
  await expect.element(page.getByText(/^Longer at the source since/)).toBeVisible();
});

test("all that is not archived is taken only after its figures were confirmed", async () => {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("button", { name: "Archive all 2 (1.9 TB, $28 a month)" }).click();
  await expect.element(dialog.getByText("$28.40")).toBeVisible();
  await expect
    .element(
      dialog.getByText(
        /Not 215 VODs that the rule's retention would remove at once: select those to keep/,
      ),
    )
    .toBeVisible();
  await expectAccessible(ALL_RULES);
  expect(bodies).toEqual([]);
  await dialog.getByRole("button", { name: "Archive all" }).click();
  await expect.poll(toastTexts).toContain("2 VODs will be archived");
  expect(bodies).toEqual([{ decision: "take" }]);
  expect(service.calls.some((one) => one.includes("state="))).toBe(false);
});

test("selected VODs are archived or left out by their ids", async () => {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("checkbox", { name: "Select Sunrise 1" }).click();
  await page.getByRole("checkbox", { name: "Select Sunrise 3" }).click();
  await page.getByRole("button", { name: "Don't archive", exact: true }).click();
  await expect.poll(() => bodies).toEqual([{ decision: "leave", vodIds: ["91", "93"] }]);
});

test("a rule shows what it would take, marks bad input, and keeps another's change", async () => {
  await openRule();
  await dialog.getByRole("button", { name: "Show what this rule would take" }).click();
  await expect.element(dialog.getByText("3 too short")).toBeVisible();
  await expect.element(dialog.getByText(/, 20 wait for consent$/)).toBeVisible();
  await dialog.getByLabelText("Shortest length").fill("soon");
  await expect.element(dialog.getByText(/^Enter minutes, or hours/)).toBeVisible();
  const saving = dialog.getByRole("button", { name: "Save" });
  await expect.element(saving).toHaveAttribute("aria-disabled", "true");
  await dialog.getByLabelText("Shortest length").fill("1.5h");
  await dialog.getByRole("button", { name: "Use the default: Picture" }).click();
  await expectAccessibleEverywhere();
  const replaces = { quality: "480p", chat: false } as const;
  channel = { ...channel, changes: replaces };
  await saving.click();
  // Only what both have changed needs a second look.
  await expect
    .element(
      dialog.getByText("Someone else has changed “Picture” meanwhile. Save again to replace that."),
    )
    .toBeVisible();
  expect(bodies).toEqual([]);
  await saving.click();
  await expect.poll(toastTexts).toContain("Rule saved");
  expect(bodies).toEqual([{ changes: { chat: false, minDurationSec: 5_400 }, replaces }]);
});

const removing = (digest: string) => ({
  digest,
  files: 1,
  sizeBytes: 4e9,
  lastCopies: 1,
  kept: [{ reason: "locked", files: 2 }],
  removed: [
    {
      key: "vods/1/5.ts",
      title: `File of ${digest}`,
      sizeBytes: 4e9,
      isLastCopy: true,
    },
  ],
});

test("files that a retention would remove are seen and confirmed first, again after a conflict", async () => {
  let digest = "first";
  service.answer(simulateRetention, () => removing(digest));
  service.answer(updateChannel, async (request) => {
    bodies.push(await request.json());
    if (bodies.length > 1) return channel;
    digest = "second";
    const error = { code: "conflict", message: "Other files would be removed now." };
    return Response.json({ error }, { status: 409 });
  });
  await openRule();
  const saving = dialog.getByRole("button", { name: "Save" });
  await dialog.getByRole("combobox", { name: "Kept" }).selectOptions("Some days");
  await expect.element(dialog.getByText("Enter a number of days from 1 to 36,500.")).toBeVisible();
  await dialog.getByLabelText("Days since the broadcast").fill("30");
  await expect.element(dialog.getByText("File of first")).toBeVisible();
  await expect.element(dialog.getByText(/would be the last copies/)).toBeVisible();
  await expect.element(saving).toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("checkbox", { name: "Move this file to the trash" }).click();
  await expectAccessibleEverywhere();
  await saving.click();
  await expect.element(dialog.getByText("Other files would be removed now.")).toBeVisible();
  await expect.element(dialog.getByText("File of second")).toBeVisible();
  await expect.element(saving).toHaveAttribute("aria-disabled", "true");
  await dialog.getByRole("checkbox", { name: "Move this file to the trash" }).click();
  await saving.click();
  await expect.poll(toastTexts).toContain("Rule saved");
  const retention = { keep: "days", days: 30 };
  expect(bodies).toEqual(
    ["first", "second"].map((simulation) => ({
      changes: { quality: "720p", retention },
      replaces: { quality: "720p" },
      simulation,
    })),
  );
});

test("unsaved changes of a rule are lost only after a question", async () => {
  await openRule();
  await dialog.getByRole("checkbox", { name: "Highlights" }).click();
  await userEvent.keyboard("{Escape}");
  await expect.element(page.getByText("Leave without saving?")).toBeVisible();
  await page.getByRole("button", { name: "Leave", exact: true }).click();
  await expect.poll(() => dialog.query()).toBeNull();
});

test("whoever changes a rule that rests on another's word gives a reason", async () => {
  channel = {
    ...channel,
    basis: {
      kind: "confirmation",
      confirmedBy: { ...AVERY, userId: userIdSchema.parse("2002"), displayName: "Mo" },
      reason: "Contract 7",
      confirmedAt: ago(900),
    },
  };
  await openRule();
  await dialog.getByRole("checkbox", { name: "Highlights" }).click();
  const saving = dialog.getByRole("button", { name: "Save" });
  await expect.element(saving).toHaveAttribute("aria-disabled", "true");
  await dialog.getByLabelText("Reason", { exact: true }).fill("Contract 8");
  await saving.click();
  await expect.poll(() => bodies).toMatchObject([{ confirmation: { reason: "Contract 8" } }]);
});

test("a channel without basis says so; a reason confirms the rights", async () => {
  channel = { ...channel, basis: null };
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("button", { name: "Confirm or invite" }).click();
  await dialog.getByLabelText("Reason").fill("Our own channel");
  await expect.element(dialog.getByRole("button", { name: "Invite the owner" })).toBeVisible();
  await expectAccessibleEverywhere();
  await dialog.getByRole("button", { name: "Confirm rights" }).click();
  await expect.poll(() => bodies).toEqual([{ confirmation: { reason: "Our own channel" } }]);
});

test("an own figure replaces how long the source keeps broadcasts", async () => {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("button", { name: /^Change how long/ }).click();
  await dialog.getByLabelText("Your figure, in days").fill("0");
  await expect
    .element(dialog.getByText(/^Enter a number of days from 1 to 3,650/).first())
    .toBeVisible();
  await dialog.getByLabelText("Your figure, in days").fill("16");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect.poll(() => bodies).toEqual([{ ownDeletesAfterDays: 16 }]);
});

test("a channel that is not followed leads back to the list", async () => {
  service.answer(getChannel, () => refusal("x", "not_found", 404));
  service.answer(listVods, () => refusal("x", "not_found", 404));
  mountConsole("/channels/5009");
  await expect.element(page.getByText("This channel is not followed")).toBeVisible();
});
