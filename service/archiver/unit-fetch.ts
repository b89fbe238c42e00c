import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { Random } from "#service/ports/random.ts";
import { checkUnitBytes, isWholePackets } from "#service/source/container.ts";
import { checkPlayingTime } from "#service/source/playing-time.ts";
import type { ArchiveUnit } from "./archive-manifest.ts";
import { ArchiveFailed, TryLater } from "#service/storage/run-outcome.ts";
import { jitter } from "#service/jitter.ts";
import { createSourceGate } from "./source-gate.ts";
import { type UnitBody, UnitFault } from "./unit-request.ts";

/** How often one unit may be unavailable while other units can be fetched. */
const MAX_REFUSALS = 10;

/**
 * The source counts as damaged after this many wrong bodies of one unit. With the delays between
 * them, an edge server may be wrong for a minute without failing an archive.
 */
const MAX_WRONG_BODIES = 9;

/** Doubles from one second, half of it jitter: nine bodies take 63 to 127 s. */
const FIRST_WRONG_BODY_DELAY_MS = 1_000;
const MAX_WRONG_BODY_DELAY_MS = 32_000;

/**
 * A segment that is damaged or shorter than its duration is kept, with a warning, once the same
 * bytes have been received this many times in a row.
 */
const EQUAL_BODIES_TO_KEEP = 3;

/** After this many segments shorter than their duration, the duration is no longer checked. */
const SHORT_UNITS_TO_BELIEVE = 3;

/** Waits before reading the playlist again for a unit that stays absent. */
const ABSENT_DELAYS_MS = [0, 2_000, 10_000];

/** After this many absent units in a row, further absent units are not retried. */
const ABSENT_IN_A_ROW = 10;

const RETRY_DELAY_MS = 1_000;

export type UnitFetchDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly digests: Digests;
  readonly unitAt: (index: number) => ArchiveUnit;
  readonly request: (
    unit: ArchiveUnit,
    signal: AbortSignal,
    onSize: (sizeBytes: number) => void,
  ) => Promise<UnitBody>;
  readonly giveBack: (body: UnitBody) => void;
  /**
   * Reads the playlist again and puts new names into the plan. `gone`: the VOD no longer exists.
   * @throws the errors in run-outcome.ts
   */
  readonly refreshPlan: () => Promise<"alive" | "gone">;
  /**
   * Called for each response of the source, including errors: it is not silent. `problem` is a
   * sentence about a unit that is fetched again, or null while there is none.
   */
  readonly onAnswer: (problem: string | null) => void;
  /** Called when a unit is absent or its bytes are wrong; the retries may take minutes. */
  readonly onSuspectUnit: () => void;
  readonly onWarning: (message: string) => void;
};

export type UnitFetch = (
  index: number,
  signal: AbortSignal,
  onSize: (sizeBytes: number) => void,
) => Promise<UnitBody | null>;

/**
 * Fetches and checks whole units, with retries by kind of fault. Resolves with null for a unit that
 * is gone for good.
 */
export function createUnitFetch(deps: UnitFetchDeps): UnitFetch {
  const { clock, random } = deps;
  const gate = createSourceGate(clock, random);
  let absentInARow = 0;
  let isVodGone = false;
  let shortUnits = 0;
  /** By the index of the unit, the oldest first. */
  const problems = new Map<number, string>();

  function answered(): void {
    const [oldest = null] = problems.values();
    deps.onAnswer(oldest);
  }

  function arrived(index: number): void {
    if (problems.delete(index)) answered();
  }

  function failed(index: number, unit: ArchiveUnit, faults: number, { message }: UnitFault): void {
    // A single fault is over before anybody reads about it.
    if (faults > 1) problems.set(index, `${unitName(unit)}: ${message}.`);
    answered();
  }

  function doubtAbout(unit: ArchiveUnit, bytes: Uint8Array): string | null {
    return unit.kind === "ts" && shortUnits < SHORT_UNITS_TO_BELIEVE
      ? checkPlayingTime(bytes, unit.durationSec)
      : null;
  }

  return async (index, signal, onSize) => {
    let refusals = 0;
    let wrongBodies = 0;
    let absences = 0;
    let faults = 0;
    let isPlanFresh = false;
    const seen = createSeenBodies(deps.digests);
    for (;;) {
      const unit = deps.unitAt(index);
      const ticket = await gate.enter(signal);
      try {
        const body = await deps.request(unit, signal, onSize);
        gate.succeeded(ticket);
        const damage = checkUnitBytes(unit.kind, body.bytes);
        const fault = damage ?? doubtAbout(unit, body.bytes);
        if (fault === null) {
          absentInARow = 0;
          arrived(index);
          return body;
        }
        if (unit.kind === "ts" && isWholePackets(body.bytes) && (await seen.isSettled(body))) {
          if (damage === null) shortUnits += 1;
          deps.onWarning(`${unitName(unit)} is kept as the source has it, although ${fault}`);
          arrived(index);
          return body;
        }
        deps.giveBack(body);
        throw new UnitFault("corrupt", fault);
      } catch (error) {
        if (!(error instanceof UnitFault)) throw error;
        faults += 1;
        switch (error.kind) {
          case "unavailable":
            failed(index, unit, faults, error);
            gate.failed(ticket, `${unitName(unit)}: ${error.message}.`, error.retryAfterMs);
            refusals += 1;
            if (refusals >= MAX_REFUSALS)
              throw new TryLater("source", `${unitName(unit)}: ${error.message}.`, {
                cause: error,
                retryAfterMs: error.retryAfterMs,
              });
            break;
          case "silent":
            gate.undecided(ticket);
            break;
          case "corrupt":
            gate.succeeded(ticket);
            failed(index, unit, faults, error);
            deps.onSuspectUnit();
            wrongBodies += 1;
            if (wrongBodies >= MAX_WRONG_BODIES)
              throw new ArchiveFailed(
                "source_corrupt",
                `${unitName(unit)} cannot be copied: ${error.message}. It was fetched ${wrongBodies} times.`,
                { cause: error },
              );
            await clock.sleep(wrongBodyDelayMs(wrongBodies, random), signal);
            continue;
          case "absent": {
            gate.succeeded(ticket);
            failed(index, unit, faults, error);
            // A refresh for another unit has already renamed this one.
            if (deps.unitAt(index).url !== unit.url) continue;
            deps.onSuspectUnit();
            const delayMs = ABSENT_DELAYS_MS[absences];
            if (isVodGone || absentInARow >= ABSENT_IN_A_ROW || delayMs === undefined) {
              absentInARow += 1;
              arrived(index);
              return null;
            }
            absences += 1;
            await clock.sleep(delayMs, signal);
            isVodGone = (await deps.refreshPlan()) === "gone";
            continue;
          }
          case "foreign":
            gate.undecided(ticket);
            if (deps.unitAt(index).url !== unit.url) continue;
            if (isPlanFresh)
              throw new ArchiveFailed("source_corrupt", error.message, { cause: error });
            isPlanFresh = true;
            isVodGone = (await deps.refreshPlan()) === "gone";
            continue;
          default:
            error.kind satisfies never;
        }
        await clock.sleep(jitter(random) * RETRY_DELAY_MS, signal);
      }
    }
  };
}

function wrongBodyDelayMs(wrongBodies: number, random: Random): number {
  const ceilingMs = Math.min(
    MAX_WRONG_BODY_DELAY_MS,
    FIRST_WRONG_BODY_DELAY_MS * 2 ** (wrongBodies - 1),
  );
  return ceilingMs * (0.5 + jitter(random) / 2);
}

/** Tells when the same damaged bytes have been received often enough to keep them. */
function createSeenBodies(digests: Digests) {
  let last: string | null = null;
  let equal = 0;
  return {
    async isSettled(body: UnitBody): Promise<boolean> {
      const digest = await digests.sha256(body.bytes);
      equal = digest === last ? equal + 1 : 1;
      last = digest;
      return equal >= EQUAL_BODIES_TO_KEEP;
    },
  };
}

function unitName(unit: ArchiveUnit): string {
  return unit.segment === null ? "An init section" : `Segment ${unit.segment}`;
}
