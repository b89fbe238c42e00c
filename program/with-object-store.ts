import { createDigests } from "#hosts/node/digests.ts";
import { openObjectStore } from "#hosts/node/object-store.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";

/**
 * Calls `work` with the store that the settings name, without a database. `onlyReads`: a folder is not
 * made, and may be in use.
 */
export async function withObjectStore<Result>(
  settings: Settings,
  dataFolder: string,
  fetch: OutgoingFetch,
  work: (objects: ObjectStore) => Promise<Result>,
  { onlyReads = false } = {},
): Promise<Result> {
  const digests = createDigests();
  try {
    const store = await openObjectStore(settings, {
      dataFolder,
      digests,
      fetch,
      clock: systemClock,
      random: systemRandom,
      onlyReads,
    });
    try {
      return await work(store.objects);
    } finally {
      await store.close();
    }
  } finally {
    await digests.close();
  }
}
