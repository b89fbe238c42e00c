import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createByteThreads, type ByteThreads } from "../byte-threads.ts";
import { openFolderStore, type FolderStore } from "./folder-store.ts";
import { PART_BYTES, partBytes } from "../testing/crash-pattern.ts";
import { makeTemporaryFolder } from "../testing/temporary-folder.ts";

const WRITER = fileURLToPath(new URL("../testing/crash-writer.ts", import.meta.url));

/** Covers all steps of the writer: starting, writing, reading back, syncing, renaming. */
const KILLS_AFTER_LINES = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 14];

const lineSchema = z.object({
  did: z.enum(["create", "part", "complete"]),
  key: objectKeySchema,
  multipartId: z.string(),
  partNumber: z.optional(z.number()),
  tag: z.optional(z.string()),
});
type Line = z.infer<typeof lineSchema>;

describe("a folder store whose process is killed", () => {
  let folder: { path: string; remove(): Promise<void> };
  let threads: ByteThreads;
  beforeEach(async () => {
    folder = await makeTemporaryFolder();
    threads = createByteThreads();
  });
  afterEach(async () => {
    await threads.close();
    await folder.remove();
  });

  const openStore = (): Promise<FolderStore> =>
    openFolderStore({ root: folder.path, threads, clock: systemClock });

  it("keeps every confirmed part and object, and shows no object half", async () => {
    const confirmed: Line[] = [];
    for (const [round, lines] of KILLS_AFTER_LINES.entries())
      confirmed.push(
        ...(await killWriterAfter(folder.path, round * 1_000, lines, (round * 7) % 23)),
      );
    const store = await openStore();

    const completed = confirmed.filter((line) => line.did === "complete");
    expect(completed.length).toBeGreaterThan(3);
    const { objects } = await store.list({});
    const present = new Set(objects.map((object) => object.key));
    expect(completed.map((line) => line.key).filter((key) => !present.has(key))).toEqual([]);
    for (const object of objects) {
      expect(object.metadata).toEqual({ number: String(numberOf(object.key)) });
      expect(await digestOfObject(store, object.key)).toBe(expectedDigest(numberOf(object.key)));
    }

    // Unfinished uploads continue from their confirmed parts.
    const unfinished = (await store.listMultiparts()) ?? [];
    for (const handle of unfinished) {
      const number = numberOf(handle.key);
      const known = confirmed.filter(
        (line) => line.multipartId === handle.multipartId && line.did === "part",
      );
      const parts = [];
      for (const [partNumber, sizeBytes] of [
        [1, PART_BYTES],
        [2, PART_BYTES],
        [3, 999],
      ] as const) {
        const record = known.find((line) => line.partNumber === partNumber);
        // Part 2 is sent twice: after a kill in between, it may be neither version.
        const isKept = record?.tag !== undefined && partNumber !== 2;
        parts.push(
          isKept
            ? { partNumber, tag: record.tag ?? "" }
            : await store.uploadPart(handle, partNumber, partBytes(number, partNumber, sizeBytes)),
        );
      }
      await store.completeMultipart(handle, parts);
      expect(await digestOfObject(store, handle.key)).toBe(expectedDigest(number));
    }
    expect(await store.listMultiparts()).toEqual([]);
    expect(await readdir(join(folder.path, "~new"))).toEqual([]);
    await store.close();
  });

  /** Starts an upload with two parts on disk. */
  async function beginUpload() {
    const store = await openStore();
    const handle = await store.createMultipart(objectKeySchema.parse("vods/1/2.ts"), {
      contentType: "video/mp2t",
    });
    const parts = [
      await store.uploadPart(handle, 1, partBytes(0, 1, PART_BYTES)),
      await store.uploadPart(handle, 2, partBytes(0, 2, PART_BYTES)),
    ];
    await store.close();
    const uploadFolder = join(folder.path, "~uploads", handle.multipartId);
    const content = join(uploadFolder, "content");
    return { handle, parts, content, ledger: join(uploadFolder, "parts.jsonl") };
  }

  it("goes on from the lines of a ledger before those that a power cut has zeroed", async () => {
    const { handle, parts, ledger } = await beginUpload();
    const text = await readFile(ledger, "utf8");
    const second = text.indexOf('{"partNumber":2');
    await writeFile(ledger, `${text.slice(0, second)}${"\0".repeat(512)}\n${text.slice(second)}`);
    const store = await openStore();
    await expect(store.completeMultipart(handle, parts)).rejects.toMatchObject({
      kind: "bad_part",
      message: expect.stringContaining("Part 2"),
    });
    expect(await store.head(handle.key)).toBeNull();
    await store.uploadPart(handle, 2, partBytes(0, 2, PART_BYTES));
    await store.completeMultipart(handle, parts);
    expect(await digestOfObject(store, handle.key)).toBe(
      createHash("sha256")
        .update(partBytes(0, 1, PART_BYTES))
        .update(partBytes(0, 2, PART_BYTES))
        .digest("hex"),
    );
    await store.close();
  });

  it("forgets an upload that was killed between its last step and its clearing away", async () => {
    const { handle, content } = await beginUpload();
    await rm(content);
    const store = await openStore();
    expect(await store.listMultiparts()).toEqual([]);
    await expect(store.uploadPart(handle, 1, new Uint8Array(1))).rejects.toMatchObject({
      kind: "no_such_upload",
    });
    expect(await readdir(join(folder.path, "~uploads"))).toEqual([]);
    await store.close();
  });

  it("passes over the last line of a ledger that was cut short", async () => {
    const { handle, parts, content } = await beginUpload();
    await writeFile(join(content, "..", "parts.jsonl"), '{"partNumber": 3, "si', { flag: "a" });
    const store = await openStore();
    const third = await store.uploadPart(handle, 3, partBytes(0, 3, 999));
    await store.close();
    const again = await openStore();
    const head = await again.completeMultipart(handle, [...parts, third]);
    expect(head.sizeBytes).toBe(2 * PART_BYTES + 999);
    await again.close();
  });

  it("lists a file that somebody put there, with a tag that proves nothing", async () => {
    const store = await openStore();
    await writeFile(join(folder.path, "by-hand.ts"), "hello");
    const [found] = (await store.list({})).objects;
    expect(found).toMatchObject({ key: "by-hand.ts", sizeBytes: 5, contentType: null });
    expect(found?.tag).toMatch(/^unknown-/);
    await store.close();
  });

  it("takes an object whose file somebody removed for absent", async () => {
    const store = await openStore();
    const key = objectKeySchema.parse("a/b");
    await store.put(key, new Uint8Array(9), { contentType: "text/plain" });
    await rm(join(folder.path, "a/b"));
    expect(await store.head(key)).toBeNull();
    expect((await store.list({})).objects).toEqual([]);
    await store.close();
  });
});

/** Runs the writer until it has confirmed a number of steps, and a little longer, then kills it. */
function killWriterAfter(
  root: string,
  firstNumber: number,
  lines: number,
  extraMs: number,
): Promise<readonly Line[]> {
  const child = spawn(process.execPath, [WRITER, root, String(firstNumber)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    let isAimed = false;
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      if (isAimed || text.split("\n").length - 1 < lines) return;
      isAimed = true;
      setTimeout(() => child.kill("SIGKILL"), extraMs);
    });
    child.once("error", reject);
    child.once("close", () => {
      const whole = text
        .slice(0, text.lastIndexOf("\n") + 1)
        .split("\n")
        .filter(Boolean);
      resolve(whole.map((line) => lineSchema.parse(JSON.parse(line))));
    });
  });
}

function numberOf(key: ObjectKey): number {
  return Number(/(\d+)\.ts$/.exec(key)?.[1]);
}

function expectedDigest(number: number): string {
  return createHash("sha256")
    .update(partBytes(number, 1, PART_BYTES))
    .update(partBytes(number, 2, PART_BYTES))
    .update(partBytes(number, 3, 999))
    .digest("hex");
}

async function digestOfObject(store: FolderStore, key: ObjectKey): Promise<string> {
  const found = await store.get(key);
  const hash = createHash("sha256");
  for await (const chunk of found?.body ?? []) hash.update(chunk);
  return hash.digest("hex");
}
