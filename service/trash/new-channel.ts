import type { RuleChanges } from "#contract/channel-rules.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/**
 * What a newly followed channel changes of the default rule, as JSON. If it has stored files already, it
 * keeps all of them until somebody sets its retention: nobody has seen which ones would go.
 */
export function changesOfNewChannel(ownerId: Statement, changes: RuleChanges): Statement {
  const json = JSON.stringify(changes);
  const keepsAll = JSON.stringify({ ...changes, retention: { keep: "all" } });
  return sql`iif(coalesce(json_extract(${json}, '$.retention.keep'),
      (SELECT json_extract(default_rule, '$.retention.keep') FROM deployment), 'all') <> 'all'
    AND EXISTS (SELECT 1 FROM files f WHERE f.user_id = ${ownerId} AND f.upload_type = 'twitch'),
    ${keepsAll}, ${json})`;
}
