import { beforeEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { decideVods, listVods, vodSchema, type Vod } from "#contract/channel-vods.ts";
import {
  getChannel,
  readChannelDefaults,
  updateChannel,
  type Channel,
} from "#contract/channels.ts";
import { buildPage } from "#contract/testing/build-page.ts";
import { ago } from "#console/testing/ago.ts";
import { ALL_RULES, COLOUR_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { buildChannel, CHANNELS } from "#console/testing/sample-channels.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

let service: ReturnType<typeof scriptService>;
let channel: Channel;
let bodies: unknown[];

const STATES: readonly Partial<Vod>[] = [
  { state: "wanted", waitsFor: "The monthly budget is used up.", dangerAt: ago(-4_000) },
  { state: "copying", isGrowing: true },
  { state: "left_out", reason: "too_short" },
  { state: "lost" },
  { state: "stored", sourceChange: { kind: "gone", since: ago(9_000) } },
];

function buildVod(id: number, overrides: Partial<Vod>): Vod {
  return vodSchema.parse({
    id: `9${id}`,
    kind: "archive",
    title: `Sunrise ${id}`,
    durationSec: 3_600 * id,
    recordedAt: ago(id * 1_440),
    isGrowing: false,
    sizeBytes: id * 3_000_000_000,
    reason: null,
    waitsFor: null,
    dangerAt: null,
    sourceChange: null,
    upload:
      overrides.state === "copying" || overrides.state === "stored"
        ? { id: `up${id}`, progress: 42 }
        : null,
    fileKey: overrides.state === "stored" ? `vods/1/${id}.ts` : null,
    ...overrides,
  });
}

const VODS = STATES.map((state, index) => buildVod(index + 1, state));
const AMOUNT = {
  vods: 2,
  durationSec: 14_400,
  sizeBytes: 1.9 * 1024 ** 4,
  usdPerMonth: 28.4,
  copyUsd: 0,
};
const dialog = page.getByRole("dialog");

beforeEach(() => {
  service = scriptService();
  signIn();
  bodies = [];
  channel = { ...(CHANNELS[0] ?? buildChannel(1)), changes: { quality: "720p" } };
  service.answer(getChannel, () => channel);
  service.answer(listVods, () => ({ ...buildPage(VODS), notArchived: AMOUNT }));
  service.answer(readChannelDefaults, () => ({
    rule: BUILT_IN_RULE,
    changedBy: null,
    changedAt: null,
    pausedBy: null,
    pausedAt: null,
  }));
  service.answer(updateChannel, async (request) => {
    bodies.push(await request.json());
    return channel;
  });
  service.answer(decideVods, async (request) => {
    bodies.push(await request.json());
    return { changed: 2 };
  });
});

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

test("all that is not archived is taken only after its figures were confirmed", async () => {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("button", { name: "Archive all 2 (1.9 TB, $28 a month)" }).click();
  await expect.element(dialog.getByText("$28.40")).toBeVisible();
  await expectAccessible(ALL_RULES);
  expect(bodies).toEqual([]);
  await dialog.getByRole("button", { name: "Archive all" }).click();
  await expect.poll(toastTexts).toContain("2 VODs will be archived");
  expect(bodies).toEqual([{ decision: "take" }]);
  await expect.poll(() => service.calls.some((one) => one.includes("state=wanted"))).toBe(true);
});

test("selected VODs are archived or left out by their ids", async () => {
  mountConsole(`/channels/${channel.id}`);
  await page.getByRole("checkbox", { name: "Select Sunrise 1" }).click();
  await page.getByRole("checkbox", { name: "Select Sunrise 3" }).click();
  await page.getByRole("button", { name: "Leave out", exact: true }).click();
  await expect.poll(() => bodies).toEqual([{ decision: "leave", vodIds: ["91", "93"] }]);
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
  service.answer(getChannel, () =>
    Response.json({ error: { code: "not_found", message: "x" } }, { status: 404 }),
  );
  service.answer(listVods, () =>
    Response.json({ error: { code: "not_found", message: "x" } }, { status: 404 }),
  );
  mountConsole("/channels/5009");
  await expect.element(page.getByText("This channel is not followed")).toBeVisible();
});
