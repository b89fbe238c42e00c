import { useEffect, useId, useRef, useState, type ReactElement, cloneElement } from "react";
import styles from "./tooltip.module.css";

/** Long enough that crossing a toolbar shows nothing. */
const OPEN_AFTER_MS = 350;

/** Long enough that a pointer crosses the gap between the control and the tooltip. */
const CLOSE_AFTER_MS = 150;

type Describable = ReactElement<{ "aria-describedby"?: string; "aria-label"?: string }>;

/**
 * Text for a control, on hover and on focus. It can be hovered, and Escape dismisses it without
 * moving anything (WCAG 1.4.13). Screen readers always get it as the description, unless it only
 * repeats the control's name.
 */
export function Tooltip({
  text,
  children,
}: {
  /** Undefined while there is nothing to say. */
  readonly text: string | undefined;
  readonly children: Describable;
}) {
  const id = useId();
  const tooltip = useRef<HTMLSpanElement>(null);
  const anchor = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const isSilent = text === undefined || children.props["aria-label"] === text;

  function openSoon(delayMs: number) {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(true), delayMs);
  }
  function closeSoon() {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOpen(false), CLOSE_AFTER_MS);
  }
  function close() {
    clearTimeout(timer.current);
    setOpen(false);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open) return undefined;
    if (anchor.current !== null) {
      tooltip.current?.showPopover({ source: anchor.current });
    }
    function closeOnEscape(event: KeyboardEvent) {
      if (event.key === "Escape") setOpen(false);
    }
    document.addEventListener("keydown", closeOnEscape);
    return () => document.removeEventListener("keydown", closeOnEscape);
  }, [open]);

  return (
    // The wrapper only listens for hover and focus that belong to the control inside it.
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={(event) => event.pointerType === "mouse" && openSoon(OPEN_AFTER_MS)}
      onPointerLeave={closeSoon}
      onPointerDown={close}
      onFocus={(event) => event.target.matches(":focus-visible") && openSoon(0)}
      onBlur={close}
    >
      {isSilent ? children : cloneElement(children, { "aria-describedby": id })}
      {open && text !== undefined ? (
        <span ref={tooltip} id={id} role="tooltip" popover="manual" className={styles.tooltip}>
          {text}
        </span>
      ) : (
        !isSilent && (
          <span id={id} hidden>
            {text}
          </span>
        )
      )}
    </span>
  );
}
