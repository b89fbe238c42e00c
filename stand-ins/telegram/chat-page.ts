import { escapeHtml } from "#stand-ins/twitch/http/html.ts";
import type { Bot } from "./bot-methods.ts";
import type { Person } from "./people.ts";

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 42rem; padding: 0 1rem;
    color: #1c1c22; background: #f6f6f9; }
  h1 { font-size: 1.3rem; } form { display: inline-block; margin: 0 .5rem .5rem 0; }
  button, input { font: inherit; padding: .4rem .8rem; border: 1px solid #8a8a99; border-radius: .4rem; }
  iframe { width: 100%; height: 24rem; border: 1px solid #c4c4cf; border-radius: .5rem; background: #fff; }
  nav a { margin-right: 1rem; } .note { color: #55555f; }
  ol { list-style: none; padding: 0; } li { margin: .5rem 0; padding: .5rem .8rem; border-radius: .5rem;
    max-width: 80%; width: fit-content; white-space: pre-wrap; overflow-wrap: anywhere; }
  .bot { background: #e9e3fb; } .person { background: #e1f0e5; margin-left: auto; }`;

/** A page on which a developer acts as a Telegram user. */
export function chatPage(people: readonly Person[], person: Person, bot: Bot): string {
  const links = people
    .map((each) => `<a href="/?as=${each.id}">${escapeHtml(each.name)}</a>`)
    .join("");
  const button = (action: string, label: string) =>
    `<form method="post" action="/people/${person.id}/${action}"><button>${label}</button></form>`;
  const state = person.hasBlocked
    ? "has blocked the bot"
    : person.hasStarted
      ? "has started the bot"
      : "has not pressed Start yet, so the bot may not write";
  return page(
    "Telegram stand-in",
    `<h1>Telegram stand-in: chat with @${escapeHtml(bot.username)}</h1>
    <nav aria-label="People">${links}</nav>
    <p><strong>${escapeHtml(person.name)}</strong>, user ID <code>${person.id}</code>,
      ${state}.</p>
    <iframe title="Messages" src="/people/${person.id}/messages"></iframe>
    <p>${button("start", "Start")}
      ${person.hasBlocked ? button("unblock", "Unblock bot") : button("block", "Block bot")}</p>
    <form method="post" action="/people/${person.id}/say">
      <label>Message <input name="text" value="/myid" required maxlength="4096"></label>
      <button>Send</button></form>
    <p class="note">This page plays Telegram on your own machine. Nothing leaves it.</p>`,
  );
}

export function messagesPage(person: Person): string {
  const items = person.messages
    .map(({ from, text }) => `<li class="${from}">${escapeHtml(text)}</li>`)
    .join("");
  const list = items === "" ? `<p class="note">No messages yet.</p>` : `<ol>${items}</ol>`;
  return page("Messages", list, `<meta http-equiv="refresh" content="2">`);
}

function page(title: string, body: string, head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8">
    <meta name="viewport" content="width=device-width">${head}
    <title>${title}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}
