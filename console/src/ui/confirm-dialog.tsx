import { useId, useState, type ReactNode } from "react";
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
  readonly dismissLabel?: string;
  readonly danger?: boolean;
  readonly onConfirm: () => Promise<void> | void;
  readonly onClose: () => void;
  readonly describeError?: (error: unknown) => string;
  /** Names what is affected. */
  readonly children?: ReactNode;
}) {
  const questionId = useId();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  async function confirm() {
    setBusy(true);
    setFailure(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      setFailure(describeError?.(error) ?? "Something went wrong. Please try again.");
    } finally {
      setBusy(false);
    }
  }
  return (
    <Dialog
      title={title}
      dismissible={!busy}
      describedBy={questionId}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={busy} data-autofocus="">
            {dismissLabel}
          </Button>
          <Button kind={danger ? "danger" : "primary"} busy={busy} onClick={() => void confirm()}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <DialogText id={questionId}>{question}</DialogText>
      {children}
      {failure !== null && <DialogError>{failure}</DialogError>}
    </Dialog>
  );
}
