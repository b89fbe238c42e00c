import { sql } from "#service/db/sql.ts";
import { planEach } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * What the source says of a person. The only writer of names besides the person's own sign-in
 * (auth/signed-in-user.ts), so that whether the person was erased is asked here.
 */
export type NamedPerson = {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
  readonly profileImageUrl: string | null;
};

/**
 * How the name came here. An erased person's name is stored again only because somebody decided to
 * deal with the channel: an administrator who adds it, invites its owner or archives a VOD of it.
 */
export type NameOrigin = "decided" | "listed" | "manifest";

export function erasedLogin(id: string): string {
  return `erased-${id}`;
}

/** Condition on `users`. */
export const IS_ERASED = sql`users.login = 'erased-' || users.id`;

const MAY_CHANGE: Readonly<Record<NameOrigin, Statement>> = {
  decided: sql`TRUE`,
  listed: sql`NOT ${IS_ERASED}`,
  // Older than what is known.
  manifest: sql`FALSE`,
};

/**
 * Before names are written: has the uploads of those who get another name found by it
 * (uploads/renamed-owners.ts), if `mayChange`, a condition on `users`, holds.
 */
export function planReindexing(
  people: readonly Pick<NamedPerson, "id" | "login" | "displayName">[],
  nowMs: number,
  mayChange = sql`TRUE`,
): Statement {
  const renamed = sql`SELECT users.id AS key
    FROM json_each(${JSON.stringify(people)}) AS named JOIN users ON users.id = named.value ->> 'id'
    WHERE ${mayChange} AND (users.login <> named.value ->> 'login'
      OR users.display_name <> named.value ->> 'displayName')`;
  return planEach("reindex", renamed, nowMs);
}

/** Adds people or updates their names; keeps the known picture where the source has none. */
export function storeNames(
  people: readonly NamedPerson[],
  origin: NameOrigin,
  nowMs: number,
): readonly [Statement, Statement] {
  const stored = sql`
    INSERT INTO users (id, login, display_name, profile_image_url, created_at)
    SELECT value ->> 'id', value ->> 'login', value ->> 'displayName', value ->> 'profileImageUrl',
      ${nowMs} FROM json_each(${JSON.stringify(people)}) WHERE TRUE
    ON CONFLICT (id) DO UPDATE SET login = excluded.login, display_name = excluded.display_name,
      profile_image_url = coalesce(excluded.profile_image_url, users.profile_image_url)
    WHERE ${MAY_CHANGE[origin]} AND (users.login <> excluded.login
      OR users.display_name <> excluded.display_name
      OR coalesce(excluded.profile_image_url, users.profile_image_url) IS NOT users.profile_image_url)`;
  return [planReindexing(people, nowMs, MAY_CHANGE[origin]), stored];
}
