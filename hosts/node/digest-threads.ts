import { hash } from "node:crypto";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { digestOfFile } from "./digest-of-file.ts";
import { threadProgram } from "./thread-program.ts";

export type DigestAlgorithm = "sha256" | "md5";

export type FileRange = { readonly fd: number; readonly offset: number; readonly length: number };

/** Bytes whose digest has been computed. */
export type KnownBytes = { readonly bytes: Uint8Array; readonly digest: string };

type Digestible =
  | { readonly bytes: Uint8Array }
  | { readonly range: FileRange; readonly known: KnownBytes | null };

export type DigestTask = { readonly id: number; readonly algorithm: DigestAlgorithm } & Digestible;

export type DigestAnswer =
  | { readonly id: number; readonly digest: string }
  | { readonly id: number; readonly error: unknown };

/** Hashing away from the thread that answers requests. Digests are lower-case hex. */
export type DigestThreads = {
  /** Bytes in shared memory are read in place; others are copied once on the way. */
  ofBytes(algorithm: DigestAlgorithm, bytes: Uint8Array): Promise<string>;
  /**
   * Reads the range from the file itself. Rejects when the file is shorter. A range that equals
   * `known` has its digest: comparing costs far less than hashing.
   */
  ofFile(algorithm: DigestAlgorithm, range: FileRange, known?: KnownBytes | null): Promise<string>;
  close(): Promise<void>;
};

/**
 * Below this, handing the work to another thread costs more than doing it here: about 0.05 ms
 * either way.
 */
const WORTH_A_THREAD_BYTES = 64 * 1024;

/** One thread hashes about 1.5 GB/s; two keep up with any disk while one waits for it. */
const MAX_THREADS = 2;

/** The thread's own objects are few; what it hashes lies outside its heap. */
const SMALL_HEAP = { maxYoungGenerationSizeMb: 2, maxOldGenerationSizeMb: 32 };

type Waiting = { resolve(digest: string): void; reject(reason: unknown): void };

type Thread = { readonly worker: Worker; readonly waiting: Map<number, Waiting> };

/** Threads start with their first task and do not keep the process alive when idle. */
export function createDigestThreads(): DigestThreads {
  const threads: Thread[] = [];
  let nextId = 1;

  function startThread(): Thread {
    const worker = new Worker(threadProgram("digest-thread"), { resourceLimits: SMALL_HEAP });
    const thread: Thread = { worker, waiting: new Map() };
    worker.unref();
    worker.on("message", (answer: DigestAnswer) => {
      const waiting = thread.waiting.get(answer.id);
      thread.waiting.delete(answer.id);
      if (thread.waiting.size === 0) worker.unref();
      if ("error" in answer) waiting?.reject(answer.error);
      else waiting?.resolve(answer.digest);
    });
    worker.on("error", (error) => {
      threads.splice(threads.indexOf(thread), 1);
      for (const waiting of thread.waiting.values()) waiting.reject(error);
    });
    threads.push(thread);
    return thread;
  }

  function leastBusy(): Thread {
    const idle = threads.find((thread) => thread.waiting.size === 0);
    if (idle !== undefined) return idle;
    if (threads.length < Math.min(MAX_THREADS, availableParallelism())) return startThread();
    return threads.reduce((best, thread) =>
      thread.waiting.size < best.waiting.size ? thread : best,
    );
  }

  function run(
    algorithm: DigestAlgorithm,
    what: Digestible,
    transfer: ArrayBuffer[],
  ): Promise<string> {
    const thread = leastBusy();
    const id = nextId++;
    return new Promise((resolve, reject) => {
      thread.waiting.set(id, { resolve, reject });
      thread.worker.ref();
      thread.worker.postMessage({ id, algorithm, ...what }, transfer);
    });
  }

  return {
    async ofBytes(algorithm, bytes) {
      if (bytes.byteLength < WORTH_A_THREAD_BYTES) return hash(algorithm, bytes);
      if (bytes.buffer instanceof SharedArrayBuffer) return run(algorithm, { bytes }, []);
      const copy = new Uint8Array(bytes);
      return run(algorithm, { bytes: copy }, [copy.buffer]);
    },
    async ofFile(algorithm, range, known = null) {
      if (range.length >= WORTH_A_THREAD_BYTES)
        return run(algorithm, { range, known: isShared(known) ? known : null }, []);
      return digestOfFile(algorithm, range, Buffer.allocUnsafe(range.length));
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.worker.terminate()));
    },
  };
}

/** Other memory would have to be copied to the thread. */
function isShared(known: KnownBytes | null): boolean {
  return known !== null && known.bytes.buffer instanceof SharedArrayBuffer;
}
