import { useQuery, useQueryClient } from "@tanstack/react-query";
import { RotateCw } from "lucide-react";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import { uploadWork } from "#contract/uploads.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { Button, type ButtonProps } from "#console/ui/button.tsx";
import { lazyDialog } from "#console/ui/dialog.tsx";

const RestartDialog = lazyDialog(async () => (await import("./later-parts.ts")).RestartDialog);

/** Asks first while uploads run, and when that can't be learned. */
export function RestartButton({
  isAsked,
  onAnswered,
  onRestart,
  ...button
}: Pick<ButtonProps, "disabledReason" | "busy"> & {
  /** The question is open without a press, whatever runs. */
  readonly isAsked: boolean;
  readonly onAnswered: () => void;
  readonly onRestart: () => void;
}) {
  const queryClient = useQueryClient();
  const asked = useQuery({ ...callQuery(uploadWork), staleTime: 0, enabled: isAsked });
  /** Undefined until asked, null if unknown. */
  const [work, setWork] = useState<DataOf<typeof uploadWork> | null>();
  async function ask(): Promise<void> {
    const query = { ...callQuery(uploadWork), staleTime: 0 };
    const found = await queryClient.fetchQuery(query).catch(() => null);
    if (found?.running === 0) onRestart();
    else setWork(found);
  }
  return (
    <>
      <Button {...button} icon={<RotateCw />} onClick={() => void ask()}>
        Restart Workers
      </Button>
      {work !== undefined && (
        <RestartDialog work={work} onRestart={onRestart} onClose={() => setWork(undefined)} />
      )}
      {isAsked && !asked.isFetching && (
        <RestartDialog work={asked.data ?? null} onRestart={onRestart} onClose={onAnswered} />
      )}
    </>
  );
}
