import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useEffect, useId, useState, type KeyboardEvent } from "react";
import { browseFiles } from "#contract/files.ts";
import type { UserId } from "#contract/ids.ts";
import { MAX_BROWSE_PAGE_SIZE } from "#contract/limits.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { formatCount } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { whenIdle } from "#console/lib/when-idle.ts";
import { classNames } from "#console/ui/class-names.ts";
import field from "#console/ui/field.module.css";
import styles from "./owner-filter.module.css";

type Choice = { readonly value: UserId | undefined; readonly label: string; readonly note: string };

const OPTION = classNames("between anywhere", styles.option);

const ALL: Choice = { value: undefined, label: "All Users", note: "" };

/** More are found by typing. */
const MOST_SHOWN = 100;

/**
 * Chooses an owner of files by a part of the name (ARIA authoring practices, combobox with list),
 * with the number of files of each.
 */
export function OwnerFilter({
  value,
  onChange,
}: {
  readonly value: UserId | undefined;
  readonly onChange: (value: UserId | undefined) => void;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const isOpen = typed !== null;
  const owners = useOwners(value, isOpen);
  const wanted = typed?.trim().toLowerCase() ?? "";
  const choices = [
    ...(wanted === "" ? [ALL] : []),
    ...owners.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, MOST_SHOWN),
  ];
  const chosen = owners.find((owner) => owner.value === value)?.label;
  function open(text: string) {
    setTyped(text);
    setActive(0);
  }
  function choose(choice: Choice | undefined) {
    setTyped(null);
    if (choice !== undefined) onChange(choice.value);
  }
  function handleKey(event: KeyboardEvent) {
    const { key } = event;
    if (isOpen && key === "ArrowDown") setActive((active + 1) % Math.max(1, choices.length));
    else if (isOpen && key === "ArrowUp") setActive(Math.max(0, active - 1));
    else if (isOpen && key === "Enter") choose(choices[active]);
    else if (isOpen && key === "Escape") setTyped(null);
    else if (!isOpen && (key === "ArrowDown" || key === "Enter")) open("");
    else return;
    event.preventDefault();
  }
  return (
    <span className={field.selectWrap}>
      <input
        className={`${field.select} ${styles.field}`}
        role="combobox"
        aria-label="User"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && choices.length > 0 ? `${id}-${active}` : undefined}
        placeholder={(isOpen && chosen) || ALL.label}
        autoComplete="off"
        spellCheck={false}
        value={typed ?? chosen ?? ""}
        onChange={(event) => open(event.target.value)}
        onClick={() => !isOpen && open("")}
        onBlur={() => setTyped(null)}
        onKeyDown={handleKey}
      />
      <ChevronDown />
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Users"
        hidden={!isOpen}
        className={styles.list}
        // The field keeps the focus and handles the keys of the whole list.
        onPointerDown={(event) => event.preventDefault()}
      >
        {isOpen &&
          choices.map((choice, index) => (
            // The input keeps the focus and handles the keys of the whole list.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={choice.value ?? ""}
              id={`${id}-${index}`}
              ref={index === active ? scrollIntoView : undefined}
              role="option"
              aria-selected={index === active}
              className={OPTION}
              onPointerMove={() => setActive(index)}
              onClick={() => choose(choice)}
            >
              {choice.label}
              <small>{choice.note}</small>
            </div>
          ))}
        {isOpen && choices.length === 0 && (
          <div role="option" aria-selected={false} aria-disabled className={OPTION}>
            Nothing matches.
          </div>
        )}
      </div>
    </span>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

const OWNERS_STALE_MS = 5 * 60_000;

/**
 * Everyone who owns files, and the user in the address even if they own none. Requested after the
 * screen is shown, unless they are needed before.
 */
function useOwners(chosen: UserId | undefined, isOpen: boolean): readonly Choice[] {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(async () => setIdle(true)), []);
  const { data } = useQuery({
    ...callQuery(browseFiles, { query: { limit: MAX_BROWSE_PAGE_SIZE } }),
    // Not among the lists: a deletion does not request it again.
    queryKey: ["file-owners"],
    staleTime: OWNERS_STALE_MS,
    enabled: isIdle || isOpen || chosen !== undefined,
  });
  const owners = (data?.byUser ?? []).flatMap(({ userId, username, files }) =>
    userId === null
      ? []
      : [{ value: userId, label: visibleText(username ?? userId), note: formatCount(files) }],
  );
  return chosen === undefined || owners.some(({ value }) => value === chosen)
    ? owners
    : [...owners, { value: chosen, label: chosen, note: "" }];
}
