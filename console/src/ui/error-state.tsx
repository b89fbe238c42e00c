import { RotateCw } from "lucide-react";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";

/** What failed and why, with a retry button. */
export function ErrorState({
  title,
  message,
  detail,
  onRetry,
  retrying = false,
}: {
  readonly title: string;
  readonly message?: string | undefined;
  /** The service's message, where `message` is fixed. */
  readonly detail?: string;
  readonly onRetry: () => void;
  readonly retrying?: boolean;
}) {
  return (
    <EmptyState
      isError
      title={title}
      hint={message}
      detail={detail}
      action={
        <Button icon={<RotateCw />} onClick={onRetry} busy={retrying}>
          Retry
        </Button>
      }
    />
  );
}
