import type { Settings } from "#service/settings.ts";
import type { OutgoingMessage } from "./channel.ts";

/** Telegram accepts 4,096 characters (Bot API, sendMessage); longer text is cut. */
const MAX_MESSAGE_LENGTH = 4_000;

/** RFC 5322 section 2.1.1 limits lines to 998 characters; a subject needs far fewer. */
const MAX_SUBJECT_LENGTH = 200;

/** Names the deployment, e.g. `[PREVIEW]`. Starts every outgoing message. */
export function messagePrefix(settings: Pick<Settings, "ENVIRONMENT">): string {
  return `[${settings.ENVIRONMENT.toUpperCase()}]`;
}

/** Plain text: titles are user input, and nothing in them is interpreted as markup. */
export function messageText(prefix: string, message: OutgoingMessage): string {
  const lines = [`${prefix} ${oneLine(message.title)}`, message.body];
  if (message.url !== null) lines.push("", message.url);
  return shorten(lines.join("\n"), MAX_MESSAGE_LENGTH);
}

/** The same message as HTML for mail. Titles and bodies are user input and are escaped. */
export function messageHtml(prefix: string, message: OutgoingMessage): string {
  const title = `<p><strong>${escapeHtml(`${prefix} ${oneLine(message.title)}`)}</strong></p>`;
  const body = `<p>${escapeHtml(message.body).replaceAll("\n", "<br>")}</p>`;
  const url = message.url === null ? "" : escapeHtml(message.url);
  const link = url === "" ? "" : `<p><a href="${url}">${url}</a></p>`;
  return `<!doctype html><html><body>${title}${body}${link}</body></html>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

export function messageSubject(prefix: string, message: OutgoingMessage): string {
  return shorten(`${prefix} ${oneLine(message.title)}`, MAX_SUBJECT_LENGTH);
}

/** Replaces control characters by spaces, so that a title can never start a header or a line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** Counts UTF-16 code units, as Telegram does, and splits no surrogate pair. */
export function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}
