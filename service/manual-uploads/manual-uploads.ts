import type { ServiceContext } from "#service/context.ts";
import { newLeaseOwner } from "#service/storage/lease.ts";
import { createActiveUploads, type ActiveUploads } from "./active-uploads.ts";
import { createBodyMemory, type BodyMemory } from "./receive/body-memory.ts";

/**
 * What the requests and proofs of manual uploads share in one process.
 *
 * An upload is **pending** until its first byte and then **processing**: while a request sends
 * bytes (tus/append.ts), while it waits for the next one, and while it is being proved (proof.ts).
 * It has **failed** when its client stayed away for a day (sweep.ts) or the store has lost bytes.
 * After a retry the client continues, or the proof is repeated if all bytes were received.
 *
 * A request or proof learns that its upload was cancelled or deleted when it next renews its lease,
 * so that no subscription has to outlive a request.
 */
export type ManualUploads = ServiceContext & {
  /** The name under which this process takes leases. */
  readonly owner: string;
  readonly active: ActiveUploads;
  readonly memory: BodyMemory;
};

export function createManualUploads(context: ServiceContext): ManualUploads {
  const { platform } = context;
  return {
    ...context,
    owner: newLeaseOwner(platform),
    active: createActiveUploads(),
    memory: createBodyMemory(platform.clock, platform.runtime.bodyBufferBytes),
  };
}
