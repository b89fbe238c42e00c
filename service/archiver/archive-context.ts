import type { ServiceContext } from "#service/context.ts";
import type { TakenLease } from "#service/storage/lease.ts";
import type { Progress } from "#service/storage/progress.ts";
import type { Source } from "#service/source/source.ts";

/** How the archiver steers a run. */
export type RunControl = {
  /** Aborts with `LeaseLost` when the upload was taken away, `HandedOver` when time is up. */
  readonly signal: AbortSignal;
  /** True when the run should end at its next checkpoint. */
  readonly isHandoverDue: () => boolean;
  /**
   * Call before work that cannot be handed over halfway: all bytes are stored, or the source may be
   * damaged. A later checkpoint still hands over.
   */
  readonly outlastSlice: () => void;
  /** Current memory limit of this archive: the host's limit divided among the running archives. */
  readonly memoryBytes: () => number;
  /** Called with a sentence when the run ends because of the store. */
  readonly onStoreTrouble: (reason: string) => void;
};

/** Dependencies of every step of one run. */
export type ArchiveRun = RunControl & {
  readonly context: ServiceContext;
  readonly source: Source;
  readonly lease: TakenLease;
  readonly progress: Progress;
};
