import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Copyable } from "#console/ui/copy-button.tsx";
import { Dialog, DialogText } from "#console/ui/dialog.tsx";

/** A new secret, which is never shown again. */
export function SecretDialog({
  what,
  use,
  secret,
  onClose,
}: {
  readonly what: "secret" | "token";
  readonly use: string;
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={`Copy the ${what} now`}
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <DialogText>{use}</DialogText>
      <p className="row small anywhere">
        <Copyable text={secret} label={what} />
      </p>
      <Banner tone="warn">It is shown only this once.</Banner>
    </Dialog>
  );
}
