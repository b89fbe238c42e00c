import * as z from "zod/mini";
import type { BodyOf } from "#contract/call.ts";
import {
  BUILT_IN_RULE,
  type Rule,
  type RuleChanges,
  ruleChangesSchema,
} from "#contract/channel-rules.ts";
import type { channelDefaultsSchema, updateChannelDefaults } from "#contract/channels.ts";
import { publicProfileSchema } from "#contract/upload.ts";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { batchIf } from "#service/db/batch-if.ts";
import { instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Actor } from "#service/http/route.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { assertSimulated, isSameRetention } from "#service/trash/simulation.ts";
import { judgeVods } from "./judge.ts";
import { startByRules } from "./start.ts";
import { assertReplaces, defaultRule, ruleConflict } from "./rule.ts";

type Defaults = z.infer<typeof channelDefaultsSchema>;

const defaultsRow = z.object({
  rule: jsonText(ruleChangesSchema),
  changedBy: z.nullable(jsonText(publicProfileSchema)),
  changedAt: z.nullable(instantColumn),
  pausedBy: z.nullable(jsonText(publicProfileSchema)),
  pausedAt: z.nullable(instantColumn),
});

export async function readDefaults(database: Database): Promise<Defaults> {
  const [row] = await database.all(sql`
    SELECT d.default_rule AS rule, ${profileOf(sql`a`)} AS changedBy, d.default_rule_changed_at AS changedAt,
      ${profileOf(sql`p`)} AS pausedBy, d.rules_paused_at AS pausedAt
    FROM deployment d LEFT JOIN users a ON a.id = d.default_rule_author_id
      LEFT JOIN users p ON p.id = d.rules_paused_by`);
  const { rule, ...defaults } = defaultsRow.parse(row);
  return { ...defaults, rule: defaultRule(rule) };
}

function profileOf(user: Statement): Statement {
  return sql`CASE WHEN ${user}.id IS NOT NULL THEN json_object('userId', ${user}.id,
    'twitchId', ${user}.id, 'username', ${user}.login, 'displayName', ${user}.display_name,
    'profileImageUrl', ${user}.profile_image_url) END`;
}

/**
 * Changes the default rule, or pauses all rules and all retention. VODs that no person decided are
 * decided again at once: at 100,000 VODs within seconds.
 * @throws {ApiError} conflict (the rule is
 *   not `replaces` or was changed at the same time, or nobody saw what a new retention removes), forbidden (it needs the right to delete uploads)
 */
export async function changeDefaults(
  context: ServiceContext,
  { rule, replaces, paused, simulation }: BodyOf<typeof updateChannelDefaults>,
  actor: Actor,
): Promise<Defaults> {
  const { database, clock } = context.platform;
  const write =
    rule === undefined
      ? (statements: readonly Statement[]) => database.batch(statements)
      : await guardRule(database, sql`(SELECT default_rule FROM deployment)`);
  const before = await readDefaults(database);
  if (rule !== undefined) assertReplaces(replaces, before.rule);
  if (rule !== undefined && !isSameRetention(rule.retention, before.rule.retention))
    await assertSimulated(context, null, rule.retention, simulation, actor.actorId);
  const nowMs = clock.now();
  await write([
    ...(rule === undefined
      ? []
      : recordedChange(
          sql`UPDATE deployment SET default_rule = ${JSON.stringify(changesOf(rule))},
            default_rule_author_id = ${actor.actorId}, default_rule_changed_at = ${nowMs}`,
          nowMs,
          {
            audit: {
              ...actor,
              action: "channels.default",
              before: changesOf(before.rule),
              after: changesOf(rule),
            },
          },
        )),
    ...(paused === undefined
      ? []
      : recordedChange(
          sql`UPDATE deployment SET rules_paused_at = ${paused ? nowMs : null},
              rules_paused_by = ${paused ? actor.actorId : null}
            WHERE (rules_paused_at IS NOT NULL) <> ${paused ? 1 : 0}`,
          nowMs,
          { audit: { ...actor, action: "channels.pause", after: { paused } } },
        )),
  ]);
  if (rule !== undefined) await judgeVods(database, null, nowMs);
  await startByRules(context);
  return await readDefaults(database);
}

/** What differs from the built-in rule, so that its later changes apply to the rest. */
function changesOf(rule: Rule): RuleChanges {
  const builtIn = new Map(
    Object.entries(BUILT_IN_RULE).map(([name, value]) => [name, JSON.stringify(value)]),
  );
  return ruleChangesSchema.parse(
    Object.fromEntries(
      Object.entries(rule).filter(([name, value]) => builtIn.get(name) !== JSON.stringify(value)),
    ),
  );
}

const textRow = z.object({ text: z.nullable(z.string()) });

/**
 * Remembers the text of a rule, which `saved` selects, before it is checked. The returned function
 * runs a batch only if the rule is still the same, so that of two simultaneous changes one is refused.
 * @throws {ApiError} conflict, from that function
 */
export async function guardRule(
  database: Database,
  saved: Statement,
): Promise<(statements: readonly Statement[]) => Promise<void>> {
  const [row] = await database.all(sql`SELECT ${saved} AS text`);
  const { text } = textRow.parse(row);
  return async (statements) => {
    const results = await batchIf(database, sql`${saved} IS ${text}`, statements);
    if (results === null) throw ruleConflict();
  };
}
