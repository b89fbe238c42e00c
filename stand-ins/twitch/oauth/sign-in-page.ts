import { escapeHtml, page } from "../../page.ts";
import type { Account } from "./accounts.ts";

/** Descriptions of the scopes, worded like a consent page. */
const scopeTexts: Readonly<Record<string, string>> = {
  "user:read:email": "View your email address",
  openid: "View your identity",
};

/** The page that asks for consent. `fields` are those of the request, sent again with the choice. */
export function renderSignInPage(
  accounts: readonly Account[],
  fields: readonly (readonly [string, string])[],
  scopes: readonly string[],
): string {
  const hidden = fields.map(
    ([name, value]) =>
      `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  const wishes = ["View your name and picture", ...scopes.map((name) => scopeTexts[name] ?? name)];
  return page(
    "Sign in · Twitch stand-in",
    `<h1>Vodkeep wants to sign you in</h1>
    <p class="note">Twitch stand-in, not twitch.tv. No real account is involved.</p>
    <h2>It would be able to</h2>
    <ul>${wishes.map((wish) => `<li>${escapeHtml(wish)}</li>`).join("")}</ul>
    <form method="post" action="/oauth2/authorize">${hidden.join("")}
      <h2>Continue as</h2>${accounts.map(renderAccount).join("")}
      <p><button name="deny" value="1">Deny</button></p></form>`,
  );
}

function renderAccount({ id, login, displayName, description }: Account): string {
  return `<p><button class="account" name="account" value="${escapeHtml(id)}">
<img src="/static/avatars/${escapeHtml(login)}-70x70.svg" alt="" width="44" height="44">
<span><strong><bdi>${escapeHtml(displayName)}</bdi></strong> @${escapeHtml(login)}<br>
${escapeHtml(description)}</span></button></p>`;
}
