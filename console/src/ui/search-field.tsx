import { Search, X } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { MAX_SEARCH_LENGTH } from "#contract/limits.ts";
import { classNames } from "./class-names.ts";
import styles from "./field.module.css";

/** Debounce: short enough to feel immediate, long enough that typing a word sends one request. */
const SETTLE_MS = 250;

/**
 * A search field that debounces its text. `value` is the address's text; going back changes what is
 * shown.
 */
export function SearchField({
  placeholder,
  value,
  onChange,
  settleMs = SETTLE_MS,
}: {
  /** Also the accessible name. */
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly settleMs?: number;
}) {
  const [typed, setTyped] = useState(value);
  const [reported, setReported] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  if (value !== reported) {
    setReported(value);
    setTyped(value);
  }
  const report = useEffectEvent(() => {
    setReported(typed);
    onChange(typed);
  });
  useEffect(() => {
    if (typed === reported) return undefined;
    const timer = setTimeout(() => report(), settleMs);
    return () => clearTimeout(timer);
  }, [typed, reported, settleMs]);

  function clear() {
    setTyped("");
    setReported("");
    onChange("");
    input.current?.focus();
  }
  return (
    <search className={styles.search}>
      <Search />
      <input
        ref={input}
        type="search"
        className={styles.input}
        placeholder={placeholder}
        aria-label={placeholder}
        aria-keyshortcuts="/"
        data-shortcut="search"
        maxLength={MAX_SEARCH_LENGTH}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && typed !== "") {
            event.preventDefault();
            clear();
          }
        }}
      />
      {typed !== "" && (
        <button
          type="button"
          className={classNames("centre faint", styles.clear)}
          aria-label="Clear search"
          onClick={clear}
        >
          <X />
        </button>
      )}
    </search>
  );
}
