import { X } from "lucide-react";
import { useEffect, useId, useRef, type ReactNode } from "react";
import { IconButton } from "./button.tsx";
import { classNames } from "./class-names.ts";
import styles from "./dialog.module.css";

/**
 * A modal on the browser's own dialog element: it traps the focus, makes the rest inert, closes on
 * Escape and gives the focus back. Mount it to open it. What should have the focus first carries
 * `data-autofocus`; otherwise that is the dialog's title.
 */
export function Dialog({
  title,
  shape = "normal",
  dismissible = true,
  onClose,
  footer,
  children,
}: {
  readonly title: ReactNode;
  readonly shape?: "normal" | "wide" | "side";
  /** False while something runs that closing would hide. */
  readonly dismissible?: boolean;
  readonly onClose: () => void;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const opener = document.activeElement;
    element?.showModal();
    element?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      element?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classNames(styles.dialog, shape !== "normal" && styles[shape])}
      aria-labelledby={titleId}
      closedby={dismissible ? "closerequest" : "none"}
      onCancel={(event) => {
        event.preventDefault();
        if (dismissible) onClose();
      }}
    >
      <header className={styles.header}>
        <h2 id={titleId} className={styles.title} tabIndex={-1} data-dialog-title="">
          {title}
        </h2>
        <IconButton label="Close" onClick={onClose} disabled={!dismissible}>
          <X />
        </IconButton>
      </header>
      <div className={styles.body}>{children}</div>
      {footer !== undefined && <footer className={styles.footer}>{footer}</footer>}
    </dialog>
  );
}

/** The description a dialog opens with. */
export function DialogText({ children }: { readonly children: ReactNode }) {
  return <p className={styles.description}>{children}</p>;
}

/** What went wrong in this dialog, said in this dialog. */
export function DialogError({ children }: { readonly children: ReactNode }) {
  return (
    <p className={styles.error} role="alert">
      {children}
    </p>
  );
}

/** The thing a dialog is about, by name and id. */
export function DialogSubject({
  name,
  detail,
}: {
  readonly name: ReactNode;
  readonly detail?: ReactNode;
}) {
  return (
    <p className={styles.subject}>
      <strong>{name}</strong>
      {detail !== undefined && <small>{detail}</small>}
    </p>
  );
}
