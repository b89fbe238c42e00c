import { bulkState, changeProgress } from "./bulk-state.ts";

/** The reason for each failed item, by id. */
export type BulkFailures<Id> = ReadonlyMap<Id, string>;

export type BulkOutcome<Id> = {
  readonly succeeded: number;
  readonly failures: BulkFailures<Id>;
  /** Failed items and those not started: what to retry. */
  readonly left: ReadonlySet<Id>;
};

type BulkWork<Id> = {
  readonly verb: string;
  readonly ids: readonly Id[];
  /** Ids per batch, and batches in parallel. */
  readonly batchSize: number;
  readonly atOnce: number;
  /** Must not throw: it returns a failure for each id. */
  readonly work: (batch: readonly Id[]) => Promise<BulkFailures<Id>>;
  readonly reportTitle: (failedCount: number) => string;
  readonly nameOf: (id: Id) => string;
};

/** Calls `onDone` after each batch; once `isStopped`, no batch is started. */
export async function runBulk<Id>(
  { ids, batchSize, atOnce, work }: Pick<BulkWork<Id>, "ids" | "batchSize" | "atOnce" | "work">,
  onDone: (count: number) => void,
  isStopped: () => boolean,
): Promise<BulkOutcome<Id>> {
  const failures = new Map<Id, string>();
  const begun = new Set<Id>();
  const batches = batchesOf(ids, batchSize).values();
  async function worker(): Promise<void> {
    for (const batch of batches) {
      if (isStopped()) return;
      for (const id of batch) begun.add(id);
      for (const [id, reason] of await work(batch)) failures.set(id, reason);
      onDone(batch.length);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  const left = new Set(ids.filter((id) => failures.has(id) || !begun.has(id)));
  return { succeeded: begun.size - failures.size, failures, left };
}

/**
 * Runs an action over many items in batches, one run at a time. A run belongs to no screen: the
 * layout shows its progress and Stop wherever the user goes.
 */
export async function startBulkRun<Id>(job: BulkWork<Id>): Promise<BulkOutcome<Id>> {
  const { verb, ids } = job;
  const started = { verb, done: 0, total: ids.length, isStopping: false };
  bulkState.setState(() => ({ progress: started, report: null }));
  const outcome = await runBulk(
    job,
    (count) => changeProgress(({ done }) => ({ done: done + count })),
    () => bulkState.state.progress?.isStopping === true,
  );
  const failures = [...outcome.failures].map(([id, reason]) => ({ name: job.nameOf(id), reason }));
  const report = { title: job.reportTitle(failures.length), failures };
  bulkState.setState(() => ({ progress: null, report: failures.length === 0 ? null : report }));
  return outcome;
}

function batchesOf<Id>(ids: readonly Id[], size: number): readonly (readonly Id[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_batch, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}
