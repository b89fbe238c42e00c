import { escapeHtml } from "#stand-ins/twitch/http/html.ts";
import type { ReceivedMail } from "./mail-message.ts";

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 48rem; padding: 0 1rem;
    color: #1c1c22; background: #f6f6f9; }
  h1 { font-size: 1.3rem; } h2 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
  article { background: #fff; border: 1px solid #c4c4cf; border-radius: .5rem; padding: .8rem 1rem; margin: 1rem 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; } .note { color: #55555f; }`;

/** A page with all received mails, newest first. */
export function inboxPage(mails: readonly ReceivedMail[]): string {
  const articles = mails
    .toReversed()
    .map(
      (mail) => `<article><h2>${escapeHtml(mail.subject)}</h2>
        <p class="note">to ${escapeHtml(mail.recipients.join(", "))} from ${escapeHtml(mail.from)},
          ${mail.at.toISOString()}</p>
        <pre>${escapeHtml(mail.text)}</pre></article>`,
    )
    .join("");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="3">
    <title>Mail stand-in</title><style>${STYLE}</style></head><body>
    <h1>Mail stand-in: inbox</h1>
    <p class="note">Every mail the service sends ends here, whomever it is for. Nothing leaves this machine.</p>
    ${articles === "" ? "<p>No mail yet.</p>" : articles}</body></html>`;
}
