import { hash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import { digestOfFile } from "./digest-of-file.ts";
import type { ByteAnswer, ByteTask } from "./byte-worker.ts";
import { fileErrorCode } from "./file-error.ts";
import { writeBytes } from "./write-bytes.ts";

/**
 * Hashes buffers and ranges of open files, and writes into open files. File descriptors belong to
 * the whole process: the main thread opens files, this thread reads and writes them.
 */

/** Small enough to stay in the CPU cache between being read and being hashed. */
const READ_BYTES = 512 * 1024;

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

parentPort?.on("message", (task: ByteTask) => {
  parentPort?.postMessage(answer(task));
});

function answer(task: ByteTask): ByteAnswer {
  try {
    return { id: task.id, digest: digestOf(task) };
  } catch (error) {
    return { id: task.id, error, code: fileErrorCode(error) };
  }
}

function digestOf(task: ByteTask): string {
  if ("bytes" in task) return hash(task.algorithm, task.bytes);
  if ("range" in task) return digestOfFile(task.algorithm, task.range, buffer);
  return writeBytes(task.write);
}
