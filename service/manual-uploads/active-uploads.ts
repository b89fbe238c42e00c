import { LeaseLost } from "#service/storage/lease.ts";

/** The uploads that a request or a proof of this process works on, one at a time per upload. */
export type ActiveUploads = {
  has(uploadId: string): boolean;
  /**
   * Interrupts the current turn, if there is one, and begins another. `senderId` is of the user whose
   * request it is; null for a proof.
   */
  begin(uploadId: string, senderId: string | null): Promise<Turn>;
  /** The number of uploads to which a user is sending. */
  countOf(senderId: string): number;
  /** Ends the current turn, if there is one; the bytes received so far are kept. */
  interrupt(uploadId: string): Promise<void>;
  interruptAll(): Promise<void>;
};

/** The time during which a request or a proof works on an upload. */
export type Turn = {
  /** Aborts when the turn has to end. */
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  end(): void;
};

export function createActiveUploads(): ActiveUploads {
  const turns = new Map<
    string,
    { readonly turn: Turn; readonly ended: Promise<void>; readonly senderId: string | null }
  >();

  async function interrupt(uploadId: string): Promise<void> {
    for (let current = turns.get(uploadId); current; current = turns.get(uploadId)) {
      current.turn.abort(new LeaseLost("A newer request continues this upload"));
      await current.ended;
    }
  }

  return {
    has: (uploadId) => turns.has(uploadId),
    async begin(uploadId, senderId) {
      // No await between the last check and the entry, so that two calls cannot both pass.
      while (turns.has(uploadId)) await interrupt(uploadId);
      const control = new AbortController();
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const turn: Turn = {
        signal: control.signal,
        abort: (reason) => control.abort(reason),
        end() {
          turns.delete(uploadId);
          resolve();
        },
      };
      turns.set(uploadId, { turn, ended, senderId });
      return turn;
    },
    countOf: (senderId) =>
      [...turns.values()].filter((current) => current.senderId === senderId).length,
    interrupt,
    async interruptAll() {
      await Promise.all([...turns.keys()].map(interrupt));
    },
  };
}
