import { createHash } from "node:crypto";
import { readSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import type { DigestAnswer, DigestTask } from "./digest-threads.ts";

/**
 * Computes digests of buffers and of ranges of open files. File descriptors belong to the whole
 * process, so the main thread opens and this one reads.
 */

/** Small enough to stay in the processor's cache between being read and being hashed. */
const READ_BYTES = 512 * 1024;

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

function digestOf(task: DigestTask): string {
  const hash = createHash(task.algorithm);
  if ("bytes" in task) return hash.update(task.bytes).digest("hex");
  let position = task.offset;
  const end = task.offset + task.length;
  while (position < end) {
    const count = readSync(task.fd, buffer, 0, Math.min(READ_BYTES, end - position), position);
    if (count === 0) throw new Error(`The file ends at ${position}, ${end - position} bytes early`);
    hash.update(buffer.subarray(0, count));
    position += count;
  }
  return hash.digest("hex");
}

parentPort?.on("message", (task: DigestTask) => {
  parentPort?.postMessage(answer(task));
});

function answer(task: DigestTask): DigestAnswer {
  try {
    return { id: task.id, digest: digestOf(task) };
  } catch (error) {
    return { id: task.id, error };
  }
}
