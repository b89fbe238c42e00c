import { useRef, useState } from "react";
import { runInBatches } from "./batches.ts";

export type BulkProgress = {
  readonly verb: string;
  readonly done: number;
  readonly total: number;
};

/** The reason for each failed item, by id. */
export type BulkFailures<Id> = ReadonlyMap<Id, string>;

export type BulkOutcome<Id> = {
  readonly succeeded: number;
  readonly failures: BulkFailures<Id>;
  /** Failed items and those not started: what to retry. */
  readonly left: ReadonlySet<Id>;
};

/** Failed items for display. */
export type BulkReport = {
  readonly title: string;
  readonly failures: readonly { readonly name: string; readonly reason: string }[];
};

export function reportOf<Id>(
  { failures }: BulkOutcome<Id>,
  title: string,
  nameOf: (id: Id) => string,
): BulkReport {
  return { title, failures: [...failures].map(([id, reason]) => ({ name: nameOf(id), reason })) };
}

type BulkWork<Id> = {
  readonly verb: string;
  readonly ids: readonly Id[];
  /** Ids per batch, and batches in parallel. */
  readonly batchSize: number;
  readonly atOnce: number;
  /** Must not throw: it returns a failure for each id. */
  readonly work: (batch: readonly Id[]) => Promise<BulkFailures<Id>>;
};

/** Calls `onDone` after each batch; once `isStopped`, no batch is started. */
export async function runBulk<Id>(
  { ids, batchSize, atOnce, work }: Omit<BulkWork<Id>, "verb">,
  onDone: (count: number) => void,
  isStopped: () => boolean,
): Promise<BulkOutcome<Id>> {
  const failures = new Map<Id, string>();
  const begun = new Set<Id>();
  await runInBatches(batchesOf(ids, batchSize), atOnce, async (batch) => {
    if (isStopped()) return;
    for (const id of batch) begun.add(id);
    for (const [id, reason] of await work(batch)) failures.set(id, reason);
    onDone(batch.length);
  });
  const left = new Set(ids.filter((id) => failures.has(id) || !begun.has(id)));
  return { succeeded: begun.size - failures.size, failures, left };
}

/** Runs an action over many items in batches, with progress. It can be stopped between batches. */
export function useBulkRun() {
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const stopped = useRef(false);

  async function run<Id>({ verb, ...job }: BulkWork<Id>): Promise<BulkOutcome<Id>> {
    stopped.current = false;
    setProgress({ verb, done: 0, total: job.ids.length });
    try {
      return await runBulk(
        job,
        (count) => setProgress((before) => before && { ...before, done: before.done + count }),
        () => stopped.current,
      );
    } finally {
      setProgress(null);
    }
  }

  /** Started batches finish; no other is started. */
  function stop() {
    stopped.current = true;
  }
  return { progress, run, stop };
}

function batchesOf<Id>(ids: readonly Id[], size: number): readonly (readonly Id[])[] {
  return Array.from({ length: Math.ceil(ids.length / size) }, (_batch, index) =>
    ids.slice(index * size, (index + 1) * size),
  );
}
