import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import { findChannels } from "#contract/channel-lookup.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { MAX_CHANNELS_FOUND } from "#contract/limits.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { formatCount, formatPlural, formatUsd } from "#console/lib/format.ts";
import { Select } from "#console/ui/select.tsx";
import { Amount, BACK_OPTIONS, RuleField } from "#console/domain/channels/rule-form.tsx";
import { RULE_FIELDS, type RuleDraft } from "#console/domain/channels/rule-draft.ts";
import { ROUGH } from "#console/domain/channels/vod-words.ts";

type Found = DataOf<typeof findChannels>;
type Vod = Found["channels"][number]["vods"][number];
type BackDraft = RuleDraft["backDays"];

const DAY_MS = 86_400_000;

/** What the named channels have, as far as they are few. */
export function useFoundChannels(names: readonly string[]) {
  return useQuery({
    ...callQuery(findChannels, { body: { names: [...names] } }),
    enabled: names.length > 0 && names.length <= MAX_CHANNELS_FOUND,
    staleTime: 60_000,
  });
}

/** Which of the VODs that exist already are archived, too, and what that would be. */
export function HowFarBack({
  draft,
  error,
  found,
  isMany,
  onChange,
}: {
  readonly draft: BackDraft;
  readonly error: string | undefined;
  readonly found: Found | undefined;
  /** Too many channels to look at. */
  readonly isMany: boolean;
  readonly onChange: (draft: BackDraft) => void;
}) {
  const [nowMs] = useState(() => Date.now());
  const days = draft.from === "days" ? Number(draft.days) : null;
  return (
    <RuleField
      name={RULE_FIELDS.backDays.name}
      error={error}
      note={
        draft.from === "new"
          ? undefined
          : isMany
            ? "Each channel's page then says how many VODs that is."
            : found && amountText(found, days, nowMs)
      }
    >
      <div className="wrap">
        <Select
          label={RULE_FIELDS.backDays.name}
          value={draft.from}
          options={BACK_OPTIONS.map((option) =>
            option.value === "all" && found !== undefined
              ? { ...option, label: `${option.label} (${countText(found, nowMs)})` }
              : option,
          )}
          onChange={(from) => onChange({ ...draft, from })}
        />
        {draft.from === "days" && (
          <Amount
            label="days back"
            value={draft.days}
            isWrong={error !== undefined}
            onChange={(typed) => onChange({ ...draft, days: typed })}
          />
        )}
      </div>
    </RuleField>
  );
}

function countText(found: Found, nowMs: number): string {
  const { vods, hasMore } = takenOf(found, null, nowMs);
  return `${hasMore ? "more than " : ""}${formatCount(vods.length)}`;
}

/** The VODs of the last days, or all if null. A channel may have more than were found. */
function takenOf({ channels }: Found, days: number | null, nowMs: number) {
  const isTaken = ({ recordedAt }: Vod) =>
    days === null || Date.parse(recordedAt) >= nowMs - days * DAY_MS;
  return {
    vods: channels.flatMap(({ vods }) => vods.filter(isTaken)),
    hasMore: channels.some(({ hasMore, vods }) => hasMore && vods.every(isTaken)),
  };
}

/** E.g. "7 VODs, about 7.5 GB, $0.12 a month", or "more than" that. */
function amountText(found: Found, days: number | null, nowMs: number): string {
  const { vods, hasMore } = takenOf(found, days, nowMs);
  const sum = (of: "sizeBytes" | "usdPerMonth") => vods.reduce((all, vod) => all + vod[of], 0);
  const isRough = found.channels.some((channel) => channel.isRough && channel.vods.length > 0);
  return [
    `${hasMore ? "More than " : ""}${formatPlural(vods.length, "VOD")}`,
    `${hasMore ? "more than" : "about"} ${formatBytes(sum("sizeBytes"))}${isRough ? ` (${ROUGH})` : ""}`,
    hasBill() && `${formatUsd(sum("usdPerMonth"))} a month`,
  ]
    .filter(Boolean)
    .join(", ");
}
