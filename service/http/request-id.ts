import { toHex } from "#service/secrets/hex.ts";
import type { Random } from "#service/ports/random.ts";

/** Short enough to pass log redaction, which masks 32 or more hex digits as a token. */
const ID_BYTES = 8;
/** A call for random bytes costs more than the bytes: one per this many ids. */
const IDS_PER_DRAW = 256;

/** Ids that distinguish requests in logs, audit and answers; they are not secret. */
export function createRequestIds(random: Random): () => string {
  let drawn = new Uint8Array();
  let offset = 0;
  return () => {
    if (offset === drawn.length) {
      drawn = Uint8Array.from(random.bytes(ID_BYTES * IDS_PER_DRAW));
      offset = 0;
    }
    offset += ID_BYTES;
    return toHex(drawn.subarray(offset - ID_BYTES, offset));
  };
}
