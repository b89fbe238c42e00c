import { createHash } from "node:crypto";
import { Worker } from "node:worker_threads";
import type { Digests } from "#service/ports/digests.ts";
import { threadProgram } from "./thread-program.ts";

type DigestAlgorithm = "sha256" | "md5";

export type DigestTask = {
  readonly id: number;
  readonly algorithm: DigestAlgorithm;
  readonly bytes: Uint8Array;
};

export type DigestAnswer = { readonly id: number; readonly digest: string };

export type ThreadedDigests = Digests & {
  /** Ends an idle thread, which holds its last tasks' memory; the next task starts another. */
  rest(): void;
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
 * Hashes in another thread. It starts with the first task and does not keep the process alive when
 * idle. There is only one: it hashes faster than one process receives, and another takes 12 MB.
 */
export function createDigests(): ThreadedDigests {
  let running: Thread | null = null;
  let nextId = 1;

  function start(): Thread {
    const worker = new Worker(threadProgram("digest-thread"), { resourceLimits: SMALL_HEAP });
    const waiting: Thread["waiting"] = new Map();
    worker.unref();
    worker.on("message", ({ id, digest }: DigestAnswer) => {
      const task = waiting.get(id);
      waiting.delete(id);
      if (waiting.size === 0) worker.unref();
      task?.resolve(digest);
    });
    const end = (reason: unknown) => {
      if (running?.worker === worker) running = null;
      for (const task of waiting.values()) task.reject(reason);
    };
    worker.on("error", end);
    worker.on("exit", () => end(new Error("The thread ended")));
    return { worker, waiting };
  }

  async function hash(algorithm: DigestAlgorithm, bytes: Uint8Array): Promise<string> {
    if (bytes.byteLength < WORTH_A_THREAD_BYTES)
      return createHash(algorithm).update(bytes).digest("hex");
    const thread = (running ??= start());
    const id = nextId++;
    // Only shared memory can be read in place by another thread.
    const copy = bytes.buffer instanceof SharedArrayBuffer ? null : new Uint8Array(bytes);
    return new Promise((resolve, reject) => {
      thread.waiting.set(id, { resolve, reject });
      thread.worker.ref();
      const task: DigestTask = { id, algorithm, bytes: copy ?? bytes };
      thread.worker.postMessage(task, copy === null ? [] : [copy.buffer]);
    });
  }

  return {
    prefersShared: true,
    sha256: (bytes) => hash("sha256", bytes),
    md5: (bytes) => hash("md5", bytes),
    rest() {
      if (running === null || running.waiting.size > 0) return;
      void running.worker.terminate();
      running = null;
    },
    async close() {
      await running?.worker.terminate();
    },
  };
}
