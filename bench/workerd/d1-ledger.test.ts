import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AnyCall } from "#contract/call.ts";
import { login } from "#contract/auth.ts";
import { BUILT_IN_RULE } from "#contract/channel-rules.ts";
import { CONSENT_TEXT_VERSION } from "#contract/consent.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import {
  continueManualUpload,
  createManualUpload,
  PROTOCOL_CALLS,
} from "#contract/manual-uploads.ts";
import { getPreferences } from "#contract/notifications.ts";
import { CALLS } from "#contract/registry.ts";
import { listSessions } from "#contract/sessions.ts";
import { createToken } from "#contract/tokens.ts";
import { UPLOAD_STATUSES } from "#contract/upload.ts";
import { makeWebhook } from "#contract/webhooks.ts";
import { hashToken } from "#service/auth/session-tokens.ts";
import { sql } from "#service/db/sql.ts";
import { plan } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { pictureKeys } from "#service/storage/object-keys.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { addressOf, nameOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { openMessageWorld, type MessageWorld } from "#service/testing/message-world.ts";
import { type TestClient, type TestRequest, chooseAccount } from "#service/testing/test-client.ts";
import { ADMIN } from "#service/testing/test-service.ts";
import { TUS, TUS_BYTES } from "#service/testing/tus-requests.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import * as z from "zod/mini";

/**
 * The D1 usage of each call. Callers wait for round trips; the limit of 1,000 per invocation counts
 * statements. `LEDGER=write` records the current numbers.
 */
const LEDGER = new URL("../../hosts/cloudflare/d1-ledger.json", import.meta.url);

type Usage = { roundTrips: number; statements: number };
const ledgerSchema = z.record(
  z.string(),
  z.object({ roundTrips: z.number(), statements: z.number() }),
);

const USER = "70001";
const VOD = "2000000002";
const KEYS = ["vods/7/1/video.ts", "vods/7/2/video.ts", "vods/7/3/video.ts"] as const;
const FILE_BYTES = 64;
const NEW_TOKEN = { name: "script", permissions: ["read:uploads"], expiresInDays: 30 };
const MANUAL = uploadIdSchema.parse("sent");
/** The beginning of a JPEG picture, in base64. */
const JPEG = "/9j/4A==";

/** Nothing listens there. */
const NOBODY = "127.0.0.1:9";
const WEBHOOK = { name: "hook", url: `http://${NOBODY}/`, events: ["upload_failed"] };
const EVENT = "1";

const used: Usage = { roundTrips: 0, statements: 0 };
let vodkeep: MessageWorld;
let admin: TestClient;
beforeAll(async () => {
  vodkeep = await openMessageWorld({
    settings: { WEBHOOK_HOSTS: NOBODY },
    changePlatform: (platform) => ({
      ...platform,
      // As on D1. A backup runs after its call, and would count in that of another one.
      snapshots: undefined,
      database: counting(platform.database),
      // Progress is written by time; a slow machine must not count more of it.
      runtime: { ...platform.runtime, progressEveryMs: 600_000 },
    }),
  });
  admin = await vodkeep.signIn(ADMIN);
  const { database } = vodkeep.platform;
  for (const status of UPLOAD_STATUSES)
    await seedUpload(database, { id: status, status, vodId: `3${status.length}00` });
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES (${USER}, 'other', 'Other', 0)`,
    sql`INSERT INTO channels (owner_id, added_at, added_by, author_id)
      VALUES (${USER}, 0, ${ADMIN}, ${ADMIN})`,
    plan("list", USER, 0),
    sql`INSERT INTO cost_alerts (threshold_id, period, type, threshold_name, message, triggered_at)
      SELECT id, '2026-10', type, name, 'Spent', 0 FROM cost_thresholds LIMIT 1`,
  ]);
  for (const key of KEYS)
    await seedFile(vodkeep.platform, { key, bytes: new Uint8Array(FILE_BYTES) });
  await seedPictures();
  // What is kept for seconds would be read again on a slow machine.
  vodkeep.clock.stand();
});
afterAll(() => vodkeep.close());

/** A manual upload of the administrator's that takes a thumbnail, with pictures in the store. */
async function seedPictures(): Promise<void> {
  const { database, objects } = vodkeep.platform;
  await seedUpload(database, { id: MANUAL, status: "completed" });
  await database.run(
    sql`INSERT INTO chats (upload_id, state, has_ended) VALUES ('processing', 'none', 1)`,
  );
  await database.run(sql`
    UPDATE uploads SET kind = 'manual', owner_id = ${ADMIN}, object_key = 'manual/1/1/video.mp4'
    WHERE id = ${MANUAL}`);
  const keys = pictureKeys({ ownerId: ADMIN, vodId: null, uploadId: MANUAL });
  await objects.put(keys.thumbnail, Buffer.from(JPEG, "base64"), { contentType: "image/jpeg" });
  const frame = { frames: 1, frameWidth: 160, frameHeight: 90, columns: 5, rows: 5 };
  const storyboard = { intervalSec: 2, ...frame, sheets: [`data:image/jpeg;base64,${JPEG}`] };
  const text = new TextEncoder().encode(JSON.stringify(storyboard));
  await objects.put(keys.storyboard, text, { contentType: "application/json" });
}

/** d1-database.ts follows these statements with a query for the number of changed rows. */
function isSilentChange({ sql: text }: Statement): boolean {
  return /^\s*(?:insert|update|delete|replace|with)\b/i.test(text) && !/\breturning\b/i.test(text);
}

function count(statements: readonly Statement[]): void {
  used.roundTrips += 1;
  for (const statement of statements) used.statements += isSilentChange(statement) ? 2 : 1;
}

function counting(database: Database): Database {
  return {
    ...database,
    async all(statement) {
      count([statement]);
      return await database.all(statement);
    },
    async run(statement) {
      count([statement]);
      return await database.run(statement);
    },
    async batch(statements) {
      if (statements.length > 0) count(statements);
      return await database.batch(statements);
    },
  };
}

type Asked = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly query?: string;
};

/** Parameters that calls need to find data and succeed; calls not listed need none. */
async function requests(): Promise<ReadonlyMap<string, Asked>> {
  const { database } = vodkeep.platform;
  const [threshold] = await database.all(sql`SELECT id FROM cost_thresholds LIMIT 1`);
  const [alert] = await database.all(sql`SELECT seq FROM cost_alerts LIMIT 1`);
  const preferences = await admin.expect(getPreferences);
  const user = { id: USER };
  const channel = { id: USER };
  const other = await (await vodkeep.signIn(ADMIN)).expect(listSessions);
  const session = other.sessions.find(({ isCurrent }) => isCurrent);
  const token = await admin.expect(createToken, undefined, { body: NEW_TOKEN });
  const { webhook } = await admin.expect(makeWebhook, undefined, {
    body: { ...WEBHOOK, format: "standard" },
  });
  await database.batch([
    sql`INSERT OR IGNORE INTO notification_events (seq, type, title, body, created_at, dispatched_at)
      VALUES (CAST(${EVENT} AS INTEGER), 'upload_failed', 'Failed', '', 0, 0)`,
    sql`INSERT INTO notification_deliveries (receiver, event_seq, channel, status, created_at)
      VALUES (${webhook.id}, CAST(${EVENT} AS INTEGER), 'webhook', 'failed', 0)`,
  ]);
  const hook = { id: webhook.id, eventId: EVENT };
  const { authUrl } = await admin.expect(login);
  const back = await chooseAccount(authUrl, ADMIN);
  const link = { token: "0".repeat(64) };
  await database.run(sql`
    INSERT INTO consent_invitations (owner_id, token_hash, created_by, created_at, expires_at)
    VALUES (${ADMIN}, ${await hashToken(vodkeep.platform.digests, link.token)}, ${ADMIN}, 0,
      ${vodkeep.platform.clock.now() + 1_000_000})`);
  return new Map<string, Asked>([
    ["GET /admin/uploads/{id}", { parameters: { id: "completed" } }],
    ["GET /admin/uploads/{id}/thumbnail", { parameters: { id: MANUAL } }],
    ["PUT /admin/uploads/{id}/thumbnail", { parameters: { id: MANUAL }, body: { picture: JPEG } }],
    ["GET /admin/uploads/{id}/storyboard", { parameters: { id: MANUAL } }],
    ["POST /admin/uploads/{id}/cancel", { parameters: { id: "pending" } }],
    ["POST /admin/uploads/{id}/chat", { parameters: { id: "processing" } }],
    ["POST /admin/uploads/{id}/retry", { parameters: { id: "failed" } }],
    ["DELETE /admin/uploads/{id}", { parameters: { id: "cancelled" } }],
    ["POST /admin/uploads/bulk-retry", { body: { ids: ["failed"] } }],
    ["POST /admin/uploads/preview", { body: { source: { type: "twitch", vodId: VOD } } }],
    [
      "POST /admin/uploads",
      { body: { source: { type: "twitch", vodId: VOD }, rightsConfirmed: true } },
    ],
    ["POST /admin/setup", { body: { code: "0" } }],
    ["POST /admin/setup/device", { body: { code: "0" } }],
    ["POST /admin/setup/login", { body: { code: "0" } }],
    ["POST /admin/setup/twitch", { body: { code: "0", clientId: "0", clientSecret: "0" } }],
    ["POST /admin/channels/find", { body: { names: ["pixelpilot"] } }],
    ["POST /admin/consent", { body: { textVersion: CONSENT_TEXT_VERSION } }],
    ["POST /admin/channels", { body: { names: ["pixelpilot"] } }],
    ["PUT /admin/channels/defaults", { body: { rule: BUILT_IN_RULE, paused: true } }],
    ["POST /admin/channels/rule-preview", { body: { rule: BUILT_IN_RULE } }],
    ["GET /admin/channels/{id}", { parameters: channel }],
    ["PUT /admin/channels/{id}", { parameters: channel, body: { changes: {} } }],
    ["GET /admin/channels/{id}/vods", { parameters: channel }],
    ["POST /admin/channels/{id}/check", { parameters: channel }],
    ["POST /admin/channels/{id}/decisions", { parameters: channel, body: { decision: "take" } }],
    ["DELETE /admin/channels/{id}", { parameters: channel }],
    ["POST /admin/consent/invitations", { body: { source: { type: "twitch", vodId: VOD } } }],
    ["DELETE /admin/consent/confirmations/{channelId}", { parameters: { channelId: USER } }],
    ["DELETE /admin/consent/invitations/{channelId}", { parameters: { channelId: USER } }],
    ["GET /admin/consent/pages/{token}", { parameters: link }],
    [
      "POST /admin/consent/pages/{token}/agree",
      { parameters: link, body: { textVersion: CONSENT_TEXT_VERSION } },
    ],
    ["GET /admin/users/{id}", { parameters: user }],
    ["GET /admin/users/{id}/erasure", { parameters: user }],
    ["POST /admin/chat-erasures", { body: { twitchId: "1234" } }],
    ["DELETE /admin/users/{id}", { parameters: user }],
    ["DELETE /admin/auth/sessions/{id}", { parameters: { id: session?.id ?? "" } }],
    ["POST /admin/tokens", { body: NEW_TOKEN }],
    ["DELETE /admin/tokens/{id}", { parameters: { id: token.id } }],
    ["DELETE /admin/users/{id}/sessions", { parameters: user }],
    ["POST /admin/users/{id}/ban", { parameters: user, body: { reason: "Ledger" } }],
    ["POST /admin/users/{id}/unban", { parameters: user }],
    ["PUT /admin/users/{id}/permissions", { parameters: user, body: { permissions: [] } }],
    [
      "POST /admin/cost-alerts/alerts/{id}/acknowledge",
      { parameters: { id: String(alert?.["seq"]) } },
    ],
    ["PUT /admin/cost-alerts/budget", { body: { monthlyUsd: 20 } }],
    [
      "PUT /admin/cost-alerts/thresholds/{id}",
      { parameters: { id: String(threshold?.["id"]) }, body: { alertsEnabled: false } },
    ],
    ["GET /admin/r2/file/{key+}", { parameters: { key: KEYS[0] } }],
    ["GET /admin/r2/neighbours/{key+}", { parameters: { key: KEYS[0] } }],
    ["GET /admin/r2/proof/{key+}", { parameters: { key: KEYS[0] } }],
    ["DELETE /admin/r2/file/{key+}", { parameters: { key: KEYS[0] } }],
    [
      "POST /admin/r2/bulk-delete",
      { body: { files: [{ key: KEYS[1], size: FILE_BYTES, status: "complete" }] } },
    ],
    ["POST /admin/r2/verify", { body: { key: KEYS[0] } }],
    ["PUT /admin/r2/lock/{key+}", { parameters: { key: KEYS[2] }, body: { locked: true } }],
    ["POST /admin/trash/simulate", { body: { retention: { keep: "days", days: 1 } } }],
    ["POST /admin/trash", { body: { keys: [KEYS[2]] } }],
    ["POST /admin/trash/restore", { body: { keys: [KEYS[2]] } }],
    ["POST /admin/auth/device", {}],
    ["POST /admin/auth/device/finish", { body: { state: "none" } }],
    ["POST /admin/auth/callback", { body: back }],
    ["POST /admin/webhooks", { body: { ...WEBHOOK, format: "discord" } }],
    ["PUT /admin/webhooks/{id}", { parameters: hook, body: { ...WEBHOOK, isEnabled: true } }],
    ["POST /admin/webhooks/{id}/rotate-secret", { parameters: hook }],
    ["POST /admin/webhooks/{id}/test", { parameters: hook }],
    ["GET /admin/webhooks/{id}/deliveries", { parameters: hook }],
    ["DELETE /admin/webhooks/{id}", { parameters: hook }],
    ["POST /admin/notifications/browser/read", { body: { notificationIds: ["1"] } }],
    ["PUT /admin/notifications/preferences", { body: { preferences } }],
    ["POST /admin/notifications/telegram/test", { body: { telegramUserId: "4242" } }],
  ]);
}

/** The bot's server knows no user by that number. */
const REFUSED = {
  "POST /admin/notifications/telegram/test": 502,
  // D1 keeps its own history.
  "POST /admin/system/backups": 409,
  // Workers have no folder.
  "POST /admin/library/rebuild": 409,
  // Twitch returns to this address.
  "POST /admin/auth/device": 404,
  "POST /admin/auth/device/finish": 400,
  // It takes another sign-in at Twitch.
  "POST /admin/consent/withdrawal": 400,
  // Workers have no first setup.
  "POST /admin/setup": 404,
  "POST /admin/setup/device": 404,
  "POST /admin/setup/login": 404,
  "POST /admin/setup/twitch": 404,
};

/** Calls whose success would need data that others have used up, or another session. */
const LAST = [
  "DELETE /admin/webhooks/{id}",
  "DELETE /admin/channels/{id}",
  "DELETE /admin/users/{id}",
  "DELETE /admin/r2/file/{key+}",
  "POST /admin/r2/bulk-delete",
  "POST /admin/auth/refresh",
  "POST /admin/auth/callback",
  "POST /admin/auth/logout",
];

async function measure(call: AnyCall, { parameters, body, query }: Asked): Promise<number> {
  const path = `${addressOf(call, parameters)}${query ?? ""}`;
  const response = await sendAlone(call.method, path, body === undefined ? {} : { body });
  if (call.stream === true) await response.body?.cancel();
  else await response.arrayBuffer();
  return response.status;
}

/** Sends a request; its usage is then in `used`. */
async function sendAlone(method: string, path: string, request: TestRequest): Promise<Response> {
  used.roundTrips = 0;
  used.statements = 0;
  return await admin.send(method, path, request);
}

const CHUNK_BYTES = 1024 ** 2;

/** Creates a manual upload of three chunks, sends two of them and cancels it. */
async function measureManualUpload(note: (name: string, status: number) => void): Promise<void> {
  const append = (offset: number) => ({
    rawBody: new Uint8Array(CHUNK_BYTES),
    headers: { ...TUS_BYTES, "upload-offset": String(offset) },
  });
  const sent = new Map<unknown, TestRequest>([
    [createManualUpload, { headers: { ...TUS, "upload-length": String(3 * CHUNK_BYTES) } }],
    [continueManualUpload, append(CHUNK_BYTES)],
  ]);
  let id = "unknown";
  for (const call of PROTOCOL_CALLS) {
    const path = addressOf(call, { id });
    // The first chunk also opens the multipart upload.
    if (call === continueManualUpload) await admin.send(call.method, path, append(0));
    const response = await sendAlone(call.method, path, sent.get(call) ?? { headers: TUS });
    id = response.headers.get("location")?.split("/").at(-1) ?? id;
    note(nameOf(call), response.status);
  }
  // Deletions of files would otherwise count these removals.
  await carryOutRemovals(vodkeep.context);
}

it("no call exceeds its D1 usage recorded in the ledger", async () => {
  const asked = await requests();
  const measured: Record<string, Usage> = {};
  const statuses: Record<string, number> = {};
  await measureManualUpload((name, status) => {
    measured[name] = { ...used };
    if (status >= 400) statuses[name] = status;
  });
  const order = CALLS.toSorted((a, b) => LAST.indexOf(nameOf(a)) - LAST.indexOf(nameOf(b)));
  for (const call of order) {
    const status = await measure(call, asked.get(nameOf(call)) ?? {});
    measured[nameOf(call)] = { ...used };
    if (status >= 400) statuses[nameOf(call)] = status;
  }
  if (process.env["LEDGER"] === "write") {
    const lines = Object.entries(measured)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(
        ([name, { roundTrips, statements }]) =>
          `  "${name}": { "roundTrips": ${roundTrips}, "statements": ${statements} }`,
      );
    writeFileSync(LEDGER, `{\n${lines.join(",\n")}\n}\n`);
  }
  const ledger = ledgerSchema.parse(JSON.parse(readFileSync(LEDGER, "utf8")));
  const grown = Object.entries(measured).filter(([name, usage]) => {
    const noted = ledger[name];
    return (
      noted === undefined ||
      usage.roundTrips > noted.roundTrips ||
      usage.statements > noted.statements
    );
  });
  expect(grown).toEqual([]);
  expect(statuses).toEqual(REFUSED);
});
