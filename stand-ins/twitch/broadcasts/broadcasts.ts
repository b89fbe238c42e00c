import { makeCustomVod, type CustomVod } from "../catalog/custom-vod.ts";
import { isLiveFor, type Vod } from "../catalog/vod.ts";
import type { World } from "../world.ts";

/** What is live, and what becomes of it: its VOD appears, grows, ends and is deleted. */
export type Broadcasts = ReturnType<typeof createBroadcasts>;

export type Broadcast = {
  readonly title?: string;
  /** Absent: until it is ended. */
  readonly lastsMs?: number;
  /** The time from the start until Helix and the web API know the VOD; 0 by default. */
  readonly vodLateMs?: number;
  /** Indices of segments that are muted, and the time from the end of the broadcast until then. */
  readonly mutes?: { readonly indices: readonly number[]; readonly afterMs: number };
  readonly vod?: Pick<CustomVod, "segmentSizeBytes" | "paceBytesPerSecond">;
};

export type Schedule = Broadcast & {
  readonly everyMs: number;
  readonly lastsMs: number;
  /** Until the first; 0 by default. */
  readonly firstInMs?: number;
};

type Stream = {
  readonly id: string;
  readonly accountId: string;
  readonly title: string;
  readonly startedAt: number;
};

type Running = Stream & { readonly broadcast: Broadcast; vod: Vod | null; endedAt: number | null };

const SEGMENT_MS = 10_000;
const DAY_MS = 86_400_000;

export function createBroadcasts(
  world: Pick<World, "accounts" | "addedVods" | "timetable" | "vods">,
) {
  const { accounts, addedVods, timetable, vods } = world;
  const running = new Map<string, Running>();
  // Greater than those before a restart.
  let nextStreamId = 40_000_000_000 + Math.floor(timetable.now() / 1_000);

  function segmentsAt(stream: Running, atMs: number): number {
    return Math.max(1, Math.floor(((stream.endedAt ?? atMs) - stream.startedAt) / SEGMENT_MS));
  }

  function start(accountId: string, broadcast: Broadcast, startedAt: number): Stream {
    end(accountId, startedAt);
    const id = String(nextStreamId);
    nextStreamId += 1;
    const title = broadcast.title ?? `Stream ${id}`;
    const stream = { id, accountId, title, startedAt, broadcast, vod: null, endedAt: null };
    running.set(accountId, stream);
    timetable.at(startedAt + (broadcast.vodLateMs ?? 0), (atMs) => list(stream, atMs));
    if (broadcast.lastsMs !== undefined)
      timetable.at(startedAt + broadcast.lastsMs, (atMs) => {
        if (running.get(accountId) === stream) end(accountId, atMs);
      });
    return stream;
  }

  function list(stream: Running, atMs: number): void {
    const { id: streamId, accountId: ownerId, title, startedAt: createdAt } = stream;
    const segmentCount = segmentsAt(stream, atMs);
    const custom = { ...stream.broadcast.vod, ownerId, title, createdAt, streamId, segmentCount };
    const vod = makeCustomVod(vods.nextId(), custom, createdAt);
    if (stream.endedAt === null) vod.status = "RECORDING";
    stream.vod = vod;
    vods.add(vod);
    addedVods.push({ id: vod.id, custom, addedAt: createdAt });
    expire(vod);
  }

  function end(accountId: string, atMs: number): void {
    const stream = running.get(accountId);
    if (stream === undefined) return;
    stream.endedAt = atMs;
    running.delete(accountId);
    if (stream.vod !== null) {
      stream.vod.segmentCount = segmentsAt(stream, atMs);
      stream.vod.status = "RECORDED";
    }
    const { mutes } = stream.broadcast;
    if (mutes !== undefined)
      timetable.at(atMs + mutes.afterMs, () => {
        for (const index of mutes.indices) stream.vod?.muted.add(index);
        if (stream.vod !== null) stream.vod.muteRound += 1;
      });
  }

  /** Deletes a past broadcast at the age at which its account's are deleted. */
  function expire(vod: Vod): void {
    const keepsDays = accounts.get(vod.ownerId)?.keepsDays ?? null;
    if (vod.type !== "archive" || keepsDays === null) return;
    timetable.at(vod.createdAt + keepsDays * DAY_MS, () => {
      const isStillDue = accounts.get(vod.ownerId)?.keepsDays === keepsDays;
      if (isStillDue) vods.delete(vod.id);
    });
  }

  return {
    expire,
    start: (accountId: string, broadcast: Broadcast) =>
      start(accountId, broadcast, timetable.now()),
    end: (accountId: string) => end(accountId, timetable.now()),
    schedule(accountId: string, { everyMs, firstInMs = 0, ...broadcast }: Schedule): void {
      function begin(atMs: number): void {
        start(accountId, broadcast, atMs);
        timetable.at(atMs + everyMs, begin);
      }
      timetable.at(timetable.now() + firstInMs, begin);
    },
    /** The account's stream, also that of a VOD which is being recorded; null while not live. */
    live(accountId: string): Stream | null {
      const stream = running.get(accountId);
      if (stream !== undefined)
        return stream.vod === null || isLiveFor(stream.vod, "helix") ? stream : null;
      const vod = vods.byOwner(accountId).find((each) => isLiveFor(each, "helix"));
      if (vod === undefined || vod.streamId === null) return null;
      return { id: vod.streamId, accountId, title: vod.title, startedAt: vod.createdAt };
    },
    /** Lets everything happen that is due, and VODs of live channels grow. */
    settle(): void {
      timetable.settle();
      for (const stream of running.values())
        if (stream.vod !== null) stream.vod.segmentCount = segmentsAt(stream, timetable.now());
    },
  };
}
