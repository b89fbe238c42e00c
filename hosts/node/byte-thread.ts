import { parentPort } from "node:worker_threads";
import type { ByteAnswer, ByteTask } from "./byte-worker.ts";
import { fileErrorCode } from "./file-error.ts";
import { hashBytes } from "./hash-bytes.ts";
import { writeBytes } from "./write-bytes.ts";

/**
 * Hashes buffers and writes into open files. File descriptors belong to the whole process: the main
 * thread opens files, this thread writes them.
 */

parentPort?.on("message", (task: ByteTask) => {
  parentPort?.postMessage(answer(task));
});

function answer(task: ByteTask): ByteAnswer {
  try {
    return {
      id: task.id,
      digest: "bytes" in task ? hashBytes(task.algorithm, task.bytes) : writeBytes(task.write),
    };
  } catch (error) {
    return { id: task.id, error, code: fileErrorCode(error) };
  }
}
