import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Trash2 } from "lucide-react";
import { useId, useState } from "react";
import type { ObjectKey } from "#contract/files.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { findRoom, type RoomGroup } from "#contract/trash.ts";
import { useFileKeeping } from "#console/domain/files/use-file-keeping.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { ActionDialog } from "#console/ui/action-dialog.tsx";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { Meter } from "#console/ui/progress.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { TextField } from "#console/ui/text-field.tsx";

const GB = 1024 ** 3;
const FIRST_GOAL_GB = "100";

const GROUPS: Readonly<Record<RoomGroup["group"], readonly [name: string, why: string]>> = {
  orphaned: ["Orphaned", "No upload needs them."],
  partial: ["Partial, with a whole copy", "Another file has the whole video."],
  at_source: ["Still at the source", "They can be archived again while Twitch keeps them."],
  unwatched: ["Largest never watched", "Nobody played or downloaded them here."],
};

/** Chooses files for the trash, safest first, until a goal is reached. */
export function MakeRoomDialog({ onClose }: { readonly onClose: () => void }) {
  const found = useQuery({ ...callQuery(findRoom), staleTime: 0 });
  const { trash } = useFileKeeping();
  const [goal, setGoal] = useState(FIRST_GOAL_GB);
  const [chosen, setChosen] = useState<ReadonlySet<ObjectKey>>(new Set());
  const groups = found.data?.groups ?? [];
  const files = groups.flatMap(({ largest }) => largest);
  const goalBytes = Math.max(0, Number(goal.replace(",", ".")) || 0) * GB;
  const chosenBytes = files.reduce(
    (sum, { key, sizeBytes }) => (chosen.has(key) ? sum + sizeBytes : sum),
    0,
  );
  function chooseSafest() {
    const keys = new Set<ObjectKey>();
    let bytes = 0;
    for (const { key, sizeBytes } of files) {
      if (bytes >= goalBytes) break;
      keys.add(key);
      bytes += sizeBytes;
    }
    setChosen(keys);
  }
  const size = formatBytes(chosenBytes);
  const deleteMissing = useMissingPermission("delete:uploads");
  return (
    <ActionDialog
      title="Make room"
      shape="wide"
      save={{ ...trash, mutate: () => trash.mutate([...chosen], { onSuccess: onClose }) }}
      label={chosen.size === 0 ? "Move to Trash" : `Move ${size} to Trash`}
      button={{
        icon: <Trash2 />,
        disabledReason: deleteMissing ?? (chosen.size === 0 ? "Choose files first." : undefined),
      }}
      describeError={() => undefined}
      onClose={onClose}
    >
      <DialogText>
        Files stay in the trash for 14 days and take up room until then, unless you{" "}
        <Link to="/files" search={{ trash: "only" }}>
          empty the trash
        </Link>
        .
      </DialogText>
      <QueryBody query={found}>
        {({ freeBytes }) =>
          groups.length === 0 ? (
            <p role="status">No file may go: all are locked, running, or in use.</p>
          ) : (
            <>
              <div className="wrap gap4">
                <TextField
                  label="Room to make (GB)"
                  inputMode="decimal"
                  hint={freeBytes === null ? undefined : `${formatBytes(freeBytes)} are free now`}
                  value={goal}
                  onChange={({ target }) => setGoal(target.value)}
                />
                <div className="stack fill">
                  <span className="between">
                    <strong role="status">
                      Free {formatBytes(goalBytes)}: {size} chosen
                    </strong>
                    <Button onClick={chooseSafest}>Choose the safest</Button>
                  </span>
                  <Meter
                    label="Chosen of the goal"
                    percent={goalBytes === 0 ? 100 : (chosenBytes / goalBytes) * 100}
                    tone={chosenBytes >= goalBytes ? "good" : "accent"}
                    text={`${size} of ${formatBytes(goalBytes)}`}
                  />
                </div>
              </div>
              <ul className="ruled" aria-label="Files that may go, safest first">
                {groups.map((group) => (
                  <Group key={group.group} group={group} chosen={chosen} onChosen={setChosen} />
                ))}
              </ul>
            </>
          )
        }
      </QueryBody>
    </ActionDialog>
  );
}

function Group({
  group: { group, files, sizeBytes, largest },
  chosen,
  onChosen,
}: {
  readonly group: RoomGroup;
  readonly chosen: ReadonlySet<ObjectKey>;
  readonly onChosen: (chosen: ReadonlySet<ObjectKey>) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const [name, why] = GROUPS[group];
  const keys = largest.map(({ key }) => key);
  const here = keys.filter((key) => chosen.has(key)).length;
  function choose(some: readonly ObjectKey[], isChosen: boolean) {
    const gone = new Set(some);
    const others = [...chosen].filter((key) => !gone.has(key));
    onChosen(new Set(isChosen ? [...others, ...some] : others));
  }
  return (
    <li className="stack">
      <div className="between">
        <Checkbox
          label={
            <span className="stack gap0">
              <strong>
                {name}: {formatPlural(files, "file")}, {formatBytes(sizeBytes)}
              </strong>
              <span className="note">
                {why}
                {files > largest.length &&
                  ` The largest ${formatCount(largest.length)} are listed.`}
              </span>
            </span>
          }
          checked={here === keys.length}
          indeterminate={here > 0 && here < keys.length}
          onChange={(isChosen) => choose(keys, isChosen)}
        />
        <TextButton aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide files" : "Show files"}
        </TextButton>
      </div>
      <ul id={id} hidden={!isOpen} className="small">
        {isOpen &&
          largest.map(({ key, name: title, channel, sizeBytes: bytes }) => (
            <li key={key} className="between">
              <Checkbox
                label={[title, channel ?? ""].filter(Boolean).map(visibleText).join(" · ")}
                checked={chosen.has(key)}
                onChange={(isChosen) => choose([key], isChosen)}
              />
              {formatBytes(bytes)}
            </li>
          ))}
      </ul>
    </li>
  );
}
