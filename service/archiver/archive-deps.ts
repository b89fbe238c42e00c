import type { ServiceContext } from "#service/context.ts";
import type { VodSource } from "#service/twitch/twitch-client.ts";
import type { ArchiveProgress } from "./archive-progress.ts";
import type { UploadLease } from "./upload-lease.ts";

/** Dependencies of every step of one run. */
export type ArchiveDeps = {
  readonly context: ServiceContext;
  readonly source: VodSource;
  readonly lease: UploadLease;
  readonly progress: ArchiveProgress;
  /** Aborts when the run must end at once. */
  readonly signal: AbortSignal;
  /** Current memory limit of this archive: the host's limit divided among the running archives. */
  readonly memoryBytes: () => number;
  /** True when the run should end at its next checkpoint. */
  readonly isHandoverDue: () => boolean;
  /** Call before work that cannot be handed over halfway (watched-run.ts). */
  readonly outlastSlice: () => void;
};
