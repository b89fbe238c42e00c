import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { DataOf } from "#contract/call.ts";
import { previewRule } from "#contract/channel-vods.ts";
import type { Rule } from "#contract/channel-rules.ts";
import type { TwitchUserId } from "#contract/ids.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { costFigures } from "#console/lib/deployment.ts";
import { formatCount, formatDate, formatDuration } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Figures } from "#console/ui/figures.tsx";
import { endCellClassName, Table } from "#console/ui/list/table.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import styles from "./rule.module.css";
import { KIND_NAMES, LEFT_OUT_WORDS, ROUGH } from "./vod-words.ts";

const COLUMNS = [
  { id: "vod", header: "VOD" },
  { id: "length", header: "Length", align: "end", width: "6rem" },
  { id: "size", header: "Size (estimate)", align: "end", width: "8rem" },
  { id: "result", header: "Result", width: "14rem" },
] as const;

/** What a rule would take of the VODs seen so far, and what not and why. */
export function RulePreview({
  rule,
  channelId,
}: {
  readonly rule: Rule;
  /** Undefined for all channels without changes of their own. */
  readonly channelId: TwitchUserId | undefined;
}) {
  const preview = useQuery({
    ...callQuery(previewRule, { body: { rule, ...(channelId && { channelId }) } }),
    placeholderData: keepPreviousData,
  });
  return (
    <section
      className="stack gap3"
      aria-label="What this rule would take"
      aria-busy={preview.isFetching}
    >
      <QueryBody query={preview}>
        {({ taken, withoutBasis, leftOut, vods, isListed }) => (
          <>
            {!isListed && (
              <Banner tone="info">
                Not all VODs have been listed yet: more may follow with the next check.
              </Banner>
            )}
            <Figures
              figures={[
                {
                  name: "Taken",
                  value: formatCount(taken.vods),
                  note: [
                    taken.durationSec > 0 && formatDuration(taken.durationSec),
                    withoutBasis > 0 && `${formatCount(withoutBasis)} wait for consent`,
                  ]
                    .filter(Boolean)
                    .join(", "),
                },
                {
                  name: "Size (estimate)",
                  value: formatBytes(taken.sizeBytes),
                  note: taken.isRough && ROUGH,
                },
                ...costFigures({ "Storage per month": taken.usdPerMonth, Copying: taken.copyUsd }),
                {
                  name: "Not archived",
                  value: formatCount(leftOut.reduce((sum, each) => sum + each.vods, 0)),
                  note: leftOut
                    .map((each) => `${formatCount(each.vods)} ${LEFT_OUT_WORDS[each.reason]}`)
                    .join(", "),
                },
              ]}
            />
            {vods.length > 0 && (
              <div className={classNames("framed", styles.rows)}>
                <Table caption="VODs" columns={COLUMNS} stacked>
                  {vods.map((vod) => (
                    <tr key={vod.id}>
                      <td data-phone="line">
                        <VodName vod={vod} withChannel={channelId === undefined} />
                      </td>
                      <td className={endCellClassName} data-label="Length" data-phone="grow">
                        {vod.durationSec === null ? "Unknown" : formatDuration(vod.durationSec)}
                      </td>
                      <td className={endCellClassName} data-label="Size" data-phone="grow">
                        {formatBytes(vod.sizeBytes)}
                      </td>
                      <td data-phone="line">
                        {vod.reason === null ? (
                          <Badge tone={vod.isStored ? "good" : "accent"}>
                            {vod.isStored ? "Stored already" : "Taken"}
                          </Badge>
                        ) : (
                          <Badge>Not archived: {LEFT_OUT_WORDS[vod.reason]}</Badge>
                        )}
                      </td>
                    </tr>
                  ))}
                </Table>
              </div>
            )}
            {taken.vods + leftOut.reduce((sum, each) => sum + each.vods, 0) > vods.length && (
              <p className="note">The newest {formatCount(vods.length)} are listed.</p>
            )}
          </>
        )}
      </QueryBody>
    </section>
  );
}

function VodName({
  vod: { title, channel, kind, recordedAt },
  withChannel,
}: {
  readonly vod: DataOf<typeof previewRule>["vods"][number];
  readonly withChannel: boolean;
}) {
  return (
    <span className="stack gap0 anywhere">
      <span className="strong">{visibleText(title)}</span>
      <span className="note">
        {withChannel && `${visibleText(channel)} · `}
        {KIND_NAMES[kind]} · {formatDate(new Date(recordedAt))}
      </span>
    </span>
  );
}
