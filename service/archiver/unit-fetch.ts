import type { Clock } from "#service/ports/clock.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { Random } from "#service/ports/random.ts";
import { checkUnitBytes, isText, isWholePackets } from "#service/source/container.ts";
import { checkPlayingTime } from "#service/source/playing-time.ts";
import type { UnitGap } from "#service/storage/checkpoint.ts";
import { ArchiveFailed, TryLater } from "#service/storage/run-end.ts";
import { jitter } from "#service/jitter.ts";
import type { ArchiveUnit } from "./archive-manifest.ts";
import { createDamageWait, type Damage } from "./damage-wait.ts";
import { createSourceGate } from "./source-gate.ts";
import type { UnitBody } from "./unit-body.ts";
import { UnitFault } from "./unit-fault.ts";

/** How often one unit may be unavailable while other units can be fetched. */
const MAX_REFUSALS = 10;

/** After this many segments shorter than their duration, the duration is no longer checked. */
const SHORT_UNITS_TO_BELIEVE = 3;

/** Waits before reading the playlist again for a unit that stays absent. */
const ABSENT_DELAYS_MS = [0, 2_000, 10_000];

/** After this many absent units in a row, further absent units are not retried. */
const ABSENT_IN_A_ROW = 10;

/**
 * After this many wrong bodies, in ten seconds, a unit that would be a gap is passed over until all
 * others are stored (second-look.ts).
 */
const BODIES_IN_TURN = 4;

const RETRY_DELAY_MS = 1_000;

export type UnitFetchDeps = {
  readonly clock: Clock;
  readonly random: Random;
  readonly digests: Digests;
  /** The plan's units; a refresh may rename them. */
  readonly units: readonly ArchiveUnit[];
  readonly request: (
    unit: ArchiveUnit,
    signal: AbortSignal,
    onSize: (sizeBytes: number) => void,
  ) => Promise<UnitBody>;
  /** Whether the media host answers for a unit. */
  readonly isAnswered: (unit: ArchiveUnit, signal: AbortSignal) => Promise<boolean>;
  readonly giveBack: (body: UnitBody) => void;
  /**
   * Reads the playlist again and puts new names into the plan. `gone`: the source no longer has what
   * is being copied.
   * @throws the errors in run-end.ts
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

/** A unit's bytes, or why there are none. */
export type FetchedUnit = UnitBody | UnitGap;

export function isGap(fetched: FetchedUnit): fetched is UnitGap {
  return typeof fetched === "string";
}

/**
 * `isLastLook`: waits until damage is certain. Without it, a damaged unit is a gap for now, because
 * those behind it wait for it.
 */
export type UnitFetch = (
  index: number,
  signal: AbortSignal,
  onSize: (sizeBytes: number) => void,
  isLastLook?: boolean,
) => Promise<FetchedUnit>;

/**
 * Fetches and checks whole units, with retries by kind of fault. A unit is a gap only if the media
 * host answers for another unit; if it answers for none, the copy waits.
 */
export function createUnitFetch(deps: UnitFetchDeps): UnitFetch {
  const { clock, digests, random, units } = deps;
  const gate = createSourceGate(clock, random);
  const inTurn = createDamageWait(clock, random);
  const atLastLook = createDamageWait(clock, random);
  let absentInARow = 0;
  let isGone = false;
  let shortUnits = 0;
  let lastFetched: number | null = null;
  /** By the index of the unit, the oldest first. */
  const problems = new Map<number, string>();

  function answered(): void {
    const [oldest = null] = problems.values();
    deps.onAnswer(oldest);
  }

  function arrived(index: number): void {
    if (problems.delete(index)) answered();
  }

  function failed(index: number, unit: ArchiveUnit, faults: number, fault: UnitFault): void {
    // A single fault is over before anybody reads about it.
    if (faults > 1) problems.set(index, sentence(unit, fault));
    answered();
  }

  function unitAt(index: number): ArchiveUnit {
    const unit = units[index];
    if (unit === undefined) throw new Error(`The plan has no unit ${index}`);
    return unit;
  }

  function doubtAbout(unit: ArchiveUnit, bytes: Uint8Array): string | null {
    return unit.kind === "ts" && shortUnits < SHORT_UNITS_TO_BELIEVE
      ? checkPlayingTime(bytes, unit.durationSec)
      : null;
  }

  /**
   * Whether the media host answers for another unit: the last one fetched, or else, as that may have
   * a new name, one of a few others. If there is none, its answer for the playlist counts.
   */
  async function isAnotherAnswered(index: number, signal: AbortSignal): Promise<boolean> {
    const last = units.length - 1;
    const others = new Set([lastFetched, index - 1, index + 1, 0, last >> 1, last]);
    const asked = [...others].flatMap((other) => {
      const unit = other === null || other === index ? undefined : units[other];
      return unit === undefined || unit.isGap ? [] : [unit];
    });
    for (const unit of asked) {
      const isAnswered = await deps.isAnswered(unit, signal);
      answered();
      if (isAnswered) return true;
    }
    return asked.length === 0;
  }

  return async (index, signal, onSize, isLastLook = false) => {
    let refusals = 0;
    let absences = 0;
    let faults = 0;
    let isPlanFresh = false;
    let isHostProved = false;
    const wrongBodies = isLastLook ? atLastLook() : inTurn();
    for (;;) {
      const unit = unitAt(index);
      const ticket = await gate.enter(signal);
      let damage: Damage | null = null;
      let mayBeKept = false;
      try {
        const body = await deps.request(unit, signal, onSize);
        gate.succeeded(ticket);
        const flaw = checkUnitBytes(unit.kind, body.bytes);
        const fault = flaw ?? doubtAbout(unit, body.bytes);
        if (fault === null) {
          absentInARow = 0;
          lastFetched = index;
          arrived(index);
          return body;
        }
        damage = wrongBodies.add(await digests.sha256(body.bytes));
        mayBeKept = unit.kind === "ts" && isWholePackets(body.bytes);
        if (damage === "lasting" && mayBeKept) {
          if (flaw === null) shortUnits += 1;
          deps.onWarning(`${unitName(unit)} is kept as the source has it, although ${fault}`);
          arrived(index);
          return body;
        }
        const kind = isText(body.bytes) ? "unexpected" : "corrupt";
        deps.giveBack(body);
        throw new UnitFault(kind, fault);
      } catch (error) {
        if (!(error instanceof UnitFault)) throw error;
        faults += 1;
        // The refusal right after the probe counts: the host worked before it.
        const isProvedAbsent = isHostProved;
        isHostProved = false;
        switch (error.kind) {
          case "unavailable":
          case "blocked":
            failed(index, unit, faults, error);
            gate.failed(ticket, sentence(unit, error), error.retryAfterMs);
            refusals += 1;
            if (refusals >= MAX_REFUSALS) throw tryLater(unit, error);
            break;
          case "silent":
            gate.undecided(ticket);
            break;
          case "unexpected":
          case "corrupt": {
            gate.succeeded(ticket);
            failed(index, unit, faults, error);
            deps.onSuspectUnit();
            damage ??= wrongBodies.add(error.message);
            // Bytes in a unit's place are the unit's own fault, unless a unit that was fetched
            // before is no longer answered either.
            const isOwnFault = async () =>
              (error.kind === "corrupt" && lastFetched === null) ||
              (await isAnotherAnswered(index, signal));
            if (damage === "unclear") {
              const isPassedOver =
                !isLastLook &&
                !mayBeKept &&
                unit.kind !== "bytes" &&
                wrongBodies.count === BODIES_IN_TURN &&
                (await isOwnFault());
              if (isPassedOver) {
                arrived(index);
                return "damaged";
              }
              await wrongBodies.wait(signal);
              continue;
            }
            const often = `It was fetched ${wrongBodies.count} times.`;
            // A file with a hole cannot be played, and the hole has no time to name.
            if (unit.kind === "bytes")
              throw new ArchiveFailed("source_corrupt", `${sentence(unit, error)} ${often}`);
            if (damage === "changing" || !(await isOwnFault()))
              throw tryLater(unit, error, ` ${often}`);
            arrived(index);
            return "damaged";
          }
          case "absent": {
            gate.succeeded(ticket);
            failed(index, unit, faults, error);
            // A refresh for another unit has already renamed this one.
            if (unitAt(index).url !== unit.url) continue;
            deps.onSuspectUnit();
            if (isGone || isProvedAbsent) {
              if (unit.kind === "bytes") throw lostFile(isGone, unit, error);
              absentInARow += 1;
              arrived(index);
              return "missing";
            }
            const delayMs = absentInARow < ABSENT_IN_A_ROW ? ABSENT_DELAYS_MS[absences] : undefined;
            if (delayMs === undefined) {
              isHostProved = await isAnotherAnswered(index, signal);
              if (!isHostProved) throw new TryLater("source", refusesAll(unit, error));
              continue;
            }
            absences += 1;
            await clock.sleep(delayMs, signal);
            isGone = (await deps.refreshPlan()) === "gone";
            continue;
          }
          case "foreign":
            gate.undecided(ticket);
            if (unitAt(index).url !== unit.url) continue;
            if (isPlanFresh) throw new TryLater("source", error.message, { cause: error });
            isPlanFresh = true;
            isGone = (await deps.refreshPlan()) === "gone";
            continue;
          default:
            error.kind satisfies never;
        }
        await clock.sleep(jitter(random) * RETRY_DELAY_MS, signal);
      }
    }
  };
}

/** A file is gone when its address is refused as well, and for as long as existence.ts demands. */
function lostFile(isGone: boolean, unit: ArchiveUnit, fault: UnitFault): Error {
  return isGone
    ? new ArchiveFailed("gone_at_source", "The source no longer has the file.", { cause: fault })
    : tryLater(unit, fault);
}

function tryLater(unit: ArchiveUnit, fault: UnitFault, more = ""): TryLater {
  const { retryAfterMs } = fault;
  return new TryLater("source", sentence(unit, fault) + more, { cause: fault, retryAfterMs });
}

function sentence(unit: ArchiveUnit, { kind, message }: UnitFault): string {
  return kind === "blocked" ? message : `${unitName(unit)}: ${message}.`;
}

function refusesAll({ url }: ArchiveUnit, { message }: UnitFault): string {
  return `The media host ${new URL(url).host} refuses every segment of the VOD: ${message}.`;
}

function unitName(unit: ArchiveUnit): string {
  return unit.segment === null ? "An init section" : `Segment ${unit.segment}`;
}
