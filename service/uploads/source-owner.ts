import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { SourceOwner } from "#service/source/source.ts";

/** Adds the owner or updates their names; keeps the known picture if Twitch returned none. */
export function upsertOwner(owner: SourceOwner, nowMs: number): Statement {
  return sql`
    INSERT INTO users (id, login, display_name, profile_image_url, created_at)
    VALUES (${owner.id}, ${owner.login}, ${owner.displayName}, ${owner.profileImageUrl}, ${nowMs})
    ON CONFLICT (id) DO UPDATE SET login = excluded.login, display_name = excluded.display_name,
      profile_image_url = coalesce(excluded.profile_image_url, profile_image_url)`;
}
