import { useMutation } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogError, DialogText } from "./dialog.tsx";
import { TextField } from "./text-field.tsx";

/**
 * Asks for confirmation. The focus is on a field of it or else on the button that changes
 * nothing, so a stray Enter is harmless. If `onConfirm` rejects, the dialog stays open and shows the error.
 */
export function ConfirmDialog({
  title,
  question,
  confirmLabel,
  typed,
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
  /**
   * The name of what is affected, which has to be typed first: for what can't be undone and concerns
   * more than one thing.
   */
  readonly typed?: string | undefined;
  readonly dismissLabel?: string;
  readonly danger?: boolean;
  readonly onConfirm: () => unknown;
  readonly onClose: () => void;
  readonly describeError?: (error: unknown) => string;
  /** Names what is affected. */
  readonly children?: ReactNode;
}) {
  const questionId = useId();
  const [text, setText] = useState("");
  const isTyped = typed === undefined || lettersOf(text) === lettersOf(typed);
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
            disabledReason={isTyped ? undefined : `Type ${typed} first.`}
            onClick={() => mutate()}
          >
            {confirmLabel}
          </Button>
        </>
      }
    >
      <DialogText id={questionId}>{question}</DialogText>
      {children}
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          autoComplete="off"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
      {isError && (
        <DialogError>
          {describeError?.(error) ?? "Something went wrong. Please try again."}
        </DialogError>
      )}
    </Dialog>
  );
}

/** Whatever separates the thousands of a number. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s,.]/g, "");
}
