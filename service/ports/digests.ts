/** Digests of whole buffers as lower-case hex, computed off the request's thread where possible. */
export type Digests = {
  /** True if other threads can hash shared memory in place: prefer shared buffers for large inputs. */
  readonly prefersShared?: boolean;
  sha256(bytes: Uint8Array): Promise<string>;
  md5(bytes: Uint8Array): Promise<string>;
};
