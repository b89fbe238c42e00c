import { afterAll, describe, expect, it } from "vitest";
import { getFile } from "#contract/files.ts";
import { previewSource } from "#contract/source-preview.ts";
import { uploadSchema } from "#contract/upload.ts";
import * as calls from "#contract/uploads.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { startOrigin } from "#stand-ins/origin/server.ts";

const FILM = new TextEncoder().encode(`\0\0\0\u0018ftypisom${"film".repeat(1_000)}`);

const origin = await startOrigin();
origin.put("/films/My%20film.mp4", { bytes: FILM, type: "video/mp4", etag: '"1"' });
const vodkeep = await startTestService({ settings: { SOURCE_HOSTS: origin.host }, starts: true });
const admin = await vodkeep.signIn(ADMIN);
afterAll(async () => {
  await vodkeep.close();
  await origin.close();
});

const film = () => `http://${origin.host}/films/My%20film.mp4?token=secret`;

function preview(url: string, client = admin) {
  return client.call("POST", previewSource.path, { body: { source: { type: "url", url } } });
}

it("a direct URL is previewed, confirmed, archived, played and downloaded", async () => {
  const source = { type: "url" as const, url: film() };
  expect(await admin.expect(previewSource, previewSource.path, { body: { source } })).toMatchObject(
    {
      vodId: null,
      title: "My film.mp4",
      owner: null,
      sourceHost: origin.host,
      durationSec: null,
      estimatedSizeBytes: FILM.byteLength,
      ownerConsent: null,
      existingUpload: null,
    },
  );
  const unconfirmed = await admin.call("POST", calls.startUpload.path, {
    body: { source, rightsConfirmed: false },
  });
  expect(unconfirmed.status).toBe(400);
  expect(unconfirmed.error?.message).toBe(
    "Confirm that you hold the rights to archive this video.",
  );
  const body = { source, rightsConfirmed: true };
  const { id } = await admin.expect(calls.startUpload, calls.startUpload.path, { body });
  await expect
    .poll(async () => (await admin.call("GET", `/admin/uploads/${id}`)).data)
    .toMatchObject({ status: "completed" });
  const upload = uploadSchema.parse((await admin.call("GET", `/admin/uploads/${id}`)).data);
  expect(upload).toMatchObject({ kind: "url", filename: "127.0.0.1-My film.mp4", userId: ADMIN });
  const file = await admin.expect(getFile, `/admin/r2/file/${upload.fileKey}`);
  expect(file).toMatchObject({ uploadType: "url", status: "complete", size: FILM.byteLength });
  expect(file.playlistUrl).toBeUndefined();
  for (const address of [file.videoUrl, file.downloadUrl]) {
    const response = await vodkeep
      .visitor()
      .send("GET", address ?? "", { headers: { origin: "" } });
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(FILM);
    expect(response.headers.get("content-type")).toBe("video/mp4");
  }
  const again = await admin.call("POST", calls.startUpload.path, { body });
  expect(again.status).toBe(409);
  expect(again.error?.message).toContain("This address has been archived already.");
  expect(Object.keys(again.error?.details ?? {})).toEqual(["again"]);
});

describe("a preview is rejected", () => {
  it.each([
    ["https://elsewhere.example/film.mp4", /^elsewhere\.example is not one of the hosts/],
    ["https://169.254.169.254/latest/meta-data/", /^169\.254\.169\.254 is not one of the hosts/],
    ["http://[::ffff:127.0.0.1]/film.mp4", /./],
    ["https://user:pass@elsewhere.example/", /carries credentials/],
    ["film.mp4", /is not a web address/],
  ])("for the URL %s", async (url, message) => {
    const answer = await preview(url);
    expect(answer.status).toBe(400);
    expect(answer.error?.message).toMatch(message);
  });

  it("when the source has no such file", async () => {
    const answer = await preview(`http://${origin.host}/nowhere.mp4`);
    expect(answer.status).toBe(404);
    expect(answer.error?.message).toBe("The source has no such file (404).");
  });

  it("without the permission to start archives", async () => {
    const reader = await vodkeep.signInWith("1002", ["read:uploads"]);
    expect((await preview(film(), reader)).status).toBe(403);
  });

  it("when no source hosts are configured", async () => {
    const closed = await startTestService();
    const answer = await preview(film(), await closed.signIn(ADMIN));
    expect(answer.status).toBe(400);
    expect(answer.error?.message).toContain("Only Twitch VODs can be archived here.");
    await closed.close();
  });
});
