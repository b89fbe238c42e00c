import { escapeHtml, page } from "../page.ts";
import type { Person } from "./people.ts";

/** A page on which a developer acts as a Telegram user. */
export function chatPage(people: readonly Person[], person: Person, botName: string): string {
  const links = people.map(({ id, name }) => `<a href="/?as=${id}">${escapeHtml(name)}</a>`);
  const button = (action: string, label: string) =>
    `<form method="post" action="/people/${person.id}/${action}"><button>${label}</button></form>`;
  const state = person.hasBlocked
    ? "has blocked the bot"
    : person.hasStarted
      ? "has started the bot"
      : "has not pressed Start yet, so the bot may not write";
  return page(
    "Telegram stand-in",
    `<h1>Telegram stand-in: chat with @${botName}</h1>
    <nav aria-label="People">${links.join("")}</nav>
    <p><strong>${escapeHtml(person.name)}</strong>, user ID <code>${person.id}</code>, ${state}.</p>
    <iframe title="Messages" src="/people/${person.id}/messages"></iframe>
    ${button("start", "Start")}
    ${person.hasBlocked ? button("unblock", "Unblock bot") : button("block", "Block bot")}
    <form method="post" action="/people/${person.id}/say">
      <label>Message <input name="text" value="/myid" required maxlength="4096"></label>
      <button>Send</button></form>
    <p class="note">This page plays Telegram on your own machine. Nothing leaves it.</p>`,
  );
}

export function messagesPage({ messages }: Person): string {
  const items = messages.map(({ from, text }) => `<li class="${from}">${escapeHtml(text)}</li>`);
  const body = items.length === 0 ? "<p>No messages yet.</p>" : `<ol>${items.join("")}</ol>`;
  return page("Messages", body, 2);
}
