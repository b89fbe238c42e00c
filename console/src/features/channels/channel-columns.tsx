import { Link } from "@tanstack/react-router";
import { Pause } from "lucide-react";
import type { ReactNode } from "react";
import type { Channel } from "#contract/channels.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { hasBill } from "#console/lib/deployment.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatCount, formatHours, formatUsd } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import type { Column } from "#console/ui/list/data-table.tsx";
import { Time } from "#console/ui/time.tsx";
import { ChannelMenu } from "./channel-menu.tsx";
import { dangerOf, ruleText } from "./channel-words.ts";
import styles from "./channels.module.css";

export function channelColumns(onRemove: (channel: Channel) => void): readonly Column<Channel>[] {
  return [
    {
      id: "channel",
      header: "Channel",
      cell: (channel) => <ChannelIdentity channel={channel} />,
      phone: "title",
      sort: { by: "name", first: "asc" },
    },
    {
      id: "last-vod",
      header: "Last VOD",
      cell: ({ id, lastVodAt, vods }) => (
        <Lines note={<VodCounts id={id} vods={vods} />}>
          <Time at={lastVodAt} absent="None seen" />
        </Lines>
      ),
      phone: "grow",
      labelled: true,
      sort: { by: "lastVodAt", first: "desc" },
    },
    {
      id: "danger",
      header: "Deleted at Twitch",
      cell: (channel) => <Danger channel={channel} />,
      phone: "grow",
      labelled: true,
      sort: { by: "dangerAt", first: "asc" },
    },
    {
      id: "archived",
      header: "Archived",
      cell: ({ archived: { files, durationSec, sizeBytes, usdPerMonth } }) =>
        files === 0 ? (
          <span className="faint">Nothing yet</span>
        ) : (
          <Lines note={hasBill() && `${formatUsd(usdPerMonth)} a month`}>
            {formatHours(durationSec)} · {formatBytes(sizeBytes)}
          </Lines>
        ),
      phone: "hidden",
      className: styles.figures,
      sort: { by: "size", first: "desc" },
    },
    {
      id: "rule",
      header: "Rule",
      cell: ({ rule, changes }) =>
        Object.keys(changes).length === 0 ? (
          <span className="faint" title={ruleText(rule)}>
            Default
          </span>
        ) : (
          <span className={classNames("anywhere clamped", styles.rule)}>{ruleText(rule)}</span>
        ),
      phone: "hidden",
    },
    {
      id: "checked",
      header: "Last check",
      cell: ({ checkedAt, trouble }) => (
        <div className="stack gap0">
          <Time at={checkedAt} />
          {trouble !== null && (
            <span className={classNames("tiny warn anywhere clamped", styles.trouble)}>
              {visibleText(trouble)}
            </span>
          )}
        </div>
      ),
      phone: "hidden",
      sort: { by: "checkedAt", first: "desc" },
    },
    {
      id: "actions",
      header: "Actions",
      cell: (channel) => <ChannelMenu channel={channel} onRemove={() => onRemove(channel)} />,
      phone: "corner",
    },
  ];
}

function ChannelIdentity({ channel }: { readonly channel: Channel }) {
  const { id, displayName, login, profileImageUrl, live, pausedAt, basis } = channel;
  return (
    <div className={classNames("row gap3", styles.identity)}>
      <Avatar name={displayName} imageUrl={profileImageUrl} size={36} />
      <div className="stack gap0 fill">
        <span className="wrap">
          <Link
            to="/channels/$channelId"
            params={{ channelId: id }}
            className={classNames("nameButton", styles.name)}
            data-shortcut="row"
          >
            {visibleText(displayName)}
          </Link>
          {live !== null && (
            <span className="row gap1 tiny bad" title={visibleText(live.title)}>
              <span className="dot" aria-hidden="true" />
              live
            </span>
          )}
        </span>
        <span className="wrap">
          <span className="note anywhere">@{visibleText(login)}</span>
          {pausedAt !== null && <Badge icon={<Pause />}>Paused</Badge>}
          {basis === null && <Badge tone="warn">Waits for consent</Badge>}
        </span>
      </div>
    </div>
  );
}

/** A value above what belongs to it. */
function Lines({ note, children }: { readonly note: ReactNode; readonly children: ReactNode }) {
  return (
    <div className="stack gap0">
      <span>{children}</span>
      <span className="note">{note}</span>
    </div>
  );
}

function VodCounts({ id, vods }: Pick<Channel, "id" | "vods">) {
  return (
    <>
      {vodsText(vods)}
      {vods.leftOut > 0 && (
        <>
          {" · "}
          <Link to="/channels/$channelId" params={{ channelId: id }} search={{ state: "left_out" }}>
            {formatCount(vods.leftOut)}&nbsp;not archived
          </Link>
        </>
      )}
    </>
  );
}

function vodsText({ stored, waiting, failed, lost }: Channel["vods"]): string {
  const others = [
    [waiting, "waiting"],
    [failed, "failed"],
    [lost, "lost"],
  ] as const;
  return [
    `${formatCount(stored)} stored`,
    ...others.flatMap(([count, word]) =>
      count === 0 ? [] : [`${formatCount(count)}\u00A0${word}`],
    ),
  ].join(" · ");
}

function Danger({ channel }: { readonly channel: Channel }) {
  const nowMs = useNow(60_000);
  const danger = dangerOf(channel, nowMs);
  if (danger === null) return <span className="faint">None</span>;
  return (
    <span className={styles.danger} data-near={danger.isNear}>
      {danger.text}
    </span>
  );
}
