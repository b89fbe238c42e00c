export type Random = {
  /** Cryptographically strong. */
  bytes(length: number): Uint8Array;
};
