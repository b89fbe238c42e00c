import { createStore } from "@tanstack/react-store";

type BulkProgress = {
  /** E.g. "Deleting files". */
  readonly verb: string;
  readonly done: number;
  readonly total: number;
  readonly isStopping: boolean;
};

export type BulkState = {
  /** The current run; null if there is none. */
  readonly progress: BulkProgress | null;
  /** What the last run could not do, until it is dismissed. */
  readonly report: {
    readonly title: string;
    readonly failures: readonly { readonly name: string; readonly reason: string }[];
  } | null;
};

/** Separate from bulk-run.ts, which only screens with lists load. */
export const bulkState = createStore<BulkState>({ progress: null, report: null });

export function changeProgress(change: (before: BulkProgress) => Partial<BulkProgress>): void {
  bulkState.setState(({ progress, report }) => ({
    progress: progress && { ...progress, ...change(progress) },
    report,
  }));
}

/** Started batches finish; no other is started. */
export function stopBulkRun(): void {
  changeProgress(() => ({ isStopping: true }));
}
