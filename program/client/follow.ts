import { setTimeout as pause } from "node:timers/promises";
import type * as z from "zod/mini";
import { uploadStream, uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import type { Upload } from "#contract/upload.ts";
import { getUpload, uploadWork } from "#contract/uploads.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { call, RECONNECT_AFTER_MS, refusal, send, unreachable, type Connection } from "./call.ts";

/** A heartbeat comes every 15 s at the latest. */
const SILENCE_MS = 45_000;

type Message = z.infer<typeof uploadStreamMessageSchema>;

/**
 * Messages of the event stream. `connection` comes first on each connection: what changed before is
 * to be read again. A connection that breaks is replaced.
 *
 * @throws {CommandError} if the service refuses, or stays away
 */
async function* follow(connection: Connection): AsyncGenerator<Message, void> {
  for (let failures = 0; ; failures += 1) {
    let broken: unknown = new Error("it ended the stream");
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(new Error("it is silent")), SILENCE_MS);
    try {
      const response = await send(connection, uploadStream, {}, silence.signal);
      if (!response.ok || response.body === null)
        throw refusal(connection, response, await response.text());
      let text = "";
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        timer.refresh();
        failures = 0;
        const blocks = (text + chunk).split("\n\n");
        text = blocks.pop() ?? "";
        for (const block of blocks) {
          const message = parseBlock(block);
          if (message !== null) yield message;
        }
      }
    } catch (error) {
      const isRefused = error instanceof CommandError && error.exitCode !== EXIT_CODES.unreachable;
      if (isRefused) throw error;
      broken = error;
    } finally {
      clearTimeout(timer);
      silence.abort();
    }
    const waitMs = RECONNECT_AFTER_MS[failures];
    if (waitMs === undefined) throw unreachable(connection, broken);
    await pause(waitMs);
  }
}

/** Null for a message of a newer service. */
function parseBlock(block: string): Message | null {
  const data = block.split("\n").find((line) => line.startsWith("data: "));
  if (data === undefined) return null;
  return uploadStreamMessageSchema.safeParse(JSON.parse(data.slice(6))).data ?? null;
}

function isEnded(upload: Upload | undefined): boolean {
  return ["completed", "failed", "cancelled"].includes(upload?.status ?? "");
}

/**
 * The given uploads, or all that run and wait, whenever one changes. Ends when all given ones have
 * ended.
 */
export async function* followUploads(
  connection: Connection,
  ids: readonly string[],
): AsyncGenerator<{ changed: Upload; all: ReadonlyMap<string, Upload> }, void> {
  const all = new Map<string, Upload>();
  for await (const message of follow(connection)) {
    const changes =
      message.type === "connection"
        ? await readUploads(connection, ids)
        : message.type === "upload_update"
          ? [message.upload]
          : [];
    if (message.type === "upload_deleted") {
      if (ids.includes(message.id))
        await call(connection, getUpload, { params: { id: message.id } });
      all.delete(message.id);
    }
    for (const changed of changes) {
      if (ids.length > 0 ? !ids.includes(changed.id) : isEnded(changed) && !all.has(changed.id))
        continue;
      if ((all.get(changed.id)?.version ?? -1) >= changed.version) continue;
      all.set(changed.id, changed);
      yield { changed, all };
      if (ids.length === 0 && isEnded(changed)) all.delete(changed.id);
    }
    if (ids.length > 0 && ids.every((id) => isEnded(all.get(id)))) return;
  }
}

async function readUploads(connection: Connection, ids: readonly string[]): Promise<Upload[]> {
  if (ids.length === 0) return (await call(connection, uploadWork)).uploads;
  const uploads: Upload[] = [];
  for (const id of ids) uploads.push(await call(connection, getUpload, { params: { id } }));
  return uploads;
}
