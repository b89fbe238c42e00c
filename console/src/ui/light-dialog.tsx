import { useEffect, useRef, type ReactNode } from "react";

/** A modal that Escape and a press outside close. Mount it to open it. */
export function LightDialog({
  label,
  className,
  onClose,
  children,
}: {
  readonly label: string;
  readonly className: string | undefined;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // Escape does the same by keyboard.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      closedby="any"
      onClick={({ target, currentTarget }) => {
        // The backdrop, in browsers without `closedby`: the content covers the dialog itself.
        if (target === currentTarget) onClose();
      }}
      onClose={(event) => {
        // In development, React mounts twice and reopens the dialog at once.
        if (!event.currentTarget.open) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
