import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { Account } from "../oauth/accounts.ts";
import type { AccessGrant } from "../oauth/token-store.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";

const MAX_IDS = 100;

/** GET /users: by id and login, or the token's owner; unknown ones are omitted. */
export function listUsers(world: World, query: URLSearchParams, access: AccessGrant): Answer {
  const ids = query.getAll("id");
  const logins = query.getAll("login");
  if (ids.length + logins.length > MAX_IDS) {
    return helixError(400, 'The parameter "id" and "login" may not exceed 100 values');
  }
  if (ids.length + logins.length === 0) {
    if (access.accountId === null) {
      return helixError(400, "Must provide an ID, Login or OAuth Token");
    }
    ids.push(access.accountId);
  }
  const found = new Map<string, Account>();
  for (const account of [
    ...ids.map((id) => world.accounts.get(id)),
    ...logins.map((login) => world.accounts.byLogin(login)),
  ]) {
    if (account !== null) {
      found.set(account.id, account);
    }
  }
  const data = [...found.values()].map((account) => ({
    id: account.id,
    login: account.login,
    display_name: account.displayName,
    type: "",
    broadcaster_type: "",
    description: account.description,
    profile_image_url: avatarUrl(world, account),
    offline_image_url: "",
    view_count: 0,
    created_at: account.createdAt,
    // Only for the token's owner, with the required scope.
    ...(access.accountId === account.id &&
    access.scopes.includes("user:read:email") &&
    account.email !== null
      ? { email: account.email }
      : {}),
  }));
  return jsonAnswer(200, { data });
}

export function avatarUrl(world: World, account: Account): string {
  return `${world.baseUrl()}/static/avatars/${account.login}-300x300.svg`;
}
