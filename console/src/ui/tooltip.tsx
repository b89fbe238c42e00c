import {
  cloneElement,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
  type RefObject,
} from "react";
import styles from "./tooltip.module.css";

/** Long enough that crossing a toolbar shows nothing. */
const OPEN_AFTER_MS = 350;

/** Long enough that a pointer crosses the gap between the control and the tooltip. */
const CLOSE_AFTER_MS = 150;

type Describable = ReactElement<{ "aria-describedby"?: string; "aria-label"?: string }>;

/** What the pointer or the focus asks of a tooltip, and how soon. */
type Wish = { readonly open: boolean; readonly afterMs: number };

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
  const anchor = useRef<HTMLSpanElement>(null);
  const [wish, setWish] = useState<Wish | null>(null);
  const isSilent = text === undefined || children.props["aria-label"] === text;
  const description = isSilent ? null : (
    <span id={id} hidden>
      {text}
    </span>
  );
  return (
    // The wrapper only listens for hover and focus that belong to the control inside it.
    <span
      ref={anchor}
      className={styles.anchor}
      onPointerEnter={({ pointerType }) =>
        pointerType === "mouse" && setWish({ open: true, afterMs: OPEN_AFTER_MS })
      }
      onPointerLeave={() => setWish((before) => before && { open: false, afterMs: CLOSE_AFTER_MS })}
      onPointerDown={() => setWish(null)}
      onFocus={({ target }) =>
        target.matches(":focus-visible") && setWish({ open: true, afterMs: 0 })
      }
      onBlur={() => setWish(null)}
    >
      {isSilent ? children : cloneElement(children, { "aria-describedby": id })}
      {wish === null || text === undefined ? (
        description
      ) : (
        <WishedText id={id} text={text} wish={wish} anchor={anchor} description={description} />
      )}
    </span>
  );
}

/** Rendered only once somebody is at the control: a list has dozens of them. */
function WishedText({
  id,
  text,
  wish,
  anchor,
  description,
}: {
  readonly id: string;
  readonly text: string;
  readonly wish: Wish;
  readonly anchor: RefObject<HTMLSpanElement | null>;
  /** While it is closed. */
  readonly description: ReactNode;
}) {
  const tooltip = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOpen(wish.open), wish.afterMs);
    return () => clearTimeout(timer);
  }, [wish]);
  useEffect(() => {
    if (!open) return undefined;
    if (anchor.current !== null) tooltip.current?.showPopover({ source: anchor.current });
    function closeOnEscape(event: KeyboardEvent) {
      if (event.key === "Escape") setOpen(false);
    }
    document.addEventListener("keydown", closeOnEscape);
    return () => document.removeEventListener("keydown", closeOnEscape);
  }, [open, anchor]);
  if (!open) return description;
  return (
    <span ref={tooltip} id={id} role="tooltip" popover="manual" className={styles.tooltip}>
      {text}
    </span>
  );
}
