import * as z from "zod/mini";
import { MAX_RULE_WORDS, MAX_RULE_WORD_LENGTH } from "./limits.ts";
import { qualitySchema } from "./quality.ts";

/** Twitch's kinds of VODs (Helix, Get Videos): past broadcasts, highlights, uploads. */
export const VOD_KINDS = ["archive", "highlight", "upload"] as const;
export const vodKindSchema = z.enum(VOD_KINDS);
export type VodKind = z.infer<typeof vodKindSchema>;

/** How long a channel's stored VODs are kept before they go to the trash. */
export const retentionSchema = z.discriminatedUnion("keep", [
  z.strictObject({ keep: z.literal("all") }),
  /** Since the broadcast. */
  z.strictObject({ keep: z.literal("days"), days: z.int().check(z.minimum(1), z.maximum(36_500)) }),
  /** The newest of each channel. */
  z.strictObject({
    keep: z.literal("count"),
    count: z.int().check(z.minimum(1), z.maximum(100_000)),
  }),
  /** The newest of each channel, together at most so many bytes. */
  z.strictObject({
    keep: z.literal("bytes"),
    sizeBytes: z.int().check(z.minimum(1_000_000_000), z.maximum(1e15)),
  }),
]);
export type Retention = z.infer<typeof retentionSchema>;

const words = z
  .array(z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_RULE_WORD_LENGTH)))
  .check(z.maxLength(MAX_RULE_WORDS));

/** Which of a channel's VODs are archived, how, and for how long. */
export const ruleSchema = z.strictObject({
  kinds: z.array(vodKindSchema).check(z.minLength(1), z.maxLength(VOD_KINDS.length)),
  /** Null: no limit. */
  minDurationSec: z.nullable(z.int().check(z.minimum(0), z.maximum(604_800))),
  /** The title has to contain one of these as whole words, whatever the case; empty: any title. */
  titleIncludes: words,
  /** The title must contain none of these. */
  titleExcludes: words,
  quality: qualitySchema,
  chat: z.boolean(),
  /** Broadcasts of so many days before the channel was added; 0: new ones only; null: all. */
  backDays: z.nullable(z.int().check(z.minimum(0), z.maximum(36_500))),
  retention: retentionSchema,
});
export type Rule = z.infer<typeof ruleSchema>;

/** What a channel's rule changes of the default rule. */
export const ruleChangesSchema = z.partial(ruleSchema);
export type RuleChanges = z.infer<typeof ruleChangesSchema>;

/** The default rule until an administrator changes it. */
export const BUILT_IN_RULE: Rule = {
  kinds: ["archive"],
  minDurationSec: null,
  titleIncludes: [],
  titleExcludes: [],
  quality: "best",
  chat: true,
  backDays: 0,
  retention: { keep: "all" },
};

/** Why a rule, or a person, leaves a VOD out. */
export const LEFT_OUT_REASONS = [
  "kind",
  "too_short",
  "title_lacks_words",
  "title_has_words",
  "too_old",
  "retention",
  "by_hand",
] as const;
export const leftOutReasonSchema = z.enum(LEFT_OUT_REASONS);
export type LeftOutReason = z.infer<typeof leftOutReasonSchema>;
