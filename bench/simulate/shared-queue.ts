import type { LiveEvent, LiveHub } from "#service/ports/live-hub.ts";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";
import type { SeededDice } from "../seeded-dice.ts";
import type { Faults } from "./faults.ts";
import type { Connect } from "./life.ts";
import type { Timeline } from "./timeline.ts";

const LATEST_MS = 20_000;

/**
 * The queue of all processes. Wake-ups get lost, come twice, late and in any order. `deliver` hands
 * one to a process, if one is alive.
 */
export function createSharedQueue(
  timeline: Timeline,
  faults: Faults,
  dice: SeededDice,
  deliver: (message: WakeUp) => void,
): Connect<ResumeQueue> {
  let waiting = 0;

  function post(message: WakeUp, delayMs: number): void {
    if (dice.chance(faults.wakeUpLost)) return;
    waiting += 1;
    timeline.at(delayMs + dice.between(1, dice.chance(0.1) ? LATEST_MS : 500), () => {
      waiting -= 1;
      deliver(message);
    });
  }

  return (life) => ({
    send(message, delayMs = 0) {
      const way = { delayMs: dice.between(1, 20) };
      return life.call(`queue send ${Object.values(message)[0]?.slice(0, 6)}`, way, () => {
        post(message, delayMs);
        if (dice.chance(faults.wakeUpTwice)) post(message, delayMs + dice.between(1, LATEST_MS));
      });
    },
    backlog: async () => ({ count: waiting }),
  });
}

/** The hub of all processes: a reader receives nothing after its process has ended. */
export function createSharedHub(dice: SeededDice): Connect<LiveHub> {
  const readers = new Map<string, Set<(event: LiveEvent) => void>>();
  let lastId = 0;
  return (life) => ({
    publish: (topic, data) =>
      life.call(`publish ${topic}`, { delayMs: dice.between(1, 20) }, () => {
        lastId += 1;
        for (const deliver of readers.get(topic) ?? []) deliver({ id: lastId, data });
      }),
    async subscribe(topic, _lastEventId, deliver) {
      const ofTopic = readers.get(topic) ?? new Set();
      readers.set(topic, ofTopic);
      const reader = (event: LiveEvent) => life.later(dice.between(1, 50), () => deliver(event));
      ofTopic.add(reader);
      return { missed: false, lastId, unsubscribe: () => void ofTopic.delete(reader) };
    },
  });
}
