import { useMutation } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { DialogText } from "./dialog.tsx";
import { TextField } from "./text-field.tsx";

export type Confirmation = {
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
  readonly describeError?: (error: unknown) => string;
  /** Names what is affected. */
  readonly children?: ReactNode;
};

/**
 * Asks for confirmation. The focus is on a field of it or else on the button that changes
 * nothing, so a stray Enter is harmless. If `onConfirm` rejects, the dialog stays open and shows the error.
 */
export function ConfirmDialog({
  question,
  confirmLabel,
  typed,
  danger = false,
  onConfirm,
  onClose,
  describeError = (error) => messageOf(error, "Something went wrong. Please try again."),
  children,
  ...dialog
}: Confirmation & { readonly onClose: () => void }) {
  const questionId = useId();
  const [text, setText] = useState("");
  const isTyped = typed === undefined || lettersOf(text) === lettersOf(typed);
  const confirm = useMutation({
    mutationFn: async () => onConfirm(),
    onSuccess: onClose,
    networkMode: "always",
  });
  return (
    <ActionDialog
      {...dialog}
      save={confirm}
      label={confirmLabel}
      button={{
        kind: danger ? "danger" : "primary",
        disabledReason: isTyped ? undefined : `Type ${typed} first.`,
      }}
      describedBy={questionId}
      onClose={onClose}
      describeError={describeError}
    >
      <DialogText id={questionId}>{question}</DialogText>
      {children}
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      )}
    </ActionDialog>
  );
}

/** Whatever separates the thousands of a number. */
function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[\s,.]/g, "");
}
