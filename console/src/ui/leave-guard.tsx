import { useBlocker } from "@tanstack/react-router";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** Asks before unsaved changes are lost by navigation or by closing the tab. */
export function LeaveGuard({
  isDirty,
  question,
}: {
  readonly isDirty: boolean;
  readonly question: string;
}) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  if (blocker.status !== "blocked") return null;
  return (
    <ConfirmDialog
      title="Leave without saving?"
      question={question}
      confirmLabel="Leave"
      danger
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    />
  );
}
