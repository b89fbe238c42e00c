/**
 * The same body, of `sizeBytes`, which fails when the signal aborts, even while nobody reads it.
 * Must add little or no cost to sending a stored file.
 */
export type MakeBreakable = (
  body: ReadableStream<Uint8Array>,
  sizeBytes: number,
  signal: AbortSignal,
) => BreakableBody;

export type BreakableBody = {
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the body was read, cancelled or aborted. Never rejects. */
  readonly ended: Promise<void>;
};
