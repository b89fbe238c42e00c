import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { BodyOf } from "#contract/call.ts";
import { previewRule } from "#contract/channel-vods.ts";
import { findChannels } from "#contract/channel-lookup.ts";
import {
  addChannels,
  readChannelDefaults,
  removeChannel,
  updateChannelDefaults,
} from "#contract/channels.ts";
import { answerFull } from "#console/testing/answer-full.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow } from "#console/testing/row-menu.ts";
import { AVERY } from "#console/testing/sample-channels.ts";
import { scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";
import { namesOf } from "./add-channels.ts";

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerFull(service);
  signIn();
});

const dialog = page.getByRole("dialog", { name: "Add channels" });
const field = dialog.getByLabelText("Names or addresses of channels");
const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();
const countCalls = (start: string) => service.calls.filter((call) => call.startsWith(start)).length;
const countLists = () => countCalls("GET /admin/channels?");

type Sent = BodyOf<typeof addChannels>;

/** Adds every name but those that begin with "un"; returns what was sent. */
function answerAdding(before: () => Promise<unknown> = async () => undefined): Sent[] {
  const sent: Sent[] = [];
  service.answer(addChannels, async (request) => {
    const body: Sent = await request.json();
    sent.push(body);
    await before();
    return {
      results: body.names.map((name, index) =>
        name.startsWith("un")
          ? { name, result: "unknown", error: "Twitch knows no channel of this name." }
          : {
              name,
              result: "added",
              hasBasis: body.confirmation !== undefined,
              channel: { id: `9${index}`, displayName: name },
            },
      ),
    };
  });
  return sent;
}

test("names are separated by lines and commas, comments are left out, and each channel counts once", () => {
  const pasted = `# my list
    nova,Pixel # a friend
    @pixel; https://www.twitch.tv/NOVA/videos?x=1#top

    hella (my friend)\t500063
    "mira", ‘lumi’`;
  expect(namesOf(pasted)).toEqual({
    names: ["nova", "Pixel", "hella (my friend)", "500063", "mira", "lumi"],
    repeated: 2,
  });
});

test("a row says what is in danger, wrong, waiting and lost, and how its rule differs", async () => {
  mountConsole("/channels");
  const rows = page.getByRole("table", { name: "Channels" }).getByRole("row");
  for (const text of [
    /^live$/,
    "214 stored · 1\u00A0waiting · 12\u00A0not archived",
    "670 h · 1.9 TB",
    "$28.51 a month",
    "Default",
  ])
    await expect.element(rows.nth(1).getByText(text, { exact: true })).toBeVisible();
  for (const text of [
    /^may be deleted from .*24/,
    "3 stored · 4\u00A0waiting · 1\u00A0failed · 2\u00A0lost",
    "Past broadcasts and highlights, from 30m, without “rerun” or “test stream”, at most 1080p, kept for 30 days",
    /^Twitch answered with 503/,
  ])
    await expect.element(rows.nth(2).getByText(text)).toBeVisible();
  await expect.element(rows.nth(3).getByText("Waits for consent")).toBeVisible();
  await expect.element(rows.nth(4).getByText("Paused")).toBeVisible();
});

test("the summary's numbers filter the list", async () => {
  mountConsole("/channels?page=2");
  await page.getByRole("link", { name: "Live now 1" }).click();
  await expect
    .poll(() => service.calls.findLast((call) => call.startsWith("GET /admin/channels?")))
    .toMatch(/page=1&.*state=live/);
});

test("pausing all rules asks, and a banner says who paused them", async () => {
  let pausedAt: string | null = null;
  const answer = () => ({ pausedBy: AVERY, pausedAt });
  service.answer(readChannelDefaults, answer);
  service.answer(updateChannelDefaults, async (request) => {
    const { paused }: BodyOf<typeof updateChannelDefaults> = await request.json();
    pausedAt = paused === true ? "2026-11-20T10:00:00.000Z" : null;
    return answer();
  });
  mountConsole("/channels");
  const isOn = page.getByRole("switch", { name: "Pause all rules" });
  await isOn.click();
  await expect.element(page.getByText(/no file is removed by retention/)).toBeVisible();
  expect(countCalls("PUT")).toBe(0);
  await press("Pause all rules");
  await expect.element(page.getByText(/are paused since .* by Avery Admin/)).toBeVisible();
  await expect.element(isOn).toBeChecked();
  await expectAccessible(ALL_RULES);
  await press("Resume");
  await expect.element(isOn).not.toBeChecked();
});

test("the default rule is edited among the settings", async () => {
  service.answer(previewRule, () => new Promise(() => undefined));
  mountConsole("/channels");
  await page.getByRole("link", { name: "Default rule" }).click();
  await expect
    .element(page.getByRole("dialog", { name: "Default rule" }).getByText("Past broadcasts"))
    .toBeVisible();
});

test("removing a channel asks", async () => {
  service.answer(removeChannel, () => ({}));
  mountConsole("/channels");
  await chooseFromRow("Remove", "PixelPilot");
  await expect.element(page.getByText("Twitch ID 5001")).toBeVisible();
  await press("Remove");
  await expect.poll(toastTexts).toContain("PixelPilot removed");
});

test("pasted names are sent by hundreds, with a result for each; failed ones can be sent again", async () => {
  const sent = answerAdding();
  mountConsole("/channels?add=new");
  const names = Array.from({ length: 230 }, (_name, index) => `channel${index}`);
  await field.fill([...names, "unknown1", "unheard_of", "channel0"].join("\n"));
  await expect.element(dialog.getByText("232 channels, 1 repeated")).toBeVisible();
  await dialog.getByRole("checkbox").click();
  await press("Add 232 channels");
  await expect.element(dialog.getByText("Say what your confirmation rests on.")).toBeVisible();
  await dialog.getByLabelText("Reason").fill("Contract of May");
  const lists = countLists();
  await press("Add 232 channels");
  await expect.element(dialog.getByText("Not found: 2 · Added: 230")).toBeVisible();
  expect(sent.map((one) => one.names.length)).toEqual([100, 100, 32]);
  expect(sent[0]?.confirmation).toEqual({ reason: "Contract of May" });
  await expect.poll(countLists).toBeGreaterThan(lists);
  const first = dialog.getByRole("row").nth(1);
  await expect
    .poll(() => first.element().textContent)
    .toMatch(/unknown1.*Twitch knows no channel of this name/);
  await expectAccessible(ALL_RULES);
  await press("Edit 2 and send again");
  await expect.element(field).toHaveValue("unknown1\nunheard_of");
});

/** Unlike in samples, of today. */
function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}

test("a few channels are looked at, to ask how far back", async () => {
  const sent = answerAdding();
  const vod = { sizeBytes: 1_073_741_824, usdPerMonth: 0.015 };
  service.answer(findChannels, () => ({
    channels: [
      {
        id: "1001",
        displayName: "Avery Admin",
        hasBasis: false,
        vods: [1, 3, 40].map((days) => ({ ...vod, recordedAt: daysAgo(days) })),
        isRough: true,
      },
    ],
  }));
  mountConsole("/channels?add=new");
  await field.fill("avery");
  await userEvent.keyboard("{Tab}");
  const back = dialog.getByRole("combobox", { name: "How far back" });
  await back.selectOptions("Everything (3)");
  await expect
    .element(dialog.getByText("3 VODs, about 3 GB (roughly, by a usual bit rate), $0.0450 a month"))
    .toBeVisible();
  await back.selectOptions("days");
  await dialog.getByLabelText("days back").fill("7");
  await expect.element(dialog.getByText(/^2 VODs, about 2 GB/)).toBeVisible();
  await expectAccessible(ALL_RULES);
  await press("Add channel");
  await expect.poll(() => sent).toEqual([{ names: ["avery"], changes: { backDays: 7 } }]);
});

test("a call that fails does not stop the others; closing meanwhile asks", async () => {
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let calls = 0;
  const sent = answerAdding(async () => answers[calls++]?.promise);
  mountConsole("/channels?add=new");
  await field.fill(Array.from({ length: 250 }, (_name, index) => `channel${index}`).join(","));
  await press("Add 250 channels");
  await expect.element(dialog.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "0");
  answers[0]?.reject(new Error("away"));
  await expect.element(dialog.getByText(/^100 of 250 · No answer: 100/)).toBeVisible();
  await press("Close");
  const question = page.getByRole("dialog", { name: "Stop adding channels" });
  await question.getByRole("button", { name: "Go on" }).click();
  await press("Stop");
  answers[1]?.resolve();
  await expect
    .element(dialog.getByText("No answer: 100 · Not sent: 50 · Added, waits for consent: 100"))
    .toBeVisible();
  expect(sent).toHaveLength(2);
  await press("Done");
  await expect.element(dialog).not.toBeInTheDocument();
});
