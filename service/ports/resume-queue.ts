export type UploadWakeUp = { readonly uploadId: string };

/** A hint that an upload, or waiting work of a kind, may be due. Duplicates and losses are normal. */
export type WakeUp = UploadWakeUp | { readonly kind: string };

export type ResumeQueue = {
  /** At least once, after about `delayMs`, unless the process ends first. */
  send(message: WakeUp, delayMs?: number): Promise<void>;
  /** Number of waiting messages, including delayed ones; null where it is unknown. */
  backlog(): Promise<{ count: number } | null>;
};
