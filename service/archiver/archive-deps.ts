import type { ServiceContext } from "#service/context.ts";
import type { VodSource } from "#service/twitch/twitch-client.ts";
import type { ArchiveProgress } from "./archive-progress.ts";
import type { UploadLease } from "./upload-lease.ts";

/** What every step of one run works with. */
export type ArchiveDeps = {
  readonly context: ServiceContext;
  readonly source: VodSource;
  readonly lease: UploadLease;
  readonly progress: ArchiveProgress;
  /** Aborts when the run must end at once. */
  readonly signal: AbortSignal;
  /** Bytes that this archive may hold now: the host's, shared among the archives that run. */
  readonly memoryBytes: () => number;
  /** True when the run should end at its next checkpoint. */
  readonly isHandoverDue: () => boolean;
  /** To be called when what follows cannot be handed over halfway (archive-slice.ts). */
  readonly outlastSlice: () => void;
};
