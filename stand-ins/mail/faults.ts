import { createPendingFaults, type PendingFaults } from "../pending-faults.ts";

/** The steps of an SMTP session at which a fault can occur. */
export type Stage = "connect" | "greeting" | "from" | "recipient" | "message";

/** A misbehaviour of the mail server, set by a test. */
export type Fault = {
  readonly stage: Stage;
  /** The reply instead of the normal one, for example "550 5.1.1 No such user here". */
  readonly reply?: string;
  readonly delayMs?: number;
  /** Closes the connection without a reply. */
  readonly drop?: boolean;
  /** How often it applies; absent: until it is cleared. */
  times?: number;
};

export type Faults = PendingFaults<Fault, Stage>;

export function createFaults(): Faults {
  return createPendingFaults<Fault, Stage>((fault, stage) => fault.stage === stage);
}
