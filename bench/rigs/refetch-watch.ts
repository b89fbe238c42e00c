import { setTimeout as pause } from "node:timers/promises";
import type { RigHost } from "./rig-host.ts";

type SentBySegment = Readonly<Record<string, number>>;

/**
 * Measures the bytes that the source had to send twice because of a kill, for each kill and
 * archive: those of every segment that the killed run had fetched and a later one fetched again.
 */
export function createRefetchWatch(rig: Pick<RigHost, "control">) {
  const kills: ReadonlyMap<string, SentBySegment>[] = [];

  async function readSent(vodIds: readonly string[]): Promise<ReadonlyMap<string, SentBySegment>> {
    // A response counts once the source has noticed that its client is gone.
    while ((await rig.control.ledger()).openMedia > 0) await pause(5);
    const sent = new Map<string, SentBySegment>();
    for (const vodId of vodIds) sent.set(vodId, await rig.control.served(vodId));
    return sent;
  }

  return {
    /** Call after each kill, before the host starts again. */
    async noteKill(vodIds: readonly string[]): Promise<void> {
      kills.push(await readSent(vodIds));
    },
    /** Call after the last archive has ended. */
    async finish(vodIds: readonly string[]) {
      const end = await readSent(vodIds);
      return kills.flatMap((sent, kill) =>
        vodIds.map((vodId) => ({
          kill: kill + 1,
          vodId,
          bytes: refetchedBytes(
            kills[kill - 1]?.get(vodId) ?? {},
            sent.get(vodId) ?? {},
            end.get(vodId) ?? {},
          ),
        })),
      );
    },
  };
}

/** Bytes of segments sent between `before` and `atKill` that were sent again by `end`. */
function refetchedBytes(before: SentBySegment, atKill: SentBySegment, end: SentBySegment): number {
  let bytes = 0;
  for (const [index, sentBytes] of Object.entries(atKill))
    if ((end[index] ?? 0) > sentBytes) bytes += sentBytes - (before[index] ?? 0);
  return bytes;
}
