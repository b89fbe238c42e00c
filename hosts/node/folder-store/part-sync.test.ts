import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openPartLedger, type PartLedger, type PartRecord } from "./folder-part-ledger.ts";
import { createPartSync } from "./part-sync.ts";
import { makeTemporaryFolder } from "../testing/temporary-folder.ts";

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let path: string;
let ledger: PartLedger;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  path = join(folder.path, "parts.jsonl");
  ledger = await openPartLedger(path);
});
afterEach(() => folder.remove());

function part(partNumber: number, tag = `tag ${partNumber}`): PartRecord {
  return { partNumber, sizeBytes: 9, tag, offset: 0 };
}

/** A disk whose syncs end when they are told to, in the order in which they began. */
function steeredDisk() {
  const syncs: PromiseWithResolvers<void>[] = [];
  return {
    syncs,
    datasync: () => {
      const sync = Promise.withResolvers<void>();
      syncs.push(sync);
      return sync.promise;
    },
  };
}

/** Recorded parts that the next process has to read again. */
async function doubtfulAfterwards(): Promise<readonly number[]> {
  const next = await openPartLedger(path);
  return [...next.parts.values()]
    .filter((record) => next.isDoubtful(record))
    .map(({ partNumber }) => partNumber);
}

it("a sync speaks for parts that were recorded before it began", async () => {
  const disk = steeredDisk();
  const sync = createPartSync(disk, ledger);
  await ledger.record(part(1));
  sync.start();
  await ledger.record(part(2));
  disk.syncs[0]?.resolve();
  await sync.quiet();
  expect(await doubtfulAfterwards()).toEqual([2]);
});

it("a part that was sent again during a sync is not the one that was synced", async () => {
  const disk = steeredDisk();
  const sync = createPartSync(disk, ledger);
  await ledger.record(part(1));
  await ledger.record(part(2));
  sync.start();
  await ledger.revoke(1);
  await ledger.record(part(1, "another"));
  disk.syncs[0]?.resolve();
  await sync.quiet();
  expect(await doubtfulAfterwards()).toEqual([1]);
});

it("what a failed sync was about is not claimed again, however well the next one goes", async () => {
  const disk = steeredDisk();
  const sync = createPartSync(disk, ledger);
  await ledger.record(part(1));
  sync.start();
  disk.syncs[0]?.resolve();
  await sync.quiet();
  await ledger.record(part(2));
  sync.start();
  await ledger.record(part(3));
  disk.syncs[1]?.reject(new Error("EIO: i/o error, fdatasync"));
  await sync.quiet();
  expect([...ledger.parts.keys()]).toEqual([1]);
  expect(sync.failures()).toBe(1);
  expect(sync.takeFailure()?.message).toContain("EIO");
  expect(sync.takeFailure()).toBeNull();
  await sync.settle();
  expect([...(await openPartLedger(path)).parts.keys()]).toEqual([1]);
});

it("whoever waits for the disk hears that it refused", async () => {
  const refusing = { datasync: () => Promise.reject(new Error("ENOSPC: no space left on device")) };
  const sync = createPartSync(refusing, ledger);
  await ledger.record(part(1));
  await expect(sync.settle()).rejects.toThrow("ENOSPC");
  expect(sync.takeFailure()).toBeNull();
  expect(ledger.parts.size).toBe(0);
});

it("doubtful parts are no sync's until somebody has read them", async () => {
  await ledger.record(part(1));
  await ledger.record(part(2));
  const next = await openPartLedger(path);
  expect(next.unsynced()).toEqual([]);
  const first = next.parts.get(1);
  if (first === undefined) throw new Error("Part 1 is on record");
  next.trust(first);
  expect(next.unsynced()).toEqual([first]);
});

it("lines stay in the order of the calls", async () => {
  await Promise.all([
    ledger.partSizeBytes(9),
    ...Array.from({ length: 50 }, (_, index) => ledger.record(part(1, `tag ${index}`))),
  ]);
  expect((await openPartLedger(path)).parts.get(1)?.tag).toBe("tag 49");
});

it("a ledger is read up to what is no line of it", async () => {
  await ledger.record(part(1));
  await appendFile(path, '{"what":"is this?"}\n');
  await appendFile(path, `${JSON.stringify(part(2))}\n`);
  expect([...(await openPartLedger(path)).parts.keys()]).toEqual([1]);
});
