import type { EventType, Severity } from "#contract/notification-events.ts";
import type { WebhookFormat } from "#contract/webhooks.ts";
import { EVENT_TYPE_INFO } from "#service/notifications/event-types.ts";
import { messagePrefix, oneLine, shorten } from "#service/notifications/message-text.ts";
import type { Settings } from "#service/settings.ts";
import { signWebhook } from "./webhook-signature.ts";

export type WebhookEvent = {
  /** The same for each attempt and each webhook. */
  readonly id: string;
  readonly type: EventType;
  readonly cause: string | null;
  readonly subject: string | null;
  readonly title: string;
  readonly body: string;
  /** A path of the console. */
  readonly link: string | null;
  readonly createdAt: number;
  readonly isTest: boolean;
};

export type WebhookRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Even if JSON escapes each character, a body stays below 20 kB. */
const MAX_TITLE_LENGTH = 300;
const MAX_TEXT_LENGTH = 2_000;

/** Discord, Execute Webhook: `content` has at most 2,000 characters. */
const MAX_DISCORD_LENGTH = 2_000;

/**
 * As JSON. ntfy refuses a message of 4,096 bytes, and a document of more than 8,192, unless its
 * configuration says otherwise (docs.ntfy.sh/publish, "Limitations").
 */
const MAX_NTFY_MESSAGE_BYTES = 4_000;

/** ntfy's priorities, of which 3 is the default (docs.ntfy.sh/publish). */
const NTFY_PRIORITIES: Readonly<Record<Severity, number>> = {
  critical: 5,
  high: 4,
  medium: 3,
  low: 2,
};

const APPRISE_TYPES: Readonly<Record<Severity, string>> = {
  critical: "failure",
  high: "warning",
  medium: "warning",
  low: "info",
};

type Message = {
  readonly event: WebhookEvent;
  readonly severity: Severity;
  readonly environment: string;
  readonly title: string;
  /** The title with the deployment's name. */
  readonly prefixed: string;
  readonly text: string;
  readonly link: string | null;
};

const BODIES: Readonly<Record<WebhookFormat, (message: Message, url: string) => object>> = {
  standard: ({ event, severity, environment, title, text, link }) => ({
    type: event.type,
    timestamp: new Date(event.createdAt).toISOString(),
    data: {
      environment,
      severity,
      cause: event.cause,
      subject: event.subject,
      title,
      body: text,
      url: link,
      isTest: event.isTest,
    },
  }),
  discord: ({ prefixed, text, link }) => ({
    content: discordText(prefixed, text, link),
    allowed_mentions: { parse: [] },
  }),
  ntfy: ({ event, severity, prefixed, text, link }, url) => ({
    topic: splitTopic(url).topic,
    title: prefixed,
    message: shortenForNtfy(text),
    priority: NTFY_PRIORITIES[severity],
    tags: [event.type],
    ...(link === null ? {} : { click: link }),
  }),
  apprise: ({ event, severity, prefixed, text, link }) => ({
    title: prefixed,
    body: link === null ? text : `${text}\n\n${link}`,
    type: event.type === "upload_completed" ? "success" : APPRISE_TYPES[severity],
  }),
};

/**
 * One event as a request of the format.
 * @param webhook.secret of the format `standard`
 */
export async function composeWebhook(
  webhook: { format: WebhookFormat; url: string; secret: string | null },
  event: WebhookEvent,
  atMs: number,
  settings: Pick<Settings, "ENVIRONMENT" | "CONSOLE_URL">,
): Promise<WebhookRequest> {
  const { format, url, secret } = webhook;
  const title = shorten(oneLine(event.title), MAX_TITLE_LENGTH);
  const message = {
    event,
    severity: EVENT_TYPE_INFO[event.type].severity,
    environment: settings.ENVIRONMENT,
    title,
    prefixed: `${messagePrefix(settings)} ${title}`,
    text: shorten(event.body, MAX_TEXT_LENGTH),
    link: event.link === null ? null : settings.CONSOLE_URL[0] + event.link,
  };
  const body = JSON.stringify(BODIES[format](message, url));
  const signature = secret === null ? {} : await signWebhook(event.id, atMs, body, secret);
  return {
    url: format === "ntfy" ? splitTopic(url).server : url,
    headers: { ...signature, "content-type": "application/json" },
    body,
  };
}

/** In these Discord reads no markup, and would show the escapes. */
const ADDRESSES = /(https?:\/\/[^\s<>|`*\\]+)/i;

/** Titles are user input: nothing in them is markup, and links stay whole. */
function discordText(title: string, text: string, link: string | null): string {
  const plain = `${title}\n${text}`
    .split(ADDRESSES)
    .map((piece, index) =>
      index % 2 === 1 ? piece : piece.replaceAll(/[\\*_~`|<>[\]()#-]/g, String.raw`\$&`),
    )
    .join("");
  const end = link === null ? "" : `\n${link}`;
  return shorten(plain, MAX_DISCORD_LENGTH - end.length) + end;
}

function shortenForNtfy(text: string): string {
  let short = text;
  while (new TextEncoder().encode(JSON.stringify(short)).byteLength > MAX_NTFY_MESSAGE_BYTES)
    short = shorten(text, Math.floor(short.length * 0.9));
  return short;
}

/** A topic's address as ntfy shows it, for publishing as JSON: headers carry ASCII only. */
export function splitTopic(address: string): { topic: string; server: string } {
  const url = new URL(address);
  const [, base = "/", topic = ""] = /^(.*\/)([-\w]{1,64})$/.exec(url.pathname) ?? [];
  url.pathname = base;
  return { topic, server: url.href };
}
