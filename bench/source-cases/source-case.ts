import { afterAll, afterEach, aroundEach, expect, it } from "vitest";
import type { Quality } from "#contract/quality.ts";
import type { Upload } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { CustomVod } from "#stand-ins/twitch/catalog/custom-vod.ts";
import { createTwitchSource } from "#service/twitch/twitch-source.ts";
import type { TwitchSteering } from "#stand-ins/twitch/control/steer-twitch.ts";
import type { FaultMatch, NewFault } from "#stand-ins/twitch/faults/fault.ts";
import { openVirtualWorld } from "./virtual-world.ts";

export const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

export type Kind = NonNullable<FaultMatch["kind"]>;

/** What the source does, and what has to become of an archive of the VOD. */
export type SourceCase = {
  /** A new one, or one of the stand-in's own by its id. */
  readonly vod?: CustomVod | string;
  readonly quality?: Quality;
  /** Of a finished broadcast; an hour by default. */
  readonly ageMs?: number;
  /** From the start on, of all requests that match. */
  readonly faults?: readonly NewFault[];
  /**
   * In order, seconds after the start; of a broadcast, after its plan was made. What is due at 0
   * happens before the start.
   */
  readonly at?: Readonly<Record<number, Step>>;
  /** The message with which the first run leaves it waiting. Then the faults end. */
  readonly waits?: unknown;
  /** Gives up waiting after so long. */
  readonly forMs?: number;
  readonly outcome: Partial<Record<keyof Upload, unknown>>;
  /** The source's bytes are stored, all of them; the rendition's, if one is named. */
  readonly isWhole?: boolean | string;
  /** How many the source's chat has for who reads it then. */
  readonly comments?: number;
  readonly atLeastMs?: number;
  readonly atMostMs?: number;
  /** How many requests there may be of each kind. */
  readonly most?: readonly (readonly [Kind, number])[];
};

export type Stage = {
  readonly clock: Clock;
  readonly control: TwitchSteering;
  untilServed(vodId: string, segments: number): Promise<void>;
};

export type Step = (stage: Stage, vodId: string) => Promise<unknown>;

export const COMPLETED = { status: "completed", errorMessage: null };

const START = { sec: 0, knownIds: [] };

const WAITING = {
  status: "processing",
  phase: "waiting",
  failureClass: "try_later",
  retryCount: 0,
};

/** Completed with all bytes; `metadata` is what has to be said of the file. */
export function whole(metadata: Readonly<Record<string, unknown>> = {}) {
  return { outcome: { ...COMPLETED, metadata: expect.objectContaining(metadata) }, isWhole: true };
}

/** A world for the tests of a file, each of which plays on its timeline. */
export async function openSourceCases(options?: Parameters<typeof openVirtualWorld>[0]) {
  const world = await openVirtualWorld(options);
  aroundEach(world.play);
  afterEach(() => world.twitch.control.clearFaults());
  afterAll(() => world.close());
  const { clock, database } = world.context.platform;
  const { control } = world.twitch;
  const stage: Stage = { clock, control, untilServed };

  async function untilServed(vodId: string, segments: number): Promise<void> {
    while (Object.keys(await control.served(vodId)).length < segments) await clock.sleep(1_000);
  }

  async function addVod(vod: CustomVod, ageMs: number): Promise<string> {
    const age = vod.growing === undefined ? { createdAt: clock.now() - ageMs } : {};
    const { id: ownerId } = await control.addAccount();
    return (await control.addVod({ ...vod, ...age, ownerId })).id;
  }

  async function act(vodId: string, vod: CustomVod | string, at: SourceCase["at"] = {}) {
    // The newest segment is left out while it may grow.
    if (typeof vod !== "string" && vod.growing !== undefined)
      await untilServed(vodId, (vod.growing.initialSegments ?? 1) - 1);
    const fromMs = clock.monotonic();
    for (const [sec, step] of Object.entries(at)) {
      if (sec === "0") continue;
      await clock.sleep(Math.max(0, fromMs + Number(sec) * 1_000 - clock.monotonic()));
      await step(stage, vodId);
    }
  }

  /** Plays a case to its end. */
  async function run(expected: SourceCase) {
    const { vod = { segmentCount: 6, segmentSizeBytes: 20_000 }, ageMs = HOUR_MS } = expected;
    const vodId = typeof vod === "string" ? vod : await addVod(vod, ageMs);
    for (const fault of expected.faults ?? []) await control.addFault(fault);
    await expected.at?.[0]?.(stage, vodId);
    const uploadId = await world.addUpload(vodId, expected.quality);
    // One that does not remember what worked before.
    const archiver = world.newArchiver();
    const startMs = clock.monotonic();
    const acting = act(vodId, vod, expected.at);
    let first: Upload | undefined;
    if (expected.waits !== undefined) {
      await archiver.consume({ uploadId });
      first = await world.upload(uploadId);
      await control.clearFaults();
    }
    let upload = await world.upload(uploadId);
    while (upload.status === "pending" || upload.status === "processing") {
      await archiver.consume({ uploadId });
      upload = await world.upload(uploadId);
      if (clock.monotonic() - startMs > (expected.forMs ?? HOUR_MS)) break;
      const nextMs = Date.parse(upload.nextAttemptAt ?? "1970");
      await clock.sleep(Math.max(50, nextMs - clock.now() + 1));
    }
    const tookMs = clock.monotonic() - startMs;
    await acting;
    return { vodId, first, upload, tookMs };
  }

  async function countComments(vodId: string): Promise<number> {
    let comments = 0;
    for await (const page of createTwitchSource(world.context).readChat(vodId, START))
      comments += page.comments.length;
    return comments;
  }

  function test(...named: readonly [name: string, expected: SourceCase]): void {
    it.each([named])("%s", async (_, expected) => {
      const { outcome, isWhole = false, atLeastMs = 0, atMostMs = Infinity, most = [] } = expected;
      const { vodId, first, upload, tookMs } = await run(expected);
      const waiting = { ...WAITING, errorMessage: expected.waits };
      expect({ ...first }).toMatchObject(expected.waits === undefined ? {} : waiting);
      expect(world.log()).toContain(JSON.stringify(first?.errorMessage ?? "").slice(1, -1));
      expect(upload).toMatchObject(outcome);
      const groupId = typeof isWhole === "string" ? isWhole : "chunked";
      const isSame = isWhole !== false && (await world.holdsVod(upload, vodId, groupId));
      expect(isSame).toBe(isWhole !== false);
      const comments = expected.comments === undefined ? undefined : await countComments(vodId);
      expect(comments).toBe(expected.comments);
      expect(tookMs).toBeGreaterThanOrEqual(atLeastMs);
      expect(tookMs).toBeLessThanOrEqual(atMostMs);
      for (const [kind, times] of most)
        expect((await control.requests({ kind, vodId })).length).toBeLessThanOrEqual(times);
      const events = await database.all(sql`
        SELECT body FROM notification_events
        WHERE type = 'source_incomplete' AND subject = ${upload.id}`);
      const isShort = upload.metadata.statedDurationSec !== null;
      expect(events).toEqual(
        isShort ? [{ body: "Twitch states 5:00; its playlist has 3:20." }] : [],
      );
    });
  }

  return { ...world, ...stage, run, test };
}
