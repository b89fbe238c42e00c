import type { Child } from "./child.ts";
import type { ExpectedObject } from "./kill-check.ts";

/** A host as it is in production, on a folder that outlives it. */
export type Killable = {
  start(settings: Readonly<Record<string, string>>): Promise<Child>;
  /**
   * Called between a death and the next start. Answers whether leases of the dead process still
   * hold, so that its archives have to wait for their end.
   */
  afterKill(kills: number): boolean;
  /** What runs have left on record, in sentences. Nothing uses the folder meanwhile. */
  leftRows(): readonly string[];
  /** What is wrong with what it stored, in sentences. Nothing uses the folder meanwhile. */
  check(expected: readonly ExpectedObject[]): Promise<readonly string[]>;
  readonly archivesAtOnce: number;
  readonly resumeWithinMs: number;
  /** Bytes of one archive that the store may have confirmed without their being on record. */
  readonly unrecordedBytes: number;
  /** What segments fetched ahead may hold. */
  readonly fetchAheadBytes: number;
  /** Gives back what is not in the folder. */
  close?(): void;
};
