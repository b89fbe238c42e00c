import type { Channel, NotificationPreferences } from "#contract/notifications.ts";

/** Channels with an external provider; the browser's list is a table of this service. */
export type OutsideChannel = Exclude<Channel, "browser">;

/** Upper limit of a send: a test must answer within the console's ten seconds. */
export const SEND_TIMEOUT_MS = 8_000;

export type OutgoingMessage = {
  /**
   * Unique across deployments and the same for every attempt, so that duplicates are recognized.
   */
  readonly deliveryId: string;
  readonly title: string;
  readonly body: string;
  /** Address of the console's page, or null. */
  readonly url: string | null;
};

export type ChannelSender = {
  readonly channel: OutsideChannel;
  readonly label: string;
  /** Why the channel cannot send, as a sentence for an operator; null when it can. */
  readonly unavailableReason: string | null;
  /** The recipient's address on this channel; null when they have set none. */
  addressOf(preferences: NotificationPreferences): string | null;
  /** Tells a user without an address what to do. */
  readonly addressMissing: string;
  /** @throws {DeliveryError} within {@link SEND_TIMEOUT_MS} */
  send(address: string, message: OutgoingMessage): Promise<void>;
};

/**
 * - `refused`: this message will never be accepted; retrying is useless.
 * - `try_later`: the provider is down, slow or busy.
 */
export type DeliveryErrorKind = "refused" | "try_later";

/** The message tells users what to do; it never contains a token or a provider's address. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
  readonly kind: DeliveryErrorKind;
  /** The provider asked to pause all messages for this long. */
  readonly retryAfterMs: number | null;

  constructor(kind: DeliveryErrorKind, message: string, retryAfterMs: number | null = null) {
    super(message);
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
