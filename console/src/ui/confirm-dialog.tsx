import { useMutation } from "@tanstack/react-query";
import { useId, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogError, DialogText } from "./dialog.tsx";

/**
 * Asks for confirmation. The focus is on a field of it or else on the button that changes
 * nothing, so a stray Enter is harmless. If `onConfirm` rejects, the dialog stays open and shows the error.
 */
export function ConfirmDialog({
  title,
  question,
  confirmLabel,
  confirmDisabledReason,
  dismissLabel = "Cancel",
  danger = false,
  onConfirm,
  onClose,
  describeError,
  children,
}: {
  readonly title: string;
  /** The fixed sentence (docs/console.md#words). */
  readonly question: string;
  readonly confirmLabel: string;
  /** What is missing before it can be confirmed. */
  readonly confirmDisabledReason?: string | undefined;
  readonly dismissLabel?: string;
  readonly danger?: boolean;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
  readonly describeError?: (error: unknown) => string;
  /** Names what is affected. */
  readonly children?: ReactNode;
}) {
  const questionId = useId();
  const { mutate, isPending, isError, error } = useMutation({
    mutationFn: async () => onConfirm(),
    onSuccess: onClose,
    networkMode: "always",
  });
  return (
    <Dialog
      title={title}
      dismissible={!isPending}
      describedBy={questionId}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={isPending} data-autofocus="">
            {dismissLabel}
          </Button>
          <Button
            kind={danger ? "danger" : "primary"}
            busy={isPending}
            disabledReason={confirmDisabledReason}
            onClick={() => mutate()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <DialogText id={questionId}>{question}</DialogText>
      {children}
      {isError && (
        <DialogError>
          {describeError?.(error) ?? "Something went wrong. Please try again."}
        </DialogError>
      )}
    </Dialog>
  );
}
