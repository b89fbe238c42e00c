import { useRef, useState } from "react";
import { runInBatches } from "./batches.ts";

export type BulkProgress = {
  readonly verb: string;
  readonly done: number;
  readonly total: number;
};

/** Why an item was refused, by its id. */
export type BulkFailures<Id> = ReadonlyMap<Id, string>;

export type BulkOutcome<Id> = {
  readonly succeeded: number;
  readonly failures: BulkFailures<Id>;
  /** Those that it failed for and those that were not begun: what to try again with. */
  readonly left: ReadonlySet<Id>;
};

/** What could not be done, item by item, for somebody to read. */
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
  /** How many ids one piece of work takes, and how many pieces run at the same time. */
  readonly batchSize: number;
  readonly atOnce: number;
  /** Must not throw: what goes wrong is a failure of each id that it went wrong for. */
  readonly work: (batch: readonly Id[]) => Promise<BulkFailures<Id>>;
};

/** `onDone` hears of each finished batch; once `isStopped`, nothing further is begun. */
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

/** Runs one action over many items, batch by batch, with progress. It can be stopped in between. */
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

  /** What has begun is finished; nothing further is begun. */
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
