import { useState } from "react";
import { Button, type ButtonProps } from "#console/ui/button.tsx";
import { ConfirmDialog, type Confirmation } from "#console/ui/confirm-dialog.tsx";

/** A button whose action is confirmed first. */
export function ConfirmButton({
  button,
  isAsked = false,
  onAnswered,
  ...confirmation
}: Confirmation & {
  readonly button: ButtonProps;
  /** The question is open without a press, until it is answered. */
  readonly isAsked?: boolean;
  readonly onAnswered?: () => void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {(isOpen || isAsked) && (
        <ConfirmDialog
          {...confirmation}
          onClose={() => {
            setOpen(false);
            onAnswered?.();
          }}
        />
      )}
    </>
  );
}
