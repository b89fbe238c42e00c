import { useSelector } from "@tanstack/react-store";
import { X } from "lucide-react";
import { useEffect, useId, useRef, useState, type ComponentType, type ReactNode } from "react";
import { BrokenPart } from "./broken-part.tsx";
import { IconButton } from "./button.tsx";
import { toneStyle } from "./badge.tsx";
import { classNames } from "./class-names.ts";
import styles from "./dialog.module.css";
import { ErrorBoundary } from "./error-boundary.tsx";
import { lazyPart } from "./lazy-part.tsx";
import { Skeleton } from "./skeleton.tsx";
import { toast } from "./toast-store.ts";
import { VisuallyHidden } from "./visually-hidden.tsx";

/**
 * A modal on the browser's own dialog element: it traps the focus, makes the rest inert, closes on
 * Escape and restores the focus. Mount it to open it. `data-autofocus` marks what gets the focus
 * first; the default is the title. If the opener is gone on closing, e.g. a deleted row, the focus
 * goes to the screen's title.
 */
export function Dialog({
  title,
  shape = "normal",
  dismissible = true,
  describedBy,
  onClose,
  footer,
  children,
}: {
  readonly title: ReactNode;
  readonly shape?: "normal" | "wide" | "side";
  /** False during an operation that closing would hide. */
  readonly dismissible?: boolean;
  /** Id of the text that a screen reader reads after the title, e.g. the question. */
  readonly describedBy?: string;
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
      const isThere = opener instanceof HTMLElement && opener.isConnected;
      const next = isThere ? opener : document.querySelector<HTMLElement>("[data-page-title]");
      next?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={classNames(styles.dialog, shape !== "normal" && styles[shape])}
      aria-labelledby={titleId}
      aria-describedby={describedBy}
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
      <div className={classNames("stack gap4", styles.body)}>
        <ErrorBoundary>{children}</ErrorBoundary>
      </div>
      {footer !== undefined && (
        <footer className={classNames("wrap end", styles.footer)}>{footer}</footer>
      )}
      <ToastEcho />
    </dialog>
  );
}

/** A dialog whose script loads by itself. Another one is in its place until then, or if that fails. */
export function lazyDialog<P extends { readonly onClose: () => void }>(
  load: () => Promise<ComponentType<P>>,
  waiting: (props: P) => ReactNode = waitingDialog("normal"),
): ComponentType<P> {
  return lazyPart(load, waiting, (broken, { onClose }) => (
    <Dialog title="Something went wrong" onClose={onClose}>
      <BrokenPart title="This dialog could not be shown" {...broken} />
    </Dialog>
  ));
}

/** In the place of a dialog of this shape, while its script loads. */
export function waitingDialog(shape: "normal" | "side") {
  return ({ onClose }: { readonly onClose: () => void }) => (
    <Dialog title="Loading…" shape={shape} onClose={onClose}>
      <Skeleton width="60%" />
    </Dialog>
  );
}

/** A dialog that closes on success has closed by then; only the toast announces it. */
const ECHO_AFTER_MS = 300;

/**
 * Toasts are outside the dialog, where screen readers do not listen while it is open. A new toast
 * is announced in here if the dialog stays open, and again outside once it has closed.
 */
function ToastEcho() {
  const { shown } = useSelector(toast.store);
  const [before] = useState(shown);
  const [said, setSaid] = useState("");
  const newest = shown.find((message) => !before.includes(message));
  useEffect(() => {
    if (newest === undefined) return undefined;
    const timer = setTimeout(() => setSaid(newest.text), ECHO_AFTER_MS);
    return () => clearTimeout(timer);
  }, [newest]);
  useEffect(() => () => toast.repeatSince(before), [before]);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{newest === undefined ? "" : said}</span>
    </VisuallyHidden>
  );
}

/** The text that describes the dialog when it opens. */
export function DialogText({
  id,
  children,
}: {
  readonly id?: string;
  readonly children: ReactNode;
}) {
  return (
    <p id={id} className="soft">
      {children}
    </p>
  );
}

/** An error of this dialog, announced inside it. */
export function DialogError({ children }: { readonly children: ReactNode }) {
  return (
    <p className="small callout" style={toneStyle("bad")} role="alert">
      {children}
    </p>
  );
}

/** What a dialog is about, by name and id. */
export function DialogSubject({
  name,
  detail,
}: {
  readonly name: ReactNode;
  readonly detail: ReactNode;
}) {
  return (
    <p className={classNames("stack gap0 small anywhere box", styles.subject)}>
      <strong>{name}</strong>
      <small>{detail}</small>
    </p>
  );
}
