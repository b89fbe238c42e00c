import { hash } from "node:crypto";
import { PERMISSIONS } from "#contract/permissions.ts";
import type { Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
import { mustHold } from "./broken-invariant.ts";
import type { SeededDice } from "./dice.ts";
import { makeBytes, PART_BYTES, VODS } from "./simulated-vod.ts";
import type { SharedStore } from "./shared-store.ts";
import type { Timeline } from "./timeline.ts";
import type { Trace } from "./trace.ts";
import type { Watch } from "./watch.ts";

export const ADMIN = "1001";
/** May be banned. */
const HELPER = "1002";
export const ORIGIN = "http://localhost:8787";

/** Signed in without Twitch: the rows that a sign-in leaves. */
export async function addUsers(database: Database, nowMs: number): Promise<void> {
  for (const id of [ADMIN, HELPER])
    await database.batch([
      sql`INSERT INTO users (id, login, display_name, permissions, consented_at, created_at)
        VALUES (${id}, ${`user${id}`}, ${`User${id}`}, ${JSON.stringify(PERMISSIONS)}, 0, 0)`,
      sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
          last_seen_at, expires_at, rotated_at)
        VALUES (${`session-${id}`}, ${id}, ${`none-${id}`}, ${hashOf(tokenOf(id))}, 0, ${nowMs},
          ${nowMs}, ${nowMs + DAY_MS}, ${nowMs})`,
      sql`INSERT INTO notification_preferences (user_id, email, enabled_events, updated_at)
        VALUES (${id}, ${`user${id}@example.org`}, ${JSON.stringify(
          Object.fromEntries(
            ["upload_completed", "upload_failed", "retries_exhausted"].map((type) => [
              type,
              ["email", "browser"],
            ]),
          ),
        )}, 0)`,
    ]);
}

function tokenOf(userId: string): string {
  return hash("sha256", userId, "hex");
}

function hashOf(token: string): string {
  return hash("sha256", token, "hex");
}

/** A file that a user sends, and how much of it the service has acknowledged. */
export type SentFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly userId: string;
  acknowledged: number;
};

export type SimulatedUsers = {
  /** One random action. */
  act(): Promise<unknown>;
  /** Retries a failed upload, perhaps while its file is being deleted. */
  retryFailed(): Promise<void>;
  /** Sends the rest of every unfinished file, once each. */
  sendRest(): Promise<void>;
  readonly files: ReadonlyMap<string, SentFile>;
  /** Keys of completed files whose deletion was confirmed. */
  readonly deletedKeys: ReadonlySet<string>;
};

const PATIENCE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Around the size of a part. */
const SIZES_BYTES = [100, 1_000, 8_192, 30_000, PART_BYTES, PART_BYTES + 1, 80_000, 150_000];
const CHUNK_BYTES = 24_576;

type UserRequest = {
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
};

export type UserParts = {
  readonly timeline: Timeline;
  readonly dice: SeededDice;
  readonly trace: Trace;
  readonly database: Database;
  readonly store: SharedStore;
  readonly watch: Watch;
  /** A process that answers requests; null if none is up. */
  readonly anyService: () => Service | null;
  readonly seed: number;
};

export function createSimulatedUsers(parts: UserParts): SimulatedUsers {
  const { timeline, dice, trace, database, store, watch } = parts;
  const files = new Map<string, SentFile>();
  const deletedKeys = new Set<string>();
  const bans = dice.fork("bans");
  const deletions = dice.fork("deletions");

  async function send(
    userId: string,
    method: string,
    path: string,
    init: UserRequest = {},
  ): Promise<Response | null> {
    const service = parts.anyService();
    if (service === null) return null;
    const nowMs = timeline.now();
    // Sessions do not end for want of use; that is tested elsewhere.
    await database.run(sql`UPDATE sessions SET last_seen_at = ${nowMs},
      expires_at = ${nowMs + DAY_MS}, bearer_expires_at = ${nowMs + DAY_MS},
      revoked_at = NULL WHERE user_id IN (SELECT id FROM users WHERE banned_at IS NULL)`);
    const request = new Request(`${ORIGIN}${path}`, {
      method,
      ...init,
      headers: { origin: ORIGIN, authorization: `Bearer ${tokenOf(userId)}`, ...init.headers },
      ...(init.body === undefined ? {} : { duplex: "half" }),
    });
    const answer = await Promise.race([
      service.fetch(request, { clientAddress: "127.0.0.1" }),
      timeline.sleep(PATIENCE_MS).then(() => null),
    ]);
    trace.add(`user ${userId} ${method} ${path}: ${answer?.status ?? "no answer"}`);
    return answer;
  }

  /** Returns whether the call succeeded. */
  async function call(
    userId: string,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<boolean> {
    const answer = await send(
      userId,
      method,
      path,
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } },
    );
    await answer?.text();
    return answer?.ok === true;
  }

  /** Deletes through `path` what is stored under `keys`. */
  async function remove(userId: string, path: string, keys: readonly string[]): Promise<void> {
    const { files: rows } = watch.rows;
    const final = rows.filter((row) => keys.includes(row.object_key) && row.status !== "partial");
    if (await call(userId, "DELETE", path))
      for (const row of final) deletedKeys.add(row.object_key);
  }

  function someUpload(): string {
    const ids = [...watch.rows.uploads.keys()];
    return ids.length === 0 ? "none" : dice.pick(ids);
  }

  async function retry(userId: string, uploadId: string): Promise<boolean> {
    watch.asked("retry", uploadId);
    return await call(userId, "POST", `/admin/uploads/${uploadId}/retry`);
  }

  async function startFile(userId: string): Promise<void> {
    const sizeBytes = dice.pick(SIZES_BYTES);
    const bytes = makeBytes(sizeBytes, sizeBytes + parts.seed);
    const answer = await send(userId, "POST", "/admin/uploads/manual", {
      headers: {
        "tus-resumable": "1.0.0",
        "upload-length": String(sizeBytes),
        "upload-metadata": `filename ${btoa("clip.mp4")}`,
      },
    });
    const location = answer?.headers.get("location");
    const id = location?.split("/").at(-1);
    if (answer?.status !== 201 || id === undefined) return;
    files.set(id, { bytes, userId, acknowledged: 0 });
    await sendMore(id, dice.random());
  }

  /** Sends a share of what is missing; the connection may break off. */
  async function sendMore(id: string, share: number): Promise<void> {
    const file = files.get(id);
    if (file === undefined) return;
    const path = `/admin/uploads/manual/${id}`;
    const asked = await send(file.userId, "HEAD", path, { headers: { "tus-resumable": "1.0.0" } });
    if (asked?.status !== 200) return;
    const offset = Number(asked.headers.get("upload-offset"));
    acknowledge(id, file, offset);
    const toByte = Math.min(
      file.bytes.byteLength,
      offset + Math.ceil((file.bytes.byteLength - offset) * share),
    );
    if (toByte === offset) return;
    const breaksAt = share < 1 && dice.chance(0.3) ? dice.between(offset, toByte) : null;
    // Sending more to a failed upload retries it.
    watch.asked("retry", id);
    const answer = await send(file.userId, "PATCH", path, {
      body: bodyOf(file.bytes, offset, toByte, breaksAt),
      headers: {
        "tus-resumable": "1.0.0",
        "content-type": "application/offset+octet-stream",
        "content-length": String(toByte - offset),
        "upload-offset": String(offset),
      },
    });
    if (answer?.status === 204) acknowledge(id, file, Number(answer.headers.get("upload-offset")));
  }

  function bodyOf(
    bytes: Uint8Array<ArrayBuffer>,
    from: number,
    to: number,
    breaksAt: number | null,
  ): ReadableStream<Uint8Array> {
    let at = from;
    return new ReadableStream(
      {
        async pull(controller) {
          await timeline.sleep(dice.between(1, 400));
          const next = Math.min(breaksAt ?? to, at + CHUNK_BYTES);
          if (next > at) controller.enqueue(bytes.slice(at, next));
          at = next;
          if (at === breaksAt) controller.error(new TypeError("The connection was lost"));
          else if (at === to) controller.close();
        },
      },
      { highWaterMark: 0 },
    );
  }

  function acknowledge(id: string, file: SentFile, offset: number): void {
    const isWhole =
      store.forgotten.size === 0 && (watch.rows.uploads.get(id)?.retry_count ?? 0) === 0;
    mustHold(
      !isWhole || offset >= file.acknowledged,
      "an acknowledged offset never falls",
      `${id} ${file.acknowledged} to ${offset}`,
    );
    file.acknowledged = offset;
    if (!watch.rows.uploads.has(id)) return;
    let stored = 0;
    for (const [key, { bytes }] of store.objects)
      if (key.includes(id) && !key.endsWith(".json")) stored += bytes.byteLength;
    for (const { key, parts: ofKey } of store.multiparts.values())
      if (key.includes(id)) for (const { bytes } of ofKey.values()) stored += bytes.byteLength;
    mustHold(
      offset <= stored || store.forgotten.size > 0,
      "acknowledged bytes are in the store",
      `${id} ${offset} of ${stored}`,
    );
  }

  async function act(): Promise<unknown> {
    const by = dice.pick([ADMIN, ADMIN, HELPER]);
    const roll = dice.random();
    const id = someUpload();
    if (roll < 0.35) {
      await call(by, "POST", "/admin/uploads", {
        source: { type: "twitch", vodId: dice.pick(VODS).id },
        rightsConfirmed: true,
        again: dice.chance(0.7),
      });
      // Before anybody has begun with it.
      if (by !== HELPER || !bans.chance(0.2)) return null;
      return await call(ADMIN, "POST", `/admin/users/${HELPER}/ban`);
    }
    if (roll < 0.5) return await startFile(by);
    if (roll < 0.7) {
      const open = [...files.keys()];
      return open.length === 0 ? null : await sendMore(dice.pick(open), dice.random());
    }
    if (roll < 0.76) return await call(by, "POST", `/admin/uploads/${id}/cancel`);
    if (roll < 0.86) return await retry(by, id);
    if (roll < 0.88) {
      for (const each of watch.rows.uploads.keys()) watch.asked("retry", each);
      return await call(by, "POST", "/admin/uploads/bulk-retry", {
        ids: [...watch.rows.uploads.keys()],
      });
    }
    if (roll < 0.92) {
      watch.asked("delete", id);
      if (deletions.chance(0.5)) return await remove(by, `/admin/uploads/${id}`, []);
      const keys = watch.rows.files.filter((file) => file.upload_id === id);
      return await remove(
        by,
        `/admin/uploads/${id}?file=delete`,
        keys.map((file) => file.object_key),
      );
    }
    if (roll < 0.95) {
      const keys = watch.rows.files.map((file) => file.object_key);
      if (keys.length === 0) return null;
      const key = dice.pick(keys);
      return await remove(by, `/admin/r2/file/${key}`, [key]);
    }
    return await call(
      ADMIN,
      "POST",
      `/admin/users/${dice.pick([HELPER, "1005", "1008"])}/${dice.pick(["ban", "unban"])}`,
    );
  }

  return {
    files,
    deletedKeys,
    act,
    async retryFailed() {
      const failed = [...watch.rows.uploads.values()].filter(({ status }) => status === "failed");
      if (failed.length === 0) return;
      const { id } = dice.pick(failed);
      const file = watch.rows.files.find((each) => each.upload_id === id);
      const isDeleted = file !== undefined && dice.chance(0.5);
      const deleting = isDeleted
        ? call(ADMIN, "DELETE", `/admin/r2/file/${file.object_key}`)
        : null;
      await timeline.sleep(dice.between(10, 800));
      await retry(ADMIN, id);
      await deleting;
    },
    async sendRest() {
      const banned = await database.all(
        sql`SELECT 1 FROM users WHERE id = ${HELPER} AND banned_at IS NOT NULL`,
      );
      if (banned.length > 0) await call(ADMIN, "POST", `/admin/users/${HELPER}/unban`);
      for (const { id, kind, status } of watch.rows.uploads.values()) {
        if (kind !== "manual" || (status !== "pending" && status !== "processing")) continue;
        const file = files.get(id);
        // Its creator never heard of it.
        if (file === undefined) await call(ADMIN, "POST", `/admin/uploads/${id}/cancel`);
        else if (file.acknowledged < file.bytes.byteLength) await sendMore(id, 1);
      }
    },
  };
}
