import { Link } from "@tanstack/react-router";
import { Archive, ExternalLink, X } from "lucide-react";
import type { ReactNode } from "react";
import type { Vod, VodState } from "#contract/channel-vods.ts";
import type { SourceChange } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatDate, formatDuration, formatPercent } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import type { Column } from "#console/ui/list/data-table.tsx";
import { RowMenu } from "#console/ui/list/row-menu.tsx";
import { Thumbnail } from "#console/ui/thumbnail.tsx";
import { dangerText, isInDanger } from "./channel-words.ts";
import styles from "./channel.module.css";
import { KIND_NAMES, LEFT_OUT_WORDS } from "#console/domain/channels/vod-words.ts";

export const VOD_STATE_LABELS: Readonly<Record<VodState, string>> = {
  stored: "Stored",
  copying: "Copying",
  queued: "Queued",
  failed: "Failed",
  wanted: "Wanted",
  left_out: "Not archived",
  gone: "Gone",
  lost: "Lost",
};

const TONES: Readonly<Record<VodState, Tone>> = {
  stored: "good",
  copying: "info",
  queued: "info",
  failed: "bad",
  wanted: "accent",
  left_out: "neutral",
  gone: "neutral",
  lost: "bad",
};

const CHANGE_WORDS: Readonly<Record<SourceChange["kind"], string>> = {
  gone: "Gone at the source",
  cut: "Cut at the source",
  muted: "Muted at the source",
  longer: "Longer at the source",
};

type Decide = (vod: Vod, decision: "take" | "leave") => void;

export function vodColumns(
  onDecide: Decide,
  writeMissing: string | undefined,
): readonly Column<Vod>[] {
  return [
    {
      id: "vod",
      header: "VOD",
      cell: (vod) => <VodIdentity vod={vod} />,
      phone: "title",
      className: styles.vod,
    },
    {
      id: "broadcast",
      header: "Broadcast",
      cell: ({ recordedAt }) => formatDate(new Date(recordedAt)),
      phone: "grow",
      labelled: true,
      className: "nowrap",
      sort: { by: "recordedAt", first: "desc" },
    },
    {
      id: "length",
      header: "Length",
      align: "end",
      cell: ({ durationSec, isGrowing, sizeBytes, state }) => (
        <span className="stack gap0">
          {durationSec === null ? "Unknown" : formatDuration(durationSec)}
          {isGrowing && <span className="note">still growing</span>}
          <span className="note">
            {state !== "stored" && "about "}
            {formatBytes(sizeBytes)}
          </span>
        </span>
      ),
      phone: "grow",
      labelled: true,
      className: "nowrap",
      sort: { by: "duration", first: "desc" },
    },
    {
      id: "state",
      header: "Archive",
      cell: (vod) => <VodArchive vod={vod} />,
      phone: "line",
    },
    {
      id: "danger",
      header: "At the source",
      cell: (vod) => <AtSource vod={vod} />,
      phone: "line",
      labelled: true,
      sort: { by: "dangerAt", first: "asc" },
    },
    {
      id: "actions",
      header: "Actions",
      cell: (vod) => <VodMenu vod={vod} onDecide={onDecide} writeMissing={writeMissing} />,
      phone: "corner",
    },
  ];
}

function VodIdentity({ vod: { title, kind, upload, state } }: { readonly vod: Vod }) {
  return (
    <div className="row gap3">
      <span className={styles.picture}>
        <Thumbnail uploadId={state === "stored" && upload !== null ? upload.id : null} />
      </span>
      <span className="stack gap0 anywhere">
        <span className="strong">{visibleText(title)}</span>
        <span className="note">{KIND_NAMES[kind]}</span>
      </span>
    </div>
  );
}

/** Its state beside the archive, which leads to the video or the upload. */
function VodArchive({ vod }: { readonly vod: Vod }) {
  const { state, upload, reason, waitsFor, fileKey } = vod;
  const badge = <Badge tone={TONES[state]}>{VOD_STATE_LABELS[state]}</Badge>;
  const note =
    state === "copying" && upload !== null
      ? formatPercent(upload.progress)
      : state === "wanted"
        ? waitsFor && visibleText(waitsFor)
        : state === "left_out" && reason !== null
          ? LEFT_OUT_WORDS[reason]
          : null;
  return (
    <div className="wrap small">
      {badge}
      {note !== null && <span className="note anywhere">{note}</span>}
      {upload !== null &&
        (state === "stored" && fileKey !== null ? (
          <Link to="/watch/$uploadId" params={{ uploadId: upload.id }} className="target">
            Watch
          </Link>
        ) : (
          <Link to="/uploads" search={{ upload: upload.id }} className="target">
            Upload
          </Link>
        ))}
    </div>
  );
}

function AtSource({
  vod: { kind, dangerAt, sourceChange, state },
}: {
  readonly vod: Vod;
}): ReactNode {
  const nowMs = useNow(60_000);
  if (sourceChange !== null)
    return (
      <span className="warn">
        {CHANGE_WORDS[sourceChange.kind]} since {formatDate(new Date(sourceChange.since))}
      </span>
    );
  if (dangerAt !== null)
    return (
      <span className={isInDanger(dangerAt, nowMs) ? "bad strong" : undefined}>
        {kind === "archive" ? dangerText(dangerAt, nowMs) : "Above 100 hours: any of these may go"}
      </span>
    );
  return (
    <span className="faint">
      {state === "gone" || state === "lost" ? "Gone" : state === "stored" ? "There" : "Not known"}
    </span>
  );
}

/** Why a VOD can't be archived by hand; undefined if it can. */
function takingRefusal({ state, upload }: Vod): string | undefined {
  if (state === "gone" || state === "lost") return "The source has it no more.";
  if (upload !== null) return "It has an upload: act on that.";
  return state === "left_out" ? undefined : "It is wanted already.";
}

function VodMenu({
  vod,
  onDecide,
  writeMissing,
}: {
  readonly vod: Vod;
  readonly onDecide: Decide;
  readonly writeMissing: string | undefined;
}) {
  return (
    <RowMenu
      name={visibleText(vod.title)}
      shortcut="row"
      items={[
        {
          label: "Archive",
          icon: <Archive />,
          disabledReason: writeMissing ?? takingRefusal(vod),
          onSelect: () => onDecide(vod, "take"),
        },
        {
          label: "Don't archive",
          icon: <X />,
          disabledReason:
            writeMissing ??
            (vod.state === "wanted" ? undefined : "Only what is wanted and has not begun."),
          onSelect: () => onDecide(vod, "leave"),
        },
        {
          label: "Open at the source",
          icon: <ExternalLink />,
          onSelect: () =>
            void window.open(`https://www.twitch.tv/videos/${vod.id}`, "_blank", "noopener"),
        },
      ]}
    />
  );
}
