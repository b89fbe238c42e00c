/** Digests of whole buffers, off the request's thread where the runtime can. Lower-case hex. */
export type Digests = {
  /** Other threads hash shared memory in place; whoever hashes much should hand over such. */
  readonly prefersShared?: boolean;
  sha256(bytes: Uint8Array): Promise<string>;
  md5(bytes: Uint8Array): Promise<string>;
};
