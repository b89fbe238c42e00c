import { Link } from "@tanstack/react-router";
import type { DataOf } from "#contract/call.ts";
import type { listChannels } from "#contract/channels.ts";
import strip from "#console/domain/uploads/work-strip.module.css";
import { formatCount } from "#console/lib/format.ts";
import { classNames } from "#console/ui/class-names.ts";
import type { ChannelsSearch } from "./channels-search.ts";

type Summary = DataOf<typeof listChannels>["summary"];

type Chip = {
  readonly label: string;
  readonly state?: ChannelsSearch["state"];
  readonly count?: number;
  readonly isBad?: boolean;
};

/** All channels in numbers; each leads to what it counts. */
export function ChannelsSummary({
  summary,
  search,
}: {
  readonly summary: Summary | undefined;
  readonly search: ChannelsSearch;
}) {
  const { channels = 0, live = 0, inDanger = 0, lost = 0, rare = 0 } = summary ?? {};
  const chips: readonly Chip[] = [
    { label: "Channels", count: channels },
    { label: "Live now", state: "live", count: live },
    { label: "VODs in danger", state: "danger", count: inDanger, isBad: inDanger > 0 },
    ...(lost > 0 || search.state === "lost"
      ? [{ label: "VODs lost", state: "lost" as const, count: lost, isBad: lost > 0 }]
      : []),
    { label: "Problems", state: "trouble" },
    { label: "Paused", state: "paused" },
  ];
  return (
    <nav
      className={classNames("wrap small soft", strip.strip)}
      aria-label="Channels by state"
      data-unknown={summary === undefined}
    >
      {chips.map(({ label, state, count, isBad }) => (
        <Link
          key={label}
          to="/channels"
          search={{ ...search, page: undefined, state }}
          aria-current={search.state === state ? "page" : undefined}
          data-bad={isBad}
        >
          {label} {count !== undefined && <b>{formatCount(count)}</b>}
        </Link>
      ))}
      {rare > 0 && (
        <Link
          to="/files"
          search={{ source: "changed" }}
          title="Stored VODs that the source muted, cut or deleted since"
        >
          Rare <b>{formatCount(rare)}</b>
        </Link>
      )}
    </nav>
  );
}
