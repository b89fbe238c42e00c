import { hash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { digestOfFile, fileHolds } from "./digest-of-file.ts";
import type { DigestAnswer, DigestTask } from "./digest-threads.ts";

/**
 * Computes digests of buffers and of ranges of open files. File descriptors belong to the whole
 * process, so the main thread opens and this one reads.
 */

/** Small enough to stay in the processor's cache between being read and being hashed. */
const READ_BYTES = 512 * 1024;

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

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

function digestOf(task: DigestTask): string {
  if ("bytes" in task) return hash(task.algorithm, task.bytes);
  const { algorithm, range, known } = task;
  if (known !== null && fileHolds(range, known.bytes, buffer)) return known.digest;
  return digestOfFile(algorithm, range, buffer);
}
