import { useState } from "react";
import { Button, type ButtonProps } from "#console/ui/button.tsx";
import { ConfirmDialog, type Confirmation } from "#console/ui/confirm-dialog.tsx";

/** A button whose action is confirmed first. */
export function ConfirmButton({
  button,
  ...confirmation
}: Confirmation & { readonly button: ButtonProps }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && <ConfirmDialog {...confirmation} onClose={() => setOpen(false)} />}
    </>
  );
}
