import { mustHold } from "./broken-invariant.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { SharedStore } from "./shared-store.ts";
import { ADMIN } from "./signed-in-users.ts";
import { makeBytes, PART_BYTES } from "./simulated-vod.ts";
import type { Timeline } from "./timeline.ts";
import type { Send } from "./user-requests.ts";
import type { Watch } from "./watch.ts";

/** A file that a user sends, and how much of it the service has acknowledged. */
export type SentFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly userId: string;
  acknowledged: number;
};

/** Around the size of a part. */
const SIZES_BYTES = [100, 1_000, 8_192, 30_000, PART_BYTES, PART_BYTES + 1, 80_000, 150_000];
const CHUNK_BYTES = 24_576;

/** Files that users send over connections that may break off. */
export function createSentFiles(parts: {
  readonly timeline: Timeline;
  readonly dice: SeededDice;
  readonly store: SharedStore;
  readonly watch: Watch;
  readonly seed: number;
  readonly send: Send;
}) {
  const { timeline, dice, store, watch, send } = parts;
  const files = new Map<string, SentFile>();

  /** Begins a file and sends a share of it. */
  async function start(userId: string): Promise<void> {
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

  return {
    files,
    start,
    /** Sends a share of a file that was begun. */
    async sendSome(): Promise<void> {
      const open = [...files.keys()];
      if (open.length > 0) await sendMore(dice.pick(open), dice.random());
    },
    /** Sends the rest of every unfinished file, once each. */
    async sendRest(): Promise<void> {
      for (const { id, kind, status } of watch.rows.uploads.values()) {
        if (kind !== "manual" || (status !== "pending" && status !== "processing")) continue;
        const file = files.get(id);
        // Its creator never received the answer.
        if (file === undefined)
          await (await send(ADMIN, "POST", `/admin/uploads/${id}/cancel`))?.text();
        // After lost parts, a retry needs all bytes again.
        else if (status === "pending" || file.acknowledged < file.bytes.byteLength)
          await sendMore(id, 1);
      }
    },
  };
}
