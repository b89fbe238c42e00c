import { afterAll, beforeEach, expect, test } from "vitest";
import { previewSource } from "#contract/source-preview.ts";
import { UPLOAD_STATUSES, uploadSchema, type UploadStatus } from "#contract/upload.ts";
import * as calls from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { ADMIN, startTestService, STREAMER } from "#service/testing/test-service.ts";
import { seedUpload, type UploadSeed } from "#service/testing/upload-rows.ts";

/** A VOD of one minute by STREAMER. */
const VOD = "2000000002";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());
beforeEach(async () => {
  await vodkeep.platform.database.batch([sql`DELETE FROM uploads`, sql`DELETE FROM consents`]);
});

async function seed(...seeds: readonly UploadSeed[]): Promise<void> {
  for (const one of seeds) await seedUpload(vodkeep.platform.database, one);
}

function start(body: Record<string, unknown> = {}) {
  return admin.call("POST", calls.startUpload.path, {
    body: { source: { type: "twitch", vodId: VOD }, rightsConfirmed: true, ...body },
  });
}

async function consent(): Promise<void> {
  await vodkeep.platform.database.run(sql`
    INSERT INTO consents (owner_id, text_version, agreed_at) VALUES (${STREAMER}, 1, 7)`);
}

function auditRows(action: string): Promise<number> {
  return countRows(vodkeep.platform.database, sql`audit WHERE action = ${action}`);
}

test("deleting with ifStatus=failed keeps an upload that is running", async () => {
  await seed({ id: "running", status: "processing" }, { id: "broken", status: "failed" });
  const refused = await admin.call("DELETE", "/admin/uploads/running?ifStatus=failed");
  expect(refused.status).toBe(409);
  expect(refused.error?.message).toContain("it is processing now");
  expect((await admin.call("GET", "/admin/uploads/running")).status).toBe(200);
  expect((await admin.call("DELETE", "/admin/uploads/broken?ifStatus=failed")).status).toBe(200);
  expect((await admin.call("DELETE", "/admin/uploads/gone?ifStatus=failed")).status).toBe(404);
});

test("accepts a VOD with its owner, and a second time only with again: true", async () => {
  const answer = await start();
  expect(answer.status).toBe(201);
  const upload = uploadSchema.parse(answer.data);
  expect(upload).toMatchObject({
    status: "pending",
    userId: STREAMER,
    owner: { username: "pixelpilot" },
    metadata: { streamTitle: "One minute above the clouds" },
    maxRetries: 3,
  });
  expect(upload.debugInfo.initiatedBy?.twitchId).toBe(ADMIN);
  expect(answer.text).not.toContain("@example.test");
  expect((await start()).error?.code).toBe("conflict");
  expect((await start({ again: true })).status).toBe(201);
});

test("a part is another upload than its VOD and than other parts", async () => {
  const part = { startSec: 10, endSec: 30 };
  const upload = uploadSchema.parse((await start({ part })).data);
  expect(upload).toMatchObject({
    part,
    filename: "pixelpilot-2000000002-10-30.ts",
    metadata: { streamTitle: "Part 0:00:10-0:00:30 of One minute above the clouds" },
    debugInfo: { twitchVodId: VOD },
  });
  const again = await start({ part });
  expect(again.error).toMatchObject({ code: "conflict", details: { again: expect.anything() } });
  const existingOf = async (body: object) => {
    const source = { type: "twitch" as const, vodId: VOD };
    const preview = await admin.expect(previewSource, undefined, { body: { source, ...body } });
    return preview.existingUpload?.id;
  };
  expect(await existingOf({})).toBeUndefined();
  expect(await existingOf({ part })).toBe(upload.id);
  expect((await start({ part: { startSec: 20, endSec: 30 } })).status).toBe(201);
  expect((await start()).status).toBe(201);
});

test.each([
  [{ startSec: 30, endSec: 30 }, "has to be after the start of the part"],
  [{ startSec: -1, endSec: 30 }, ""],
  [{ startSec: 30, endSec: 61 }, "This VOD ends at 0:01:00, before the part does."],
])("refuses the part %j", async (part, reason) => {
  const { status, error } = await start({ part });
  expect(status).toBe(400);
  expect(JSON.stringify(error)).toContain(reason);
});

test("fifty concurrent starts of a VOD create one upload and one audit entry", async () => {
  const before = await auditRows("upload.start");
  const answers = await Promise.all(Array.from({ length: 50 }, () => start()));
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(1);
  expect(answers.filter((answer) => answer.error?.code === "conflict")).toHaveLength(49);
  expect((await admin.expect(calls.listUploads)).total).toBe(1);
  expect((await auditRows("upload.start")) - before).toBe(1);
});

test("requires rightsConfirmed unless the owner has consented, and records the consent", async () => {
  const { database } = vodkeep.platform;
  const owner = async () => await database.all(sql`SELECT login FROM users WHERE id = ${STREAMER}`);
  await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
    VALUES (${STREAMER}, 'former', 'Former', 0) ON CONFLICT (id) DO UPDATE SET login = 'former'`);
  const refused = await start({ rightsConfirmed: false });
  expect(refused.error).toMatchObject({ code: "invalid_request" });
  expect(refused.error?.details).toHaveProperty("rightsConfirmed");
  // A refusal changes nothing, not even the VOD's owner.
  expect(await owner()).toEqual([{ login: "former" }]);
  // Signing in is no consent.
  await vodkeep.signIn(STREAMER);
  expect((await start({ rightsConfirmed: false })).error?.code).toBe("invalid_request");
  await consent();
  expect((await start({ rightsConfirmed: false })).status).toBe(201);
  expect(await owner()).toEqual([{ login: "pixelpilot" }]);
  expect(await database.all(sql`SELECT rights, consent_text_version FROM uploads`)).toEqual([
    { rights: "owner_signed_in", consent_text_version: 1 },
  ]);
  const [entry] = await database.all(sql`
    SELECT after FROM audit WHERE action = 'upload.start' ORDER BY seq DESC LIMIT 1`);
  expect(entry?.after).toContain('"consentTextVersion":1');
  // Consent that an owner gave before a ban does not count.
  await database.batch([
    sql`UPDATE users SET banned_at = 1 WHERE id = ${STREAMER}`,
    sql`DELETE FROM uploads`,
  ]);
  expect((await start({ rightsConfirmed: false })).error?.code).toBe("invalid_request");
  await database.run(sql`UPDATE users SET banned_at = NULL WHERE id = ${STREAMER}`);
});

test.for([
  [{ vodId: "404404404" }, 404],
  [{ url: "https://www.twitch.tv/pixelpilot" }, 400],
  [{ url: "https://evil.example/videos/2000000002" }, 400],
  [{ url: "javascript:alert(1)" }, 400],
  [{ vodId: "1e3" }, 400],
  [{ vodId: "0" }, 400],
  [{ vodId: VOD, url: "https://www.twitch.tv/videos/2000000002" }, 400],
] as const)("rejects the source %j with %i", async ([source, status]) => {
  expect((await start({ source: { type: "twitch", ...source } })).status).toBe(status);
});

test("reports a Twitch failure as an upstream error", async () => {
  await vodkeep.twitch.control.addFault({
    match: { kind: "helix" },
    fault: { type: "status", status: 500 },
    times: "forever",
  });
  const answer = await start();
  await vodkeep.twitch.control.clearFaults();
  expect(answer.error?.code).toBe("upstream_error");
});

test("a preview returns the size, owner, consent and an existing upload", async () => {
  const body = { source: { type: "twitch", url: `twitch.tv/videos/${VOD}?t=1s` } };
  const preview = () => admin.expect(previewSource, previewSource.path, { body });
  expect(await preview()).toMatchObject({
    vodId: VOD,
    durationSec: 60,
    ownerConsent: null,
    existingUpload: null,
    owner: { login: "pixelpilot" },
    channelCategory: expect.stringMatching(/./),
  });
  expect((await preview()).estimatedSizeBytes).toBeGreaterThan(0);
  await start();
  await consent();
  expect(await preview()).toMatchObject({
    ownerConsent: { agreedAt: "1970-01-01T00:00:00.007Z", withdrawnAt: null },
    existingUpload: { status: "pending" },
  });
});

test("a preview lists the qualities that differ, and what is withheld", async () => {
  const { id } = await vodkeep.twitch.control.addVod({ withheldSource: "landscape" });
  const body = { source: { type: "twitch", vodId: id } };
  const found = await admin.expect(previewSource, previewSource.path, { body });
  expect(found.withheldRendition).toEqual({ label: "1440p60", reason: "sign_in" });
  expect(found.qualities.map(({ quality, rendition }) => [quality, rendition])).toEqual([
    ["best", "720p60"],
    ["480p", "360p30"],
    ["audio", "audio only"],
  ]);
  const sizes = found.qualities.map(({ estimatedSizeBytes }) => estimatedSizeBytes);
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
});

test("the chosen quality is recorded, and an unknown one is refused", async () => {
  expect((await start({ quality: "480p" })).data).toMatchObject({ quality: "480p" });
  expect((await start({ quality: "4k", again: true })).status).toBe(400);
});

test("a preview says that a VOD is only for subscribers", async () => {
  const body = { source: { type: "twitch", vodId: "2000001060" } };
  expect(await admin.expect(previewSource, previewSource.path, { body })).toMatchObject({
    restriction: expect.stringMatching(
      /^Twitch shows this VOD to subscribers only\. Twitch said: vod/,
    ),
  });
});

const OFFERED = {
  retry: ["failed"],
  cancel: ["pending", "processing"],
  delete: UPLOAD_STATUSES,
} as const satisfies Record<string, readonly UploadStatus[]>;

test.for(UPLOAD_STATUSES)(
  "a %s upload accepts only the actions valid for its status",
  async (status) => {
    for (const action of ["retry", "cancel", "delete"] as const) {
      await seed({ id: `${status}-${action}`, status });
      const path = `/admin/uploads/${status}-${action}`;
      const answer = await (action === "delete"
        ? admin.call("DELETE", path)
        : admin.call("POST", `${path}/${action}`));
      const isOffered = OFFERED[action].some((one) => one === status);
      expect(answer.status).toBe(isOffered ? 200 : 409);
      expect(answer.error?.message ?? status).toContain(status);
    }
    expect((await admin.call("DELETE", `/admin/uploads/${status}-delete`)).status).toBe(404);
  },
);

test("an id may be shortened while it is the only one that begins so", async () => {
  for (const id of ["5ab1e-and-some", "5ab1e-and-more", "5ab1e-and"]) await seed({ id });
  for (const [id, found] of [
    ["5ab1e-and-s", "5ab1e-and-some"],
    ["5ab1e-and", "5ab1e-and"],
    ["5ab1e-an", null],
    ["5ab1e", null],
  ] as const) {
    const { status, data } = await admin.call("GET", `/admin/uploads/${id}`);
    expect({ id, status, data }).toMatchObject(
      found === null ? { status: 404 } : { status: 200, data: { id: found } },
    );
  }
});

test("rejects a retry beyond the maximum and says why", async () => {
  await seed({ id: "spent", status: "failed", retryCount: 3 });
  for (const [maxRetries, reason] of [
    [3, "This upload has used all of its 3 retries."],
    [1, "This upload has used its only retry."],
    [0, "This upload cannot be retried: its maximum is 0."],
  ] as const) {
    await vodkeep.platform.database.run(
      sql`UPDATE uploads SET retry_count = ${maxRetries}, max_retries = ${maxRetries}`,
    );
    const answer = await admin.call("POST", "/admin/uploads/spent/retry");
    expect(answer).toMatchObject({ status: 409, error: { message: reason } });
  }
});

test.for(["retry", "cancel"] as const)(
  "fifty concurrent %s requests take effect once",
  async (action) => {
    await seed({ id: "one", status: action === "retry" ? "failed" : "pending" });
    const before = await auditRows(`upload.${action}`);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => admin.call("POST", `/admin/uploads/one/${action}`)),
    );
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 409)).toHaveLength(49);
    expect((await auditRows(`upload.${action}`)) - before).toBe(1);
  },
);

function retryOne() {
  return admin.call("POST", "/admin/uploads/one/retry");
}

test("an archive that rests on consent is retried only while it is in force", async () => {
  await seed({ id: "one", status: "failed", ownerId: STREAMER });
  const { database } = vodkeep.platform;
  // As when its owner had only signed in.
  await database.batch([
    sql`UPDATE uploads SET rights = 'owner_signed_in'`,
    sql`INSERT INTO chats (upload_id, state, has_ended) VALUES ('one', 'gone', 1)`,
  ]);
  expect((await retryOne()).error?.message).toMatch(/has not agreed .* or has withdrawn/);
  const chat = await admin.call("POST", "/admin/uploads/one/chat");
  expect(chat.error?.message).toMatch(/has not agreed .* or has withdrawn/);
  await consent();
  await database.run(sql`UPDATE consents SET withdrawn_at = 8`);
  expect((await retryOne()).status).toBe(409);
  await database.run(sql`UPDATE consents SET withdrawn_at = NULL`);
  expect((await retryOne()).status).toBe(200);
});

test("a retry resets the start time", async () => {
  await seed({ id: "one", status: "failed" });
  await vodkeep.platform.database.run(sql`UPDATE uploads SET started_at = 500`);
  const { data } = await admin.call("POST", "/admin/uploads/one/retry");
  expect(data).toMatchObject({ status: "pending", retryCount: 1, startedAt: null });
});

test("a bulk retry handles each id once and independently", async () => {
  await seed(
    { id: "yes", status: "failed" },
    { id: "spent", status: "failed", retryCount: 3 },
    { id: "running", status: "processing" },
  );
  const ids = ["yes", "spent", "yes", "running", "unknown"];
  const result = await admin.expect(calls.bulkRetry, calls.bulkRetry.path, { body: { ids } });
  expect(result).toMatchObject({ success: 1, failed: 3 });
  expect(result.results.map(({ id, ok }) => [id, ok])).toEqual([
    ["yes", true],
    ["spent", false],
    ["running", false],
    ["unknown", false],
  ]);
  const again = await admin.expect(calls.bulkRetry, calls.bulkRetry.path, { body: { ids } });
  expect(again.success).toBe(0);
});

test("an absence on which Twitch disagrees is no 404 for a person, but one on which it agrees is", async () => {
  const { control } = vodkeep.twitch;
  const { id: vodId } = await control.addVod();
  const body = { source: { type: "twitch", vodId } };
  const answer = async () => {
    const response = await admin.call("POST", previewSource.path, { body });
    return { status: response.status, text: response.text };
  };
  await control.claim(vodId, "helix", { isMissing: true });
  expect(await answer()).toMatchObject({
    status: 502,
    text: expect.stringContaining("Twitch's API lists no such VOD, but its web API has it."),
  });
  await control.claim(vodId, "webApi", { isMissing: true });
  expect(await answer()).toMatchObject({
    status: 404,
    text: expect.stringContaining("Twitch no longer has this VOD."),
  });
});
