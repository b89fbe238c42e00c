import { Link } from "@tanstack/react-router";
import { AgreeForOwnChannel } from "#console/domain/consent/own-channel.tsx";
import { useIsOwnChannel } from "#console/lib/session.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Table } from "#console/ui/list/table.tsx";
import type { Outcome } from "./add-channels.ts";

type Group = {
  readonly name: string;
  readonly tone: Tone;
  readonly holds: (outcome: Outcome) => boolean;
};

/** What needs attention first. */
const GROUPS: readonly Group[] = [
  { name: "Not found", tone: "bad", holds: ({ result }) => result === "unknown" },
  { name: "Not a name", tone: "bad", holds: ({ result }) => result === "invalid" },
  { name: "No answer", tone: "bad", holds: ({ result }) => result === "unanswered" },
  { name: "Not sent", tone: "neutral", holds: ({ result }) => result === "not_sent" },
  {
    name: "Added, waits for consent",
    tone: "warn",
    holds: (outcome) => outcome.result === "added" && outcome.hasBasis === false,
  },
  { name: "Added", tone: "good", holds: ({ result }) => result === "added" },
  { name: "Added before", tone: "neutral", holds: ({ result }) => result === "already_added" },
];

const COLUMNS = [
  { id: "name", header: "Name" },
  { id: "result", header: "Result" },
];

/** A result for each name, by kind of result. */
export function AddedChannels({
  outcomes,
  total,
}: {
  readonly outcomes: readonly Outcome[];
  readonly total: number;
}) {
  const isOwnChannel = useIsOwnChannel();
  const byGroup = Map.groupBy(outcomes, (outcome) => GROUPS.find(({ holds }) => holds(outcome)));
  const groups = GROUPS.flatMap((group) => {
    const members = byGroup.get(group) ?? [];
    return members.length === 0 ? [] : [{ group, members }];
  });
  return (
    <>
      <p role="status">
        {[
          outcomes.length < total && `${formatCount(outcomes.length)} of ${formatCount(total)}`,
          ...groups.map(({ group, members }) => `${group.name}: ${formatCount(members.length)}`),
        ]
          .filter(Boolean)
          .join(" · ")}
      </p>
      {groups.length > 0 && (
        <div className="framed">
          <Table caption="Results" columns={COLUMNS} stacked>
            {groups.flatMap(({ group, members }) =>
              members.map((outcome) => (
                <tr key={outcome.name}>
                  <td className="anywhere" data-phone="title">
                    <Named outcome={outcome} />
                  </td>
                  <td data-phone="line">
                    <span className="wrap">
                      <Badge tone={group.tone}>{group.name}</Badge>
                      {"hasBasis" in outcome &&
                        outcome.hasBasis === false &&
                        isOwnChannel(outcome.channel?.id) && <AgreeForOwnChannel />}
                      {outcome.error !== undefined && (
                        <span className="anywhere">{visibleText(outcome.error)}</span>
                      )}
                    </span>
                  </td>
                </tr>
              )),
            )}
          </Table>
        </div>
      )}
    </>
  );
}

function Named({ outcome }: { readonly outcome: Outcome }) {
  const channel = "channel" in outcome ? outcome.channel : undefined;
  if (channel === undefined) return visibleText(outcome.name);
  return (
    <Link to="/channels/$channelId" params={{ channelId: channel.id }}>
      {visibleText(channel.displayName)}
    </Link>
  );
}
