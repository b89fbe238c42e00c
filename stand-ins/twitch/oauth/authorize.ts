import { idError, redirectAnswer, textAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { readForm } from "../http/request-body.ts";
import { APPLICATION, type World } from "../world.ts";
import { escapeHtml, page } from "#stand-ins/page.ts";
import type { Account } from "./accounts.ts";

/**
 * GET shows the accounts; the page's buttons POST the same fields and an `account` id, or `deny`.
 * Success and denial redirect to the redirect URI as in docs/twitch.md#authorize.
 */
export function answerAuthorize(world: World, exchange: Exchange): Answer {
  const form = readForm(exchange.url, exchange.body);
  const asked = readAuthorizeRequest(world, form);
  if (asked.refusal !== null) return asked.refusal;
  if (exchange.method !== "POST") {
    const fields = [...form].filter(([name]) => name !== "account" && name !== "deny");
    const html = renderSignInPage(world.accounts.all(), fields, asked.scopes);
    return textAnswer(200, "text/html; charset=utf-8", html, {
      "cache-control": "no-store",
      // form-action also applies to the redirect after the form (CSP level 3).
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; " +
        `frame-ancestors 'none'; form-action 'self' ${new URL(asked.redirectUri).origin}`,
      "referrer-policy": "no-referrer",
    });
  }
  if (form.has("deny")) {
    return backTo(asked.redirectUri, {
      error: "access_denied",
      error_description: "The user denied you access",
      state: form.get("state"),
    });
  }
  const account = world.accounts.get(form.get("account") ?? "");
  if (account === null) return idError(400, "no such account in this stand-in");
  const code = world.tokens.issueCode({
    clientId: APPLICATION.clientId,
    accountId: account.id,
    scopes: asked.scopes,
    redirectUri: asked.redirectUri,
    nonce: form.get("nonce"),
  });
  return backTo(asked.redirectUri, {
    code,
    scope: asked.scopes.join(" "),
    state: form.get("state"),
  });
}

type AuthorizeRequest =
  | { readonly refusal: null; readonly redirectUri: string; readonly scopes: readonly string[] }
  | { readonly refusal: Answer };

function readAuthorizeRequest(world: World, form: URLSearchParams): AuthorizeRequest {
  if (form.get("client_id") !== APPLICATION.clientId)
    return { refusal: idError(400, "invalid client") };
  const refuse = (to: string, error: string, error_description: string): AuthorizeRequest => ({
    refusal: backTo(to, { error, error_description, state: form.get("state") }),
  });
  const redirectUri = form.get("redirect_uri") ?? "";
  if (!mayRedirectTo(world, redirectUri)) {
    const registered = world.redirectUris?.[0];
    const message = "Parameter redirect_uri does not match registered URI";
    return registered === undefined
      ? { refusal: idError(400, message) }
      : refuse(registered, "redirect_mismatch", message);
  }
  if (form.get("response_type") !== "code")
    return refuse(redirectUri, "unsupported_response_type", "response type must be code");
  const scopes = (form.get("scope") ?? "").split(" ").filter((scope) => scope !== "");
  const unknown = scopes.find((scope) => !scopeRe.test(scope));
  return unknown === undefined
    ? { refusal: null, redirectUri, scopes }
    : refuse(redirectUri, "invalid_scope", `invalid scope requested: '${unknown}'`);
}

/** `openid`, or Twitch's `resource:verb` and `resource:verb:thing`. */
const scopeRe = /^(?:openid|[a-z_]+:[a-z_]+(?::[a-z_]+)?)$/;

function mayRedirectTo(world: World, redirectUri: string): boolean {
  if (world.redirectUris !== null) return world.redirectUris.includes(redirectUri);
  const url = URL.parse(redirectUri);
  return (
    url !== null &&
    (url.protocol === "http:" || url.protocol === "https:") &&
    ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  );
}

function backTo(redirectUri: string, fields: Readonly<Record<string, string | null>>): Answer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(fields))
    if (value !== null) url.searchParams.set(name, value);
  return redirectAnswer(url.href);
}

/** Descriptions of the scopes, worded like a consent page. */
const scopeTexts: Readonly<Record<string, string>> = {
  "user:read:email": "View your email address",
  openid: "View your identity",
};

/** The page that asks for consent. `fields` are those of the request, sent again with the choice. */
function renderSignInPage(
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

export function renderAccount({ id, login, displayName, description }: Account): string {
  return `<p><button class="account" name="account" value="${escapeHtml(id)}">
<img src="/static/avatars/${escapeHtml(login)}-70x70.svg" alt="" width="44" height="44">
<span><strong><bdi>${escapeHtml(displayName)}</bdi></strong> @${escapeHtml(login)}<br>
${escapeHtml(description)}</span></button></p>`;
}
