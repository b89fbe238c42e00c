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

/** Apprise API accepts the request then, and tells nobody. */
const APPRISE_WITHOUT_KEY = 204;

const MAX_ANSWER_LENGTH = 500;
const MAX_ANSWER_BYTES = 4 * MAX_ANSWER_LENGTH;
/** The status is known: a body that trickles must not delay the next event. */
const MAX_ANSWER_MS = 2_000;

export function createWebhookSender(
  { platform, settings }: Pick<ServiceContext, "platform" | "settings">,
  cipher: SecretCipher,
): WebhookSender {
  async function open(target: WebhookTarget) {
    const read = async (text: string) => (await cipher.decrypt(text, target.id))?.text ?? null;
    const url = await read(target.url);
    const secret = target.secret === null ? null : await read(target.secret);
    return url === null || (secret === null && target.secret !== null)
      ? null
      : { format: target.format, url, secret };
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
        const hasNoKey = target.format === "apprise" && status === APPRISE_WITHOUT_KEY;
        const retryAfterMs = readRetryAfterMs(headers, platform.clock.now());
        return {
          isDelivered: status >= 200 && status < 300 && !hasNoKey,
          isGone: status === 410,
          isRefused: REFUSES_EVENT.includes(status),
          result: hasNoKey
            ? `Apprise has no configuration for the address's key (HTTP ${status}).`
            : describeStatus(status, retryAfterMs),
          status,
          answer: await readAnswer(response),
          retryAfterMs,
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
  if (body === null) return "";
  const reader = body.getReader();
  // What is read so far is kept: a pending read ends as at the end of the body.
  const end = () => void reader.cancel().catch(() => undefined);
  const limit = AbortSignal.timeout(MAX_ANSWER_MS);
  limit.addEventListener("abort", end);
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  try {
    while (sizeBytes < MAX_ANSWER_BYTES) {
      const { done, value } = await reader.read();
      if (done) break;
      sizeBytes += value.byteLength;
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    // The status is what counts.
  }
  limit.removeEventListener("abort", end);
  end();
  return text.slice(0, MAX_ANSWER_LENGTH).toWellFormed();
}

function describeStatus(status: number, retryAfterMs: number | null): string {
  const by = `(HTTP ${status})`;
  if (status < 300) return `The receiver accepted the event ${by}.`;
  if (status < 400)
    return `The receiver redirects ${by}, which is not followed. Enter the final address.`;
  if (status === 401 || status === 403)
    return `The receiver refuses access ${by}. Check the address and the token in it.`;
  if (status === 404) return `The receiver knows no such address ${by}.`;
  if (status === 410) return `The receiver says that this address is gone ${by}.`;
  const wait =
    retryAfterMs === null ? "" : ` It asks to wait ${Math.ceil(retryAfterMs / 1_000)} s.`;
  if (status === 429) return `The receiver asks for fewer requests ${by}.${wait}`;
  if (REFUSES_EVENT.includes(status)) return `The receiver does not accept the event ${by}.${wait}`;
  if (status < 500) return `The receiver refuses the request ${by}.${wait}`;
  return `The receiver failed ${by}.${wait}`;
}

/** By an error's name, code and message; those of Workers have no code. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND/, "DNS does not know the host's name."],
  [/ECONNREFUSED/, "Nothing listens at the receiver's host and port."],
  [/CERT|UNABLE_TO_/, "The receiver's certificate is not valid for its name, or not trusted."],
  [/_SSL_|EPROTO/, "The receiver does not answer with TLS. Is the address http instead of https?"],
  [/HTTPParserError|HPE_|RangeError/, "The receiver's answer is not HTTP."],
  [
    /UND_ERR_SOCKET|ECONNRESET|EPIPE|connection lost/,
    "The receiver closed the connection without an answer.",
  ],
];

function describeError(error: unknown): string {
  if (error instanceof ApiError) return error.message;
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (cause instanceof RefusedAddressError) return `That address ${cause.message}.`;
  const code = codedError.safeParse(cause).data?.code;
  const fault = FAULTS.find(([pattern]) => pattern.test(`${String(cause)} ${code}`));
  return fault?.[1] ?? `The receiver cannot be reached (${code ?? "no connection"}).`;
}
