import { beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { listChannels } from "#contract/channels.ts";
import { inviteOwner, revokeConfirmation, revokeInvitation } from "#contract/consent.ts";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { previewSource } from "#contract/source-preview.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { startUpload } from "#contract/uploads.ts";
import { answerUploads } from "#console/testing/answer-uploads.ts";
import { ALL_RULES, expectAccessible } from "#console/testing/expect-accessible.ts";
import { mountConsole } from "#console/testing/mount-console.tsx";
import { chooseFromRow } from "#console/testing/row-menu.ts";
import { buildChannel } from "#console/testing/sample-channels.ts";
import { refusal, scriptService } from "#console/testing/scripted-service.ts";
import { signIn } from "#console/testing/sign-in.ts";
import { toastTexts } from "#console/testing/toast-texts.ts";

const VOD_ID = twitchVodIdSchema.parse("2000000001");

const upload = buildUpload({ status: "failed" });

let service: ReturnType<typeof scriptService>;

beforeEach(() => {
  service = scriptService();
  answerUploads(service);
  signIn();
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
  const debugInfo = { ...upload.debugInfo, twitchVodId: VOD_ID };
  answerUploads(service, [{ ...upload, status: "cancelled", debugInfo }]);
  service.answer(previewSource, () => preview);
  service.answer(startUpload, () => refusal("New archives are paused.", "conflict", 409));
  mountConsole("/uploads");
  await chooseFromRow("Archive again");
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
