/** Numbered events: ids grow by one for each topic as long as the hub lives. */
export type LiveEvent = { readonly id: number; readonly data: string };

/**
 * Publish and subscribe. `data` is encoded once and sent to all. The hub keeps the last few hundred
 * events per topic, so that a reader who lost the connection can catch up.
 */
export type LiveHub = {
  publish(topic: string, data: string): Promise<void>;
  /**
   * Calls `deliver` for every event after `lastEventId` (null: from now on), in order, without
   * gaps or repeats. When events after `lastEventId` are no longer kept, `missed` is true and the
   * reader needs a fresh snapshot.
   */
  subscribe(
    topic: string,
    lastEventId: number | null,
    deliver: (event: LiveEvent) => void,
  ): Promise<{ missed: boolean; lastId: number; unsubscribe: () => void }>;
  /**
   * Acquires one of `places` slots of that name, shared by all processes. Call the returned function
   * to release it; the end of this process does so too. Null when none is free. Absent where one
   * process serves everybody.
   */
  readonly takePlace?: (name: string, places: number) => Promise<(() => void) | null>;
};
