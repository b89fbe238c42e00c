import type { Settings } from "#service/settings.ts";
import type { OutgoingMessage } from "./channel.ts";

/** Telegram takes 4,096 characters (Bot API, sendMessage); the rest of a longer text is cut. */
const MAX_MESSAGE_LENGTH = 4_000;

/** RFC 5322 section 2.1.1: lines of at most 998 characters; a subject needs far less. */
const MAX_SUBJECT_LENGTH = 200;

/** Says which deployment speaks, e.g. `[PREVIEW]`. Opens every message that leaves the house. */
export function messagePrefix(settings: Pick<Settings, "ENVIRONMENT">): string {
  return `[${settings.ENVIRONMENT.toUpperCase()}]`;
}

/** Plain text: titles come from strangers, and nothing in them is markup to us. */
export function messageText(prefix: string, message: OutgoingMessage): string {
  const lines = [`${prefix} ${oneLine(message.title)}`, message.body];
  if (message.url !== null) lines.push("", message.url);
  return shorten(lines.join("\n"), MAX_MESSAGE_LENGTH);
}

/** The same message as HTML for mail. Titles and bodies come from strangers and are escaped. */
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

/** Control characters become spaces, so that a title can never begin a header or a line. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ").trim();
}

/** Counts characters as UTF-16 does, which is how Telegram counts, and splits no pair. */
function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).toWellFormed()}…`;
}
