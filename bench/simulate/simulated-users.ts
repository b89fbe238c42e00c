import type { Database } from "#service/ports/database.ts";
import { sql } from "#service/db/sql.ts";
import type { Service } from "#service/app.ts";
import type { SeededDice } from "../seeded-dice.ts";
import { createSentFiles } from "./sent-files.ts";
import type { SharedStore } from "./shared-store.ts";
import { ADMIN, HELPER } from "./signed-in-users.ts";
import { VODS } from "./simulated-vod.ts";
import type { Timeline } from "./timeline.ts";
import type { Trace } from "./trace.ts";
import { createUserRequests } from "./user-requests.ts";
import type { Watch } from "./watch.ts";

export type SimulatedUsers = ReturnType<typeof createSimulatedUsers>;

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

export function createSimulatedUsers(parts: UserParts) {
  const { timeline, dice, database, watch } = parts;
  /** Keys of completed files whose deletion was confirmed. */
  const deletedKeys = new Set<string>();
  const bans = dice.fork("bans");
  const deletions = dice.fork("deletions");
  const send = createUserRequests(parts);
  const sent = createSentFiles({ ...parts, send });

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

  /** One random action. */
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
      // Before any process starts it.
      if (by !== HELPER || !bans.chance(0.2)) return null;
      return await call(ADMIN, "POST", `/admin/users/${HELPER}/ban`);
    }
    if (roll < 0.5) return await sent.start(by);
    if (roll < 0.7) return await sent.sendSome();
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
    files: sent.files,
    deletedKeys,
    act,
    /** Retries a failed upload, perhaps while its file is being deleted. */
    async retryFailed(): Promise<void> {
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
    /** Sends the rest of every unfinished file, once each, and unbans who sends them. */
    async sendRest(): Promise<void> {
      const banned = await database.all(
        sql`SELECT 1 FROM users WHERE id = ${HELPER} AND banned_at IS NOT NULL`,
      );
      if (banned.length > 0) await call(ADMIN, "POST", `/admin/users/${HELPER}/unban`);
      await sent.sendRest();
    },
  };
}
