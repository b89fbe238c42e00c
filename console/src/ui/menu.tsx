import {
  useId,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
} from "react";
import { classNames } from "./class-names.ts";
import styles from "./menu.module.css";

export type MenuItem = {
  readonly label: string;
  readonly icon?: ReactElement;
  readonly danger?: boolean;
  /** Whether it is the current choice. */
  readonly current?: boolean;
  /** Why it is disabled, shown under its name. */
  readonly disabledReason?: string | undefined;
  readonly onSelect: () => void;
};

export type MenuItems = readonly MenuItem[] | (() => readonly MenuItem[]);

export type MenuTriggerProps = {
  readonly popoverTarget: string;
  readonly "aria-haspopup": "menu";
  readonly "aria-expanded": boolean;
};

/**
 * A menu button (ARIA authoring practices) on the browser's popover: it is in the top layer, closes
 * on a click outside and on Escape, and restores the focus. Arrow keys, Home, End and first letters
 * move within. Its items are rendered only while it is open.
 */
export function Menu({
  label,
  items,
  renderTrigger,
}: {
  readonly label: string;
  /** A function is only called while the menu is open: lists have a menu in each row. */
  readonly items: MenuItems;
  readonly renderTrigger: (props: MenuTriggerProps) => ReactNode;
}) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState(false);

  function itemElements(): HTMLElement[] {
    return [...(menu.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? [])];
  }
  function handleKey(event: KeyboardEvent) {
    const elements = itemElements();
    const current = elements.findIndex((element) => element === document.activeElement);
    const next = nextItem(event.key, current, elements);
    if (event.key === "Tab") menu.current?.hidePopover();
    if (next === undefined) return;
    event.preventDefault();
    elements[next]?.focus();
  }
  function choose(item: MenuItem) {
    if (item.disabledReason !== undefined) return;
    menu.current?.hidePopover();
    item.onSelect();
  }
  return (
    <>
      {renderTrigger({ popoverTarget: id, "aria-haspopup": "menu", "aria-expanded": open })}
      <div
        ref={menu}
        id={id}
        role="menu"
        aria-label={label}
        tabIndex={-1}
        popover="auto"
        className={styles.menu}
        onKeyDown={handleKey}
        onToggle={(event) => setOpen(event.newState === "open")}
      >
        {open &&
          (typeof items === "function" ? items() : items).map((item, index) => (
            <button
              key={item.label}
              // Opening a menu moves the focus into it (ARIA authoring practices, menu button).
              ref={index === 0 ? focusOnMount : undefined}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-current={item.current === true || undefined}
              aria-disabled={item.disabledReason !== undefined || undefined}
              className={classNames("row", styles.item, item.danger === true && styles.danger)}
              onClick={() => choose(item)}
            >
              {item.icon}
              <span className="anywhere">
                {item.label}
                {item.disabledReason !== undefined && (
                  <span className={styles.reason}>{item.disabledReason}</span>
                )}
              </span>
            </button>
          ))}
      </div>
    </>
  );
}

function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}

function nextItem(key: string, current: number, elements: readonly HTMLElement[]) {
  const last = elements.length - 1;
  const next = {
    ArrowDown: current >= last ? 0 : current + 1,
    ArrowUp: current <= 0 ? last : current - 1,
    Home: 0,
    End: last,
  }[key];
  return next ?? (key.length === 1 ? startingWith(key, current, elements) : undefined);
}

function startingWith(letter: string, current: number, elements: readonly HTMLElement[]) {
  for (let step = 1; step <= elements.length; step += 1) {
    const index = (current + step) % elements.length;
    const text = elements[index]?.textContent ?? "";
    if (text.toLowerCase().startsWith(letter.toLowerCase())) return index;
  }
  return undefined;
}
