import { BrokenInvariant } from "./broken-invariant.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Timeline } from "./timeline.ts";
import type { Trace } from "./trace.ts";

/**
 * One life of a process, from its start to its end. Everything it does outside its own memory
 * passes {@link Life.call}. Once killed, its calls have no effect and no answer, except for those
 * already on their way to another machine, which may still be carried out. While suspended, it
 * gets no answer.
 */
export type Life = {
  /** Unique, e.g. `b3`: the third life of process b. */
  readonly name: string;
  readonly isDead: boolean;
  /** It was suspended or killed. */
  readonly wasDisturbed: boolean;
  call<T>(what: string, way: Way, effect: () => T | Promise<T>): Promise<T>;
  /** Runs `wake` after `delayMs`, later if suspended, never once dead. */
  later(delayMs: number, wake: () => unknown): void;
  kill(): void;
  /** Kills it at its `calls`-th call from now, before or after the effect. */
  killAt(calls: number, isAfterEffect: boolean): void;
  suspend(ms: number): void;
};

/** A port as one life of a process sees it. */
export type Connect<Port> = (life: Life) => Port;

export type Way = {
  readonly delayMs: number;
  /** Time until the answer; set if the effect happens on another machine. */
  readonly answerAfterMs?: number;
};

export type LifeParts = {
  readonly timeline: Timeline;
  readonly dice: SeededDice;
  readonly trace: Trace;
  readonly onDeath: () => void;
};

export function createLife(name: string, { timeline, dice, trace, onDeath }: LifeParts): Life {
  let isDead = false;
  let suspendedUntilMs = 0;
  let death: { calls: number; readonly isAfterEffect: boolean } | null = null;

  function later(delayMs: number, wake: () => unknown): void {
    timeline.at(delayMs, () => {
      if (isDead) return undefined;
      const leftMs = suspendedUntilMs - timeline.monotonic();
      if (leftMs > 0) {
        later(leftMs, wake);
        return undefined;
      }
      return wake();
    });
  }

  function kill(): void {
    if (isDead) return;
    isDead = true;
    trace.add(`${name} killed`);
    onDeath();
  }

  return {
    name,
    get isDead() {
      return isDead;
    },
    get wasDisturbed() {
      return isDead || suspendedUntilMs > 0;
    },
    call(what, { delayMs, answerAfterMs }, effect) {
      if (isDead) return new Promise(() => undefined);
      const isRemote = answerAfterMs !== undefined;
      return new Promise((resolve, reject) => {
        async function carryOut(): Promise<void> {
          if (isDead && !(isRemote && dice.chance(0.5))) return;
          if (death !== null) death.calls -= 1;
          const diesNow = death !== null && death.calls <= 0;
          if (diesNow && death?.isAfterEffect === false) {
            kill();
            return;
          }
          let answer: () => void;
          try {
            const result = await effect();
            trace.add(`${name} ${what}`);
            answer = () => resolve(result);
          } catch (error) {
            if (error instanceof BrokenInvariant) throw error;
            trace.add(`${name} ${what}: ${String(error)}`);
            answer = () => reject(error instanceof Error ? error : new Error(String(error)));
          }
          if (diesNow) kill();
          else if (isRemote) later(answerAfterMs, answer);
          else answer();
        }
        if (isRemote) timeline.at(delayMs, carryOut);
        else later(delayMs, carryOut);
      });
    },
    later,
    kill,
    killAt(calls, isAfterEffect) {
      death = { calls, isAfterEffect };
    },
    suspend(ms) {
      trace.add(`${name} suspended for ${ms} ms`);
      suspendedUntilMs = timeline.monotonic() + ms;
    },
  };
}
