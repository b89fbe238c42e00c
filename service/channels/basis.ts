import { sql } from "#service/db/sql.ts";

/** Condition on a channel `c`: its owner's consent is in force. */
export const HAS_CONSENT = sql`EXISTS (SELECT 1 FROM consents k JOIN users ko ON ko.id = k.owner_id
  WHERE k.owner_id = c.owner_id AND k.withdrawn_at IS NULL AND ko.banned_at IS NULL)`;

/**
 * Condition on a channel `c`: archiving it is allowed, by its owner or on the word of the author of
 * its rule. Both can be taken back, so each start checks it.
 */
export const HAS_BASIS = sql`(${HAS_CONSENT} OR EXISTS (SELECT 1 FROM rights_confirmations r
  WHERE r.owner_id = c.owner_id AND r.confirmed_by = c.author_id AND trim(r.reason) <> ''))`;

/** Condition on a channel `c`: the author of its rule may still start uploads. */
export const AUTHOR_MAY_START = sql`EXISTS (SELECT 1 FROM users a WHERE a.id = c.author_id
  AND a.banned_at IS NULL AND instr(a.permissions, '"write:uploads"') > 0)`;
