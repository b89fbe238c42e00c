import type { Child } from "./child.ts";
import type { ExpectedObject } from "./kill-check.ts";

/** A host as in production, on a folder that outlives its process. */
export type Killable = {
  start(settings: Readonly<Record<string, string>>): Promise<Child>;
  /**
   * Called between a kill and the next start. Returns whether leases of the killed process are
   * still valid, so that its archives must wait for their expiry.
   */
  afterKill(kills: number): boolean;
  /** Rows left by runs, as sentences. Call while nothing uses the folder. */
  leftRows(): readonly string[];
  /** Faults of the stored objects, as sentences. Call while nothing uses the folder. */
  check(expected: readonly ExpectedObject[]): Promise<readonly string[]>;
  readonly archivesAtOnce: number;
  readonly resumeWithinMs: number;
  /** Bytes of one archive that the store may have confirmed but that are not yet recorded. */
  readonly unrecordedBytes: number;
  /** The most bytes of segments fetched ahead. */
  readonly fetchAheadBytes: number;
  /** Releases resources outside the folder. */
  close?(): void;
};
