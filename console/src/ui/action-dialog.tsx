import type { ComponentProps } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Dialog, DialogError } from "./dialog.tsx";

/**
 * A dialog that does one thing: a way out, the action, and its error. It stays open while the
 * action runs, and if it fails. One that is described by a question begins on the way out.
 */
export function ActionDialog({
  save: { mutate, isPending, isError, error },
  label = "Save",
  dismissLabel = "Cancel",
  describeError = messageOf,
  button,
  children,
  ...dialog
}: Omit<ComponentProps<typeof Dialog>, "dismissible" | "footer"> & {
  /** The action, as `useMutation` returns it. */
  readonly save: {
    readonly mutate: () => void;
    readonly isPending: boolean;
    readonly isError: boolean;
    readonly error: unknown;
  };
  readonly label?: string;
  readonly dismissLabel?: string;
  /** Undefined if the error is shown elsewhere. */
  readonly describeError?: (error: unknown) => string | undefined;
  readonly button?: Partial<ButtonProps>;
}) {
  const failure = isError ? describeError(error) : undefined;
  return (
    <Dialog
      {...dialog}
      dismissible={!isPending}
      footer={
        <>
          <Button
            onClick={dialog.onClose}
            disabled={isPending}
            data-autofocus={dialog.describedBy && ""}
          >
            {dismissLabel}
          </Button>
          <Button
            kind="primary"
            busy={isPending}
            disabledReason={undefined}
            onClick={() => mutate()}
            {...button}
          >
            {label}
          </Button>
        </>
      }
    >
      {children}
      {failure !== undefined && <DialogError>{failure}</DialogError>}
    </Dialog>
  );
}
