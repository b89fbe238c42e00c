import { useSelector } from "@tanstack/react-store";
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useRef, type FocusEvent, type MouseEvent, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { classNames } from "./class-names.ts";
import { Spinner } from "./spinner.tsx";
import { toast, type ToastKind } from "./toast-store.ts";
import styles from "./toast-region.module.css";

export const TOAST_ICONS: Readonly<Record<ToastKind, ReactNode>> = {
  success: <CircleCheck style={{ color: "var(--good)" }} />,
  error: <CircleAlert style={{ color: "var(--bad)" }} />,
  info: <Info style={{ color: "var(--info)" }} />,
  loading: <Spinner />,
};

/**
 * The container of toasts: a popover, so that they lie above dialogs, and a permanent live region.
 * A dialog opened later would cover it, so each new message raises it again.
 */
export function ToastRegion() {
  const { shown } = useSelector(toast.store);
  const region = useRef<HTMLDivElement>(null);
  const newestId = shown[0]?.id;
  useEffect(() => {
    const element = region.current;
    if (element === null) return;
    if (element.matches(":popover-open")) {
      if (document.querySelector("dialog:modal") === null) return;
      element.hidePopover();
    }
    element.showPopover();
    // Runs for each new message: something may cover the region by then.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [newestId]);
  useEffect(() => {
    // A focused or pointed-at toast that is removed sends neither blur nor pointerleave.
    if (region.current?.matches(":hover, :focus-within") === false) toast.resume();
  });

  const cameFrom = useRef<Element | null>(null);
  function onFocus({ relatedTarget }: FocusEvent): void {
    if (region.current?.contains(relatedTarget) === false) cameFrom.current = relatedTarget;
    toast.pause();
  }
  function dismiss(id: number, { currentTarget, detail }: MouseEvent): void {
    const item = currentTarget.closest("li");
    const isByKeyboard = detail === 0;
    const next = isByKeyboard ? (item?.nextElementSibling ?? item?.previousElementSibling) : null;
    const target = next?.querySelector("button") ?? cameFrom.current;
    if (target instanceof HTMLElement && target.isConnected) target.focus();
    else document.querySelector("main")?.focus();
    toast.dismiss(id);
  }

  return (
    // Pointer and focus only pause the timers; there is nothing to operate here.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <section
      ref={region}
      popover="manual"
      className={styles.region}
      aria-label="Messages"
      onPointerEnter={toast.pause}
      onPointerLeave={toast.resume}
      onFocus={onFocus}
      onBlur={toast.resume}
    >
      <ol className="stack" aria-live="polite" aria-relevant="additions text">
        {shown.map((message) => (
          <li
            key={`${message.id}.${message.repeats}`}
            className={classNames("row top small framed", styles.toast)}
            aria-atomic="true"
          >
            <span className={classNames("centre", styles.icon)}>{TOAST_ICONS[message.kind]}</span>
            <span className={classNames("fill anywhere", styles.text)}>{message.text}</span>
            {message.action && (
              <Button
                kind="quiet"
                onClick={(event) => {
                  message.action?.run();
                  dismiss(message.id, event);
                }}
              >
                {message.action.label}
              </Button>
            )}
            <button
              type="button"
              className={classNames("centre faint", styles.close)}
              aria-label="Dismiss message"
              onClick={(event) => dismiss(message.id, event)}
            >
              <X />
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
