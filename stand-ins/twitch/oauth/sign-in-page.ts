import { escapeHtml } from "../http/html.ts";
import type { Account } from "./accounts.ts";

export type SignInPage = {
  readonly accounts: readonly Account[];
  readonly avatarUrl: (account: Account) => string;
  /** The fields of the request, sent again with the choice. */
  readonly fields: readonly (readonly [string, string])[];
  readonly scopes: readonly string[];
};

/** Descriptions of the scopes, worded like a consent page. */
const scopeTexts: Readonly<Record<string, string>> = {
  "user:read:email": "View your email address",
  openid: "View your identity",
};

export function renderSignInPage(page: SignInPage): string {
  const hidden = page.fields
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join("");
  const wishes = [
    "View your name, picture and public profile",
    ...page.scopes.map((scope) => scopeTexts[scope] ?? scope),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>Sign in · Twitch stand-in</title>
<style>${styles}</style>
</head>
<body>
<aside class="ribbon" aria-label="What this page is"><strong>Twitch stand-in, not twitch.tv.</strong>
A local server for trying things out. No real account is involved.</aside>
<main>
<header>
<svg viewBox="0 0 48 48" width="48" height="48" aria-hidden="true" focusable="false">
<rect width="48" height="48" rx="12" fill="#9146ff"/>
<path d="M18 10v8m12-8v8M13 18h22v6a11 11 0 0 1-22 0zm11 17v5" fill="none" stroke="#fff"
stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/>
</svg>
<h1>Vodkeep wants to sign you in</h1>
</header>
<section aria-labelledby="wishes">
<h2 id="wishes">It would be able to</h2>
<ul class="wishes">${wishes.map((wish) => `<li>${escapeHtml(wish)}</li>`).join("")}</ul>
</section>
<form method="post" action="/oauth2/authorize">
${hidden}
<h2 id="who">Continue as</h2>
<ul class="accounts" aria-labelledby="who">
${page.accounts.map((account) => renderAccount(account, page.avatarUrl(account))).join("\n")}
</ul>
<button class="deny" type="submit" name="deny" value="1">Deny</button>
</form>
</main>
</body>
</html>
`;
}

function renderAccount(account: Account, avatarUrl: string): string {
  return `<li><button type="submit" name="account" value="${escapeHtml(account.id)}">
<img src="${escapeHtml(avatarUrl)}" alt="" width="44" height="44">
<span class="who"><bdi class="name">${escapeHtml(account.displayName)}</bdi>
<span class="login">@${escapeHtml(account.login)} · id ${escapeHtml(account.id)}</span>
<span class="note">${escapeHtml(account.description)}</span></span>
</button></li>`;
}

/** Text has a contrast of at least 4.5:1 in both schemes; #9146ff on white is 4.6:1. */
const styles = `
:root { --ground: #efeff4; --card: #fff; --text: #18181b; --soft: #53535f; --line: #d3d3d9;
  --brand: #9146ff; --hover: #f5efff; --focus: #5c16c5; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #0e0e10; --card: #18181b; --text: #efeff1; --soft: #b4b4bd; --line: #3a3a41;
    --brand: #a970ff; --hover: #26222e; --focus: #d1b3ff; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); line-height: 1.45;
  font-family: Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.ribbon { margin: 0; padding: .6rem 1rem; text-align: center; background: #5c16c5; color: #fff;
  font-size: .9rem; }
main { width: min(44rem, 100% - 2rem); margin: 2rem auto; padding: clamp(1.25rem, 4vw, 2.25rem);
  background: var(--card); border: 1px solid var(--line); border-radius: 1rem; }
header { display: flex; gap: 1rem; align-items: center; margin-bottom: 1.5rem; }
header svg { flex: none; }
h1 { margin: 0; font-size: clamp(1.25rem, 4vw, 1.6rem); line-height: 1.2; }
h2 { margin: 0 0 .5rem; font-size: .95rem; color: var(--soft); font-weight: 600; }
ul { margin: 0; padding: 0; list-style: none; }
.wishes { margin-bottom: 1.5rem; }
.wishes li { padding-left: 1.4rem; position: relative; }
.wishes li::before { content: "✓"; position: absolute; left: 0; color: var(--brand); }
.accounts { display: grid; gap: .6rem; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
button { font: inherit; color: inherit; cursor: pointer; }
.accounts button { display: flex; gap: .8rem; align-items: center; width: 100%; height: 100%;
  padding: .7rem; text-align: left; background: none; border: 1px solid var(--line);
  border-radius: .7rem; }
.accounts button:hover { background: var(--hover); border-color: var(--brand); }
button:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
.accounts img { border-radius: 50%; flex: none; }
.who { display: grid; min-width: 0; }
.name { font-weight: 700; overflow-wrap: anywhere; }
.login, .note { font-size: .82rem; color: var(--soft); overflow-wrap: anywhere; }
.deny { margin-top: 1.25rem; width: 100%; padding: .75rem; background: none; font-weight: 600;
  border: 1px solid var(--line); border-radius: .7rem; }
.deny:hover { background: var(--hover); }
@media (max-width: 24rem) { .accounts { grid-template-columns: 1fr; } }
`;
