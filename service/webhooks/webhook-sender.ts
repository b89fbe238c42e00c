import * as z from "zod/mini";
import { webhookSchema } from "#contract/webhooks.ts";
import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import { RefusedAddressError } from "#service/ports/outgoing-fetch.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { parseWebhookUrl } from "./webhook-address.ts";
import { composeWebhook, type WebhookEvent } from "./webhook-message.ts";

/** A row of the table; addresses and secrets are encrypted. */
export const webhookTarget = z.extend(z.pick(webhookSchema, { id: true, format: true }), {
  url: z.string(),
  secret: z.nullable(z.string()),
  previous_secret: z.nullable(z.string()),
  previous_until: z.nullable(z.number()),
});
export type WebhookTarget = z.infer<typeof webhookTarget>;

export type WebhookAttempt = {
  readonly isDelivered: boolean;
  /** True if no further attempt can succeed until somebody changes the webhook. */
  readonly isGone: boolean;
  /** True if the answer is about this event, so that a later one may be accepted. */
  readonly isRefused: boolean;
  /** What happened, as a sentence without the address. */
  readonly result: string;
  readonly status: number | null;
  readonly answer: string;
  readonly retryAfterMs: number | null;
};

export type WebhookSender = {
  /** Never throws for what the receiver does. */
  send(target: WebhookTarget, event: WebhookEvent, timeoutMs: number): Promise<WebhookAttempt>;
};

/**
 * Bad content, too large, of the wrong type, unprocessable (RFC 9110, section 15.5). The others of
 * 4xx are about the address, the access or the moment; Apprise answers 424 while its service is down.
 */
const REFUSES_EVENT: readonly number[] = [400, 413, 415, 422];

const MAX_ANSWER_LENGTH = 500;
const MAX_ANSWER_BYTES = 4 * MAX_ANSWER_LENGTH;

export function createWebhookSender(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  cipher: SecretCipher,
): WebhookSender {
  async function open(target: WebhookTarget) {
    const read = async (text: string) => (await cipher.decrypt(text, target.id))?.text ?? null;
    const url = await read(target.url);
    const isRotating =
      target.previous_until !== null && target.previous_until > platform.clock.now();
    const texts = [target.secret, isRotating ? target.previous_secret : null];
    const secrets = await Promise.all(texts.filter((text) => text !== null).map(read));
    const known = secrets.filter((secret) => secret !== null);
    return url === null || known.length < secrets.length
      ? null
      : { format: target.format, url, secrets: known };
  }

  return {
    async send(target, event, timeoutMs) {
      const opened = await open(target);
      if (opened === null)
        return failedAttempt(
          "SECRET_KEY was replaced, and what it encrypted can no longer be read. Make the webhook again.",
          { isGone: true },
        );
      const request = await composeWebhook(opened, event, platform.clock.now(), settings);
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        parseWebhookUrl(request.url, settings.WEBHOOK_HOSTS);
        const response = await platform.webhookFetch(request.url, {
          method: "POST",
          headers: request.headers,
          body: request.body,
          signal,
        });
        const { status, headers } = response;
        return {
          isDelivered: status >= 200 && status < 300,
          isGone: status === 410,
          isRefused: REFUSES_EVENT.includes(status),
          result: describeStatus(status),
          status,
          answer: await readAnswer(response),
          retryAfterMs: readRetryAfterMs(headers, platform.clock.now()),
        };
      } catch (error) {
        if (signal.aborted)
          return failedAttempt(`The receiver did not answer within ${timeoutMs / 1_000} s.`);
        return failedAttempt(describeError(error));
      }
    },
  };
}

const codedError = z.object({ code: z.string() });

function failedAttempt(result: string, { isGone = false } = {}): WebhookAttempt {
  return {
    isDelivered: false,
    isGone,
    isRefused: false,
    result,
    status: null,
    answer: "",
    retryAfterMs: null,
  };
}

async function readAnswer({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  try {
    // Leaving the loop cancels the rest.
    for await (const chunk of body ?? []) {
      sizeBytes += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
      if (sizeBytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status is what counts.
  }
  return text.slice(0, MAX_ANSWER_LENGTH).toWellFormed();
}

function describeStatus(status: number): string {
  const by = `(HTTP ${status})`;
  if (status < 300) return `The receiver accepted the event ${by}.`;
  if (status < 400)
    return `The receiver redirects ${by}, which is not followed. Enter the final address.`;
  if (status === 401 || status === 403)
    return `The receiver refuses access ${by}. Check the address and the token in it.`;
  if (status === 404) return `The receiver knows no such address ${by}.`;
  if (status === 410) return `The receiver says that this address is gone ${by}.`;
  if (status === 429) return `The receiver asks to wait ${by}.`;
  if (status < 500) return `The receiver does not accept the event ${by}.`;
  return `The receiver failed ${by}.`;
}

function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof RefusedAddressError) return `That address ${cause.message}.`;
  const code = codedError.safeParse(cause).data?.code;
  if (code === "ENOTFOUND") return "DNS does not know the host's name.";
  return `The receiver cannot be reached (${code ?? "no connection"}).`;
}
