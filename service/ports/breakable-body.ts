/**
 * The same body, `sizeBytes` long, which breaks off with an error when the signal aborts: also while
 * nobody reads. It costs a stored file little or nothing on its way out.
 */
export type MakeBreakable = (
  body: ReadableStream<Uint8Array>,
  sizeBytes: number,
  signal: AbortSignal,
) => BreakableBody;

export type BreakableBody = {
  readonly body: ReadableStream<Uint8Array>;
  /** Resolves when the body is through, was given up by its reader, or broke off. Never rejects. */
  readonly ended: Promise<void>;
};
