import { Worker } from "node:worker_threads";
import { type DigestAlgorithm, hashBytes } from "./hash-bytes.ts";
import { threadProgram } from "./thread-program.ts";
import { type FileWrite, writeBytes } from "./write-bytes.ts";

type Work =
  | { readonly algorithm: DigestAlgorithm; readonly bytes: Uint8Array }
  | { readonly write: FileWrite };

export type ByteTask = { readonly id: number } & Work;

/** `code` is a failed system call's: errors lose it when they are cloned between threads. */
export type ByteAnswer =
  | { readonly id: number; readonly digest: string }
  | { readonly id: number; readonly error: unknown; readonly code: string | null };

/** Hashes and writes bytes in another thread. Digests are lower-case hex. */
export type ByteWorker = {
  /** Bytes in shared memory are read in place; others are copied once. */
  ofBytes(algorithm: DigestAlgorithm, bytes: Uint8Array): Promise<string>;
  /** Writes without syncing. Resolves with the SHA-256 of `bytes`: `digest`, where it is given. */
  write(fd: number, offset: number, bytes: Uint8Array, digest: string | null): Promise<string>;
  close(): Promise<void>;
};

/**
 * Below this size the transfer to another thread costs more than the work itself: about 0.05 ms
 * each.
 */
const WORTH_A_THREAD_BYTES = 64 * 1024;

/** The thread has few objects of its own; the bytes it hashes are outside its heap. */
const SMALL_HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

type Waiting = { resolve(digest: string): void; reject(reason: unknown): void };

type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

/**
 * The thread starts with the first task and does not keep the process alive when idle. There is
 * only one: it hashes and writes faster than one process receives, and another takes 12 MB.
 */
export function createByteWorker(): ByteWorker {
  let running: Thread | null = null;
  let nextId = 1;

  function start(): Thread {
    const worker = new Worker(threadProgram("byte-thread"), { resourceLimits: SMALL_HEAP });
    const waiting: Thread["waiting"] = new Map();
    worker.unref();
    worker.on("message", (answer: ByteAnswer) => {
      const task = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (waiting.size === 0) worker.unref();
      if ("error" in answer) task?.reject(withCode(answer.error, answer.code));
      else task?.resolve(answer.digest);
    });
    const end = (reason: unknown) => {
      if (running?.worker === worker) running = null;
      // Callers still waiting hold a file open.
      for (const task of waiting.values()) task.reject(reason);
    };
    worker.on("error", end);
    worker.on("exit", () => end(new Error("The thread ended")));
    return { worker, waiting };
  }

  function run(work: Work, transfer: ArrayBuffer[] = []): Promise<string> {
    const thread = (running ??= start());
    const id = nextId++;
    return new Promise((resolve, reject) => {
      thread.waiting.set(id, { resolve, reject });
      thread.worker.ref();
      thread.worker.postMessage({ id, ...work }, transfer);
    });
  }

  /** Only shared memory can be read in place by another thread. */
  function runOn(bytes: Uint8Array, work: (bytes: Uint8Array) => Work): Promise<string> {
    if (bytes.buffer instanceof SharedArrayBuffer) return run(work(bytes));
    const copy = new Uint8Array(bytes);
    return run(work(copy), [copy.buffer]);
  }

  return {
    async ofBytes(algorithm, bytes) {
      if (bytes.byteLength < WORTH_A_THREAD_BYTES) return hashBytes(algorithm, bytes);
      return runOn(bytes, (readable) => ({ algorithm, bytes: readable }));
    },
    async write(fd, offset, bytes, digest) {
      if (bytes.byteLength >= WORTH_A_THREAD_BYTES)
        return runOn(bytes, (content) => ({ write: { fd, offset, content, digest } }));
      return writeBytes({ fd, offset, content: bytes, digest });
    },
    async close() {
      await running?.worker.terminate();
    },
  };
}

function withCode(error: unknown, code: string | null): unknown {
  return error instanceof Error && code !== null ? Object.assign(error, { code }) : error;
}
