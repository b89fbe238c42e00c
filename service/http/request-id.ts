import { toHex } from "#service/auth/session-tokens.ts";
import type { Random } from "#service/ports/random.ts";

/** Short enough that log redaction, which takes 32 hex digits for a token, lets it pass. */
const ID_BYTES = 8;
/** Asking for randomness costs more than the randomness: one request in this many asks. */
const IDS_PER_DRAW = 256;

/** Ids that tell requests apart in logs, audit and answers; they are no secrets. */
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
