import { Worker } from "node:worker_threads";
import { DatabaseError } from "#service/ports/database.ts";
import { FILE_IS_GONE, FILE_IS_THERE, fileNumber } from "./file-number.ts";
import { threadProgram } from "./thread-program.ts";

/** Controls the thread that syncs and checkpoints the write-ahead log. */
export type Checkpointer = {
  /** False while the file is missing or replaced by another one. */
  isFileThere(): boolean;
  /** @throws {DatabaseError} when the log cannot be synced */
  syncLog(): Promise<void>;
  stop(): Promise<void>;
};

export type CheckpointRequest = "stop" | { readonly sync: number };

export type CheckpointAnswer = { readonly synced: number; readonly error: unknown };

export function startCheckpointer(path: string, intervalMs: number): Checkpointer {
  const worker = new Worker(threadProgram("checkpoint-thread"), {
    workerData: { path, intervalMs, opened: fileNumber(path) },
    resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
  });
  let isThere = true;
  let hasEnded = false;
  let requests = 0;
  const waiting = new Map<number, (error: unknown) => void>();
  // Node also sends messages on this channel, for example under --watch.
  worker.on("message", (message: unknown) => {
    if (message === FILE_IS_THERE) isThere = true;
    if (message === FILE_IS_GONE) isThere = false;
    if (isAnswer(message)) finish(message.synced, message.error);
  });
  worker.unref();
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", () => {
      hasEnded = true;
      for (const request of waiting.keys()) finish(request, new Error("The thread has ended"));
      resolve();
    });
  });

  function finish(request: number, error: unknown): void {
    waiting.get(request)?.(error);
    waiting.delete(request);
    if (waiting.size === 0) worker.unref();
  }

  return {
    isFileThere: () => isThere,
    syncLog() {
      if (hasEnded)
        return Promise.reject(new DatabaseError("unavailable", "The database is closed."));
      requests += 1;
      const request = requests;
      return new Promise((resolve, reject) => {
        waiting.set(request, (error) => {
          if (error === null) resolve();
          else
            reject(
              new DatabaseError("unavailable", "The log did not reach the disk.", { cause: error }),
            );
        });
        worker.ref();
        worker.postMessage({ sync: request } satisfies CheckpointRequest);
      });
    },
    async stop() {
      worker.postMessage("stop" satisfies CheckpointRequest);
      worker.ref();
      await ended;
    },
  };
}

function isAnswer(message: unknown): message is CheckpointAnswer {
  return typeof message === "object" && message !== null && "synced" in message;
}
