import type { Broadcast, Schedule } from "../broadcasts/broadcasts.ts";
import type { ListFault } from "../faults/list-fault.ts";
import type { World } from "../world.ts";

/** Controls channels: what is live and when, what Helix lists of them, and the time. */
export type ChannelControl = {
  /** Ends what is live there. Returns the stream's id. */
  goLive(accountId: string, broadcast?: Broadcast): string;
  endStream(accountId: string): void;
  /** Broadcasts again and again from now on. */
  schedule(accountId: string, schedule: Schedule): void;
  /** The age at which the account's past broadcasts are deleted; null: never. */
  keep(accountId: string, days: number | null): void;
  /** Without `forMs` until it is ended; null ends all faults of the account's lists. */
  listFault(accountId: string, fault: ListFault | null, forMs?: number): void;
  /** Moves the stand-in's clock on. */
  advance(ms: number): void;
};

export function createChannelControl(world: World): ChannelControl {
  return {
    goLive(accountId, broadcast = {}) {
      const { id } = world.broadcasts.start(accountId, broadcast);
      world.broadcasts.settle();
      return id;
    },
    endStream: (accountId) => world.broadcasts.end(accountId),
    schedule: (accountId, schedule) => world.broadcasts.schedule(accountId, schedule),
    keep(accountId, days) {
      const account = world.accounts.get(accountId);
      if (account === null) throw new Error(`the stand-in has no account ${accountId}`);
      world.accounts.add({ ...account, keepsDays: days });
      for (const vod of world.vods.byOwner(accountId)) world.broadcasts.expire(vod);
    },
    listFault: (accountId, fault, forMs) => world.listFaults.set(accountId, fault, forMs),
    advance(ms) {
      world.timetable.advance(ms);
      world.broadcasts.settle();
    },
  };
}
