import type { Channel, NotificationPreferences } from "#contract/notifications.ts";

/** The channels with a provider outside; the browser's list is our own table. */
export type OutsideChannel = Exclude<Channel, "browser">;

/** No send may take longer: a test has to answer before the console's ten seconds are over. */
export const SEND_TIMEOUT_MS = 8_000;

export type OutgoingMessage = {
  /** Unique across deployments, and the same for every attempt, so that a repeat is recognized. */
  readonly deliveryId: string;
  readonly title: string;
  readonly body: string;
  /** Address of the console's page, or null. */
  readonly url: string | null;
};

export type ChannelSender = {
  readonly channel: OutsideChannel;
  readonly label: string;
  /** Why nothing can be sent at all, in words for an operator; null when it can. */
  readonly unavailableReason: string | null;
  /** Where this person is reached; null when they have not said. */
  addressOf(preferences: NotificationPreferences): string | null;
  /** What someone without an address has to do. */
  readonly addressMissing: string;
  /** @throws {DeliveryError} within {@link SEND_TIMEOUT_MS} */
  send(address: string, message: OutgoingMessage): Promise<void>;
};

/**
 * - `refused`: this message to this person will never arrive as things are; trying again is no use.
 * - `try_later`: the provider is down, slow or busy.
 */
export type DeliveryErrorKind = "refused" | "try_later";

/** The message says what to do, in plain words; it never holds a token or a provider's address. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly kind: DeliveryErrorKind;
  /** The provider asked for silence this long, for all messages. */
  readonly retryAfterMs: number | null;

  constructor(kind: DeliveryErrorKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
