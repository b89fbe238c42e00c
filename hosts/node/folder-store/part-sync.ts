import type { FileHandle } from "node:fs/promises";
import type { PartLedger } from "./folder-part-ledger.ts";

/** Hands an upload's content to the disk as it grows, and notes which parts are there. */
export type PartSync = {
  /** Something was recorded. Returns at once; what is recorded meanwhile is synced afterwards. */
  start(): void;
  /**
   * Resolves when every part recorded so far is on the disk.
   * @throws what the disk refused; the parts it may have lost are revoked then
   */
  settle(): Promise<void>;
  /** Waits for what is under way. Never rejects. Call before closing the file. */
  quiet(): Promise<void>;
  /** How often the disk has refused. Bytes written across a refusal may be among what it lost. */
  failures(): number;
  /** What the disk refused in the background, once for each refusal; null when there is nothing. */
  takeFailure(): Error | null;
};

/**
 * Completing an object waits until the disk has all of it. Syncing only then would leave gigabytes
 * to write while nothing else happens; done alongside, the disk works while the next part comes.
 *
 * A system tells of bytes that it could not write at one sync only: the next one succeeds, although
 * they are gone. So what a failed sync was about is revoked at once.
 */
export function createPartSync(
  content: Pick<FileHandle, "datasync">,
  ledger: PartLedger,
): PartSync {
  let running: Promise<void> | null = null;
  let isBehind = false;
  let failures = 0;
  let unreported: Error | null = null;

  async function sync(): Promise<void> {
    do {
      isBehind = false;
      const recorded = ledger.unsynced();
      try {
        await content.datasync();
      } catch (error) {
        failures += 1;
        for (const { partNumber } of ledger.unsynced())
          // The record is gone from memory even where the disk takes no more lines either.
          await ledger.revoke(partNumber).catch(() => undefined);
        throw error;
      }
      await ledger.noteSynced(recorded);
    } while (isBehind);
  }

  function run(): Promise<void> {
    running ??= sync().finally(() => {
      running = null;
    });
    return running;
  }

  return {
    start() {
      if (ledger.unsynced().length === 0) return;
      isBehind = true;
      run().catch((error: unknown) => {
        unreported = error instanceof Error ? error : new Error("The disk refused");
      });
    },
    async settle() {
      try {
        await running;
        if (ledger.unsynced().length > 0) await run();
      } catch (error) {
        unreported = null;
        throw error;
      }
    },
    async quiet() {
      await running?.catch(() => undefined);
    },
    failures: () => failures,
    takeFailure() {
      const failure = unreported;
      unreported = null;
      return failure;
    },
  };
}
