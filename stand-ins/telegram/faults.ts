import { createPendingFaults, type PendingFaults } from "../pending-faults.ts";

/** How the Bot API misbehaves on request. */
export type Fault = {
  /** The method it concerns, e.g. "sendMessage"; absent: every method. */
  readonly method?: string;
  /** HTTP status of the refusal; absent: the call is only delayed. */
  readonly status?: number;
  readonly description?: string;
  readonly retryAfterSec?: number;
  readonly delayMs?: number;
  /** The connection is closed without an answer. */
  readonly drop?: boolean;
  /** How many calls it spoils; absent: every call until it is cleared. */
  times?: number;
};

export type Faults = PendingFaults<Fault, string>;

export function createFaults(): Faults {
  return createPendingFaults<Fault, string>(
    (fault, method) => fault.method === undefined || fault.method === method,
  );
}
