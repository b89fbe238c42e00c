import type { VodKind } from "#contract/channel-rules.ts";
import type { ListFault } from "#stand-ins/twitch/faults/list-fault.ts";
import type { TwitchControl } from "#stand-ins/twitch/control/control.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Timeline } from "../simulate/timeline.ts";

/** What happens at the source, as only the rig knows it. */
export type PlannedVod = {
  readonly channel: PlannedChannel;
  readonly kind: VodKind;
  readonly title: string;
  readonly startsAtMs: number;
  readonly durationMs: number;
  readonly isListedAtMs: number;
  /** Infinity: it stays. */
  goneAtMs: number;
  readonly isBroadcast: boolean;
  /** Null until it is listed. */
  vodId: string | null;
};

export type PlannedChannel = {
  readonly id: string;
  readonly login: string;
  readonly group: number;
  readonly keepsDays: number;
};

/** A time in which a channel, or all of them, may be seen late. */
export type Disturbance = {
  readonly channelId: string | null;
  readonly fromMs: number;
  readonly toMs: number;
};

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const KINDS_OF_BROADCASTER = [
  { broadcasterType: undefined, keepsDays: 7 },
  { broadcasterType: undefined, keepsDays: 7 },
  { broadcasterType: "affiliate", keepsDays: 14 },
  { broadcasterType: "partner", keepsDays: 60 },
  // Some are kept for longer or shorter than Twitch says.
  { broadcasterType: undefined, keepsDays: 14 },
  { broadcasterType: "affiliate", keepsDays: 7 },
] as const;

/** Faults of lists that end before the service gives up looking for a live stream's VOD each minute. */
const HIDING: readonly ListFault[] = [
  { type: "skip", every: 2 },
  { type: "stale" },
  { type: "pageFails", page: 1, status: 500 },
  { type: "notLive", times: 1 },
];
const HIDING_MS = 6 * MINUTE_MS;

/** Faults that only make a list longer. */
const HARMLESS: readonly ListFault[] = [
  { type: "repeat" },
  { type: "reverse" },
  { type: "emptyPages", pages: 2 },
  { type: "endless" },
];

/**
 * Draws what happens at the source in `days`: channels with VODs of the past, broadcasts, highlights,
 * deletions and faults. Each happens on the timeline.
 */
export function planMonth(
  timeline: Timeline,
  dice: SeededDice,
  control: TwitchControl,
  { channels: count, days, groups }: { channels: number; days: number; groups: number },
) {
  const startMs = timeline.now();
  const vods: PlannedVod[] = [];
  const byId = new Map<string, PlannedVod>();
  const disturbances: Disturbance[] = [];

  function at(atMs: number, run: () => void): void {
    timeline.at(atMs - startMs, run);
  }

  function add(vod: Omit<PlannedVod, "goneAtMs" | "vodId">): PlannedVod {
    const { channel, kind, startsAtMs } = vod;
    const goneAtMs = kind === "archive" ? startsAtMs + channel.keepsDays * DAY_MS : Infinity;
    const planned = { ...vod, goneAtMs, vodId: null };
    vods.push(planned);
    return planned;
  }

  function publish(vod: PlannedVod): void {
    const { channel, kind, title, startsAtMs, durationMs } = vod;
    const { id } = control.addVod({
      ownerId: channel.id,
      type: kind,
      title,
      createdAt: startsAtMs,
      segmentCount: durationMs / 10_000,
    });
    identify(vod, id);
  }

  function identify(vod: PlannedVod, id: string): void {
    vod.vodId = id;
    byId.set(id, vod);
  }

  function broadcast(vod: PlannedVod, vodLateMs: number): void {
    const { channel, durationMs, title } = vod;
    const streamId = control.goLive(channel.id, { title, lastsMs: durationMs, vodLateMs });
    timeline.at(vodLateMs, () => {
      control.advance(0);
      const listed = control.vods().find((each) => each.streamId === streamId);
      if (listed !== undefined) identify(vod, listed.id);
    });
  }

  function drawTitle(): string {
    return dice.chance(0.1) ? "Rerun of an evening" : `Evening ${vods.length}`;
  }

  function planBroadcasts(channel: PlannedChannel): void {
    let startsAtMs = startMs + dice.between(0, 20 * DAY_MS);
    while (startsAtMs < startMs + days * DAY_MS) {
      const vodLateMs = dice.pick([0, 0, 30_000, 4 * MINUTE_MS]);
      const isListedAtMs = startsAtMs + vodLateMs;
      const durationMs = dice.between(3, 24) * 10 * MINUTE_MS;
      const named = { title: drawTitle(), startsAtMs, durationMs };
      const vod = add({ channel, kind: "archive", isBroadcast: true, isListedAtMs, ...named });
      at(startsAtMs, () => broadcast(vod, vodLateMs));
      startsAtMs += dice.between(6 * HOUR_MS, 38 * DAY_MS);
    }
  }

  function planPublications(channel: PlannedChannel): void {
    const shared = { channel, isBroadcast: false, durationMs: 20 * MINUTE_MS };
    for (let past = dice.between(0, 2); past > 0; past -= 1) {
      const ageMs = dice.between(DAY_MS, (channel.keepsDays - 1) * DAY_MS);
      const [startsAtMs, kind] = [startMs - ageMs, "archive" as const];
      publish(add({ ...shared, kind, title: drawTitle(), startsAtMs, isListedAtMs: startMs }));
    }
    if (!dice.chance(days / 60)) return;
    const startsAtMs = startMs + dice.between(0, days * DAY_MS);
    const kind = dice.pick(["highlight", "upload"] as const);
    const vod = add({ ...shared, kind, title: drawTitle(), startsAtMs, isListedAtMs: startsAtMs });
    at(startsAtMs, () => publish(vod));
  }

  function planDeletion(vod: PlannedVod): void {
    const deletedAtMs = Math.max(vod.isListedAtMs, startMs) + dice.between(HOUR_MS, 5 * DAY_MS);
    if (deletedAtMs > Math.min(vod.goneAtMs, startMs + days * DAY_MS)) return;
    at(deletedAtMs, () => void (vod.vodId !== null && control.deleteVod(vod.vodId)));
    vod.goneAtMs = deletedAtMs;
  }

  function planFault(channel: PlannedChannel): void {
    const fromMs = startMs + dice.between(0, days * DAY_MS);
    const hides = dice.chance(0.5);
    const fault = dice.pick(hides ? HIDING : HARMLESS);
    const toMs = fromMs + (hides ? HIDING_MS : DAY_MS);
    if (hides) disturbances.push({ channelId: channel.id, fromMs, toMs });
    at(fromMs, () => control.listFault(channel.id, fault, toMs - fromMs));
  }

  const channels = Array.from({ length: count }, (_, index): PlannedChannel => {
    const { broadcasterType, keepsDays } = dice.pick(KINDS_OF_BROADCASTER);
    const login = `channel_${index}`;
    const { id } = control.addAccount({
      login,
      keepsDays,
      ...(broadcasterType === undefined ? {} : { broadcasterType }),
    });
    return { id, login, keepsDays, group: index % groups };
  });
  for (const channel of channels) {
    planBroadcasts(channel);
    planPublications(channel);
    if (dice.chance(days / 20)) planFault(channel);
  }
  for (const vod of vods) if (dice.chance(0.02)) planDeletion(vod);
  return { channels, vods, byId, disturbances };
}
