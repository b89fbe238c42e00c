import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { Account } from "../oauth/accounts.ts";
import type { AccessGrant } from "../oauth/token-store.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";

const MAX_USERS = 100;

/** GET /users: by id and login, or the token's owner; unknown ones are omitted. */
export function listUsers(world: World, query: URLSearchParams, access: AccessGrant): Answer {
  const ids = [...new Set(query.getAll("id"))];
  const logins = [...new Set(query.getAll("login"))];
  if (ids.length + logins.length > MAX_USERS)
    return helixError(400, 'The parameters "id" and "login" may not exceed 100 values');
  if (logins.some((login) => !/^[a-z0-9_]+$/i.test(login)))
    return helixError(400, "Invalid login names, emails or IDs in request");
  if (ids.length + logins.length === 0) {
    if (access.accountId === null)
      return helixError(400, "Must provide an ID, Login or OAuth Token");
    ids.push(access.accountId);
  }
  const found = [...ids.map(world.accounts.get), ...logins.map(world.accounts.byLogin)];
  const accounts = new Set(found.filter((account) => account !== null));
  const data = Array.from(accounts, (account) => ({
    id: account.id,
    login: account.login,
    display_name: account.displayName,
    broadcaster_type: account.broadcasterType ?? "",
    profile_image_url: avatarUrl(world, account),
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
  return `${world.addresses().pictures}/static/avatars/${account.login}-300x300.svg`;
}
