import type { FileHandle } from "node:fs/promises";

/** Hands a growing file to the disk as it grows. */
export type GradualSync = {
  /** Something was written. Returns at once; what is written meanwhile is synced afterwards. */
  start(): void;
  /**
   * Waits for what is under way. Call before syncing for good and before closing.
   * @throws what the disk refused: the system tells it once, and here may have been the place.
   */
  settle(): Promise<void>;
};

/**
 * Completing an object waits until the disk has all of it. Syncing only then would leave gigabytes
 * to write while nothing else happens; done alongside, the disk works while the next part comes.
 */
export function createGradualSync(file: FileHandle): GradualSync {
  let syncing: Promise<void> | null = null;
  let isBehind = false;
  let failure: Error | null = null;

  async function sync(): Promise<void> {
    do {
      isBehind = false;
      await file.datasync();
    } while (isBehind);
  }

  return {
    start() {
      isBehind = true;
      syncing ??= sync()
        .catch((error: unknown) => {
          failure =
            error instanceof Error ? error : new Error("The disk refused", { cause: error });
        })
        .finally(() => {
          syncing = null;
        });
    },
    async settle() {
      isBehind = false;
      await syncing;
      if (failure !== null) throw failure;
    },
  };
}
