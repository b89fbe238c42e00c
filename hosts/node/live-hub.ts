import type { Clock } from "#service/ports/clock.ts";
import type { LiveEvent, LiveHub } from "#service/ports/live-hub.ts";

/** Replayed to readers that reconnect: half a minute at the design limit of 20 events a second. */
const KEPT_EVENTS = 600;

/**
 * Ids of this process start at the clock, so that those of an earlier process count as missed: a
 * process would have to publish a million events a second to reach its successor's ids.
 */
const IDS_PER_MS = 1_000;

type Topic = {
  lastId: number;
  /** The newest, at most {@link KEPT_EVENTS}, oldest first. */
  readonly kept: LiveEvent[];
  readonly readers: Set<(event: LiveEvent) => void>;
};

/** Publish and subscribe inside one process; all calls take effect immediately. */
export function createLiveHub(clock: Clock): LiveHub {
  const firstId = clock.now() * IDS_PER_MS;
  const topics = new Map<string, Topic>();

  function topicOf(name: string): Topic {
    const known = topics.get(name);
    if (known !== undefined) return known;
    const topic = { lastId: firstId, kept: [], readers: new Set<(event: LiveEvent) => void>() };
    topics.set(name, topic);
    return topic;
  }

  return {
    async publish(name, data) {
      const topic = topicOf(name);
      topic.lastId += 1;
      const event = { id: topic.lastId, data };
      topic.kept.push(event);
      if (topic.kept.length > KEPT_EVENTS) topic.kept.shift();
      for (const deliver of topic.readers) deliver(event);
    },

    async subscribe(name, lastEventId, deliver) {
      const topic = topicOf(name);
      const reader = (event: LiveEvent): void => deliver(event);
      const oldestKept = topic.kept[0]?.id ?? topic.lastId + 1;
      const missed =
        lastEventId !== null && (lastEventId < oldestKept - 1 || lastEventId > topic.lastId);
      if (lastEventId !== null && !missed)
        for (const event of topic.kept) if (event.id > lastEventId) reader(event);
      topic.readers.add(reader);
      return {
        missed,
        lastId: topic.lastId,
        unsubscribe: () => {
          topic.readers.delete(reader);
        },
      };
    },
  };
}
