import { once } from "node:events";
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { DatabaseError } from "#service/ports/database.ts";
import { threadProgram } from "./thread-program.ts";

/** Keeps the database file durable by a thread of its own, and watches whether it is still there. */
export type Checkpointer = {
  /**
   * False while the file is missing or replaced by another one: SQLite would go on writing to the
   * old file, and those writes would be lost.
   */
  isFileThere(): boolean;
  /** @throws {DatabaseError} when the log cannot be synced */
  syncLog(): Promise<void>;
  stop(): Promise<void>;
};

export type CheckpointRequest = "sync" | "stop";

export type CheckpointAnswer = { readonly error: unknown };

export function startCheckpointer(path: string, intervalMs: number): Checkpointer {
  const opened = fileNumber(path);
  let isThere = true;
  const watching = setInterval(() => (isThere = fileNumber(path) === opened), intervalMs).unref();
  const starting = setTimeout(() => requestSync(() => undefined), intervalMs).unref();
  let worker: Worker | null = null;
  let isStopping = false;
  let hasEnded = false;
  /** In the order of their requests, which is that of the thread's answers. */
  const waiting: ((error: unknown) => void)[] = [];

  /** Starts the thread if there is none: a database that is closed at once needs none. */
  function requestSync(finish: (error: unknown) => void): void {
    waiting.push(finish);
    worker ??= start();
    worker.ref();
    worker.postMessage("sync" satisfies CheckpointRequest);
  }

  function start(): Worker {
    const started = new Worker(threadProgram("checkpoint-thread"), {
      workerData: { path, intervalMs, opened },
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    });
    started.unref();
    // Node also sends messages on this channel, for example under --watch.
    started.on("message", (message: unknown) => {
      if (isAnswer(message)) finishNext(message.error);
    });
    started.once("exit", () => {
      hasEnded = true;
      while (waiting.length > 0) finishNext(new Error("The thread has ended"));
    });
    return started;
  }

  function finishNext(error: unknown): void {
    waiting.shift()?.(error);
    // While it stops, nothing else may keep the process running.
    if (waiting.length === 0 && !isStopping) worker?.unref();
  }

  return {
    isFileThere: () => isThere,
    syncLog() {
      if (hasEnded)
        return Promise.reject(new DatabaseError("unavailable", "The database is closed."));
      return new Promise((resolve, reject) => {
        requestSync((cause) => {
          if (cause === null) resolve();
          else
            reject(new DatabaseError("unavailable", "The log did not reach the disk.", { cause }));
        });
      });
    },
    async stop() {
      clearInterval(watching);
      clearTimeout(starting);
      isStopping = true;
      hasEnded ||= worker === null;
      if (worker === null || hasEnded) return;
      const ended = once(worker, "exit");
      worker.postMessage("stop" satisfies CheckpointRequest);
      worker.ref();
      await ended;
    },
  };
}

/** Distinguishes files of the same name (the inode number); null when the file cannot be read. */
export function fileNumber(path: string): bigint | null {
  try {
    return statSync(path, { bigint: true }).ino;
  } catch {
    return null;
  }
}

function isAnswer(message: unknown): message is CheckpointAnswer {
  return typeof message === "object" && message !== null && "error" in message;
}
