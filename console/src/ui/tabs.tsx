import { useId, useRef, type KeyboardEvent, type ReactNode } from "react";
import { classNames } from "./class-names.ts";
import styles from "./tabs.module.css";

export type Tab<Id extends string> = { readonly id: Id; readonly label: ReactNode };

export const tabClassName = classNames("small soft strong", styles.tab);

/** Tabs (ARIA authoring practices); arrow keys move and select at once. */
export function Tabs<Id extends string>({
  label,
  tabs,
  chosen,
  onChoose,
  beside,
  children,
}: {
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
  /** Links of `tabClassName` to what has a screen of its own. */
  readonly beside?: ReactNode;
  /** The selected tab's panel. */
  readonly children: ReactNode;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  function handleKey(event: KeyboardEvent) {
    const current = tabs.findIndex((tab) => tab.id === chosen);
    const next = { ArrowLeft: current - 1, ArrowRight: current + 1, Home: 0, End: -1 }[event.key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (tab === undefined) return;
    event.preventDefault();
    onChoose(tab.id);
    list.current?.querySelector<HTMLElement>(`[data-tab="${tab.id}"]`)?.focus();
  }
  return (
    <div>
      <div className={styles.list}>
        <div ref={list} className={styles.tabs} role="tablist" aria-label={label}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              data-tab={tab.id}
              id={`${id}-${tab.id}`}
              aria-selected={tab.id === chosen}
              aria-controls={`${id}-panel`}
              tabIndex={tab.id === chosen ? 0 : -1}
              className={tabClassName}
              onClick={() => onChoose(tab.id)}
              onKeyDown={handleKey}
            >
              {tab.label}
            </button>
          ))}
        </div>
        {beside}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${chosen}`}
        className={styles.panel}
      >
        {children}
      </div>
    </div>
  );
}
