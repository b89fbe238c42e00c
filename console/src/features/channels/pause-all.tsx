import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import type { readChannelDefaults } from "#contract/channels.ts";
import { useMissingPermission } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Switch } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { DateTime } from "#console/ui/time.tsx";
import { useChannelActions } from "./channel-actions.ts";

type Defaults = DataOf<typeof readChannelDefaults>;

/** Asks before it pauses. */
export function PauseAllSwitch({
  defaults,
  isAsked,
  onAnswered,
}: {
  readonly defaults: Defaults | undefined;
  /** The question is open without a press, until it is answered. */
  readonly isAsked: boolean;
  readonly onAnswered: () => void;
}) {
  const { pauseAll } = useChannelActions();
  const [asks, setAsks] = useState(false);
  const writeMissing = useMissingPermission("write:uploads");
  return (
    <>
      <Switch
        label="Pause all rules"
        checked={typeof defaults?.pausedAt === "string"}
        disabled={defaults === undefined || writeMissing !== undefined || pauseAll.isPending}
        onChange={(paused) => (paused ? setAsks(true) : pauseAll.mutate(false))}
      />
      {(asks || (isAsked && defaults?.pausedAt === null && writeMissing === undefined)) && (
        <ConfirmDialog
          title="Pause all rules"
          question="No VOD is archived by a rule, and no file is removed by retention, until the rules are resumed. Meanwhile the source may delete VODs. Archives that run go on."
          confirmLabel="Pause all rules"
          onConfirm={() => pauseAll.mutateAsync(true)}
          onClose={() => {
            setAsks(false);
            onAnswered();
          }}
        />
      )}
    </>
  );
}

export function AllPausedBanner({ defaults }: { readonly defaults: Defaults | undefined }) {
  const { pauseAll } = useChannelActions();
  const disabledReason = useMissingPermission("write:uploads");
  if (defaults === undefined || defaults.pausedAt === null) return null;
  const { pausedAt, pausedBy } = defaults;
  return (
    <Banner
      tone="warn"
      actions={
        <Button
          disabledReason={disabledReason}
          busy={pauseAll.isPending}
          onClick={() => pauseAll.mutate(false)}
        >
          Resume
        </Button>
      }
    >
      All rules and all retention are paused since <DateTime at={pausedAt} />
      {pausedBy !== null && ` by ${visibleText(pausedBy.displayName)}`}. Nothing is archived or
      removed by a rule.
    </Banner>
  );
}
