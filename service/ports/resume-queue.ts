/** A hint that an upload may have work to do. Duplicates and losses are normal. */
export type WakeUp = { readonly uploadId: string };

export type ResumeQueue = {
  /** At least once, after about `delayMs`, unless the process ends first. */
  send(message: WakeUp, delayMs?: number): Promise<void>;
  /** Number of waiting messages, including delayed ones; null where it is unknown. */
  backlog(): Promise<{ count: number } | null>;
};
