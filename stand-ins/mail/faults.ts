import { createPendingFaults, type PendingFaults } from "../pending-faults.ts";

/** Where a session can go wrong. */
export type Stage = "connect" | "greeting" | "from" | "recipient" | "message";

/** How the mail server misbehaves on request. */
export type Fault = {
  readonly stage: Stage;
  /** The answer instead of the usual one, e.g. "550 5.1.1 No such user here". */
  readonly reply?: string;
  readonly delayMs?: number;
  /** The connection is closed without an answer. */
  readonly drop?: boolean;
  /** How often it strikes; absent: until it is cleared. */
  times?: number;
};

export const STAGES: readonly Stage[] = ["connect", "greeting", "from", "recipient", "message"];

export type Faults = PendingFaults<Fault, Stage>;

export function createFaults(): Faults {
  return createPendingFaults<Fault, Stage>((fault, stage) => fault.stage === stage);
}
