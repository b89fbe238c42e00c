import { useRouter } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { isValidElement, useId, useState, type KeyboardEvent } from "react";
import { flushSync } from "react-dom";
import { useBackUp } from "#console/features/system/use-back-up.ts";
import { deployment } from "#console/lib/deployment.ts";
import { usePermissions } from "#console/lib/session.ts";
import { classNames } from "#console/ui/class-names.ts";
import { LightDialog } from "#console/ui/light-dialog.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { commandsFor, type Command } from "./commands.ts";
import { useFoundCommands } from "./found-commands.ts";
import { hereCommands } from "./here-commands.ts";
import { rankOf } from "./match-text.ts";
import styles from "./command-palette.module.css";

/**
 * A combobox over grouped commands (ARIA authoring practices). The right arrow shows what else can
 * be done with a command, the left arrow goes back.
 */
export function CommandPalette({
  initialText,
  onClose,
  onShowShortcuts,
}: {
  readonly initialText: string;
  readonly onClose: () => void;
  readonly onShowShortcuts: () => void;
}) {
  const id = useId();
  const router = useRouter();
  const { signOut } = useSignOut();
  const backUp = useBackUp();
  const [text, setText] = useState(initialText);
  const [active, setActive] = useState(0);
  const [parent, setParent] = useState<Command | null>(null);
  const [here] = useState(hereCommands);
  const found = useFoundCommands(text);
  const context = {
    here,
    permissions: usePermissions(),
    showShortcuts: onShowShortcuts,
    signOut,
    backUp: deployment() === "cloudflare" ? undefined : backUp.mutate,
  };
  const commands =
    parent?.more?.filter(({ label }) => rankOf(text, label) !== null) ??
    commandsFor(text, context, found);
  const groups = Map.groupBy(commands, ({ group }) => group);
  const shown = [...groups.values()].flat();

  function show(next: Command | null, nextText = "") {
    setParent(next);
    setText(nextText);
    setActive(0);
  }
  function run(command: Command) {
    const { run: what } = command;
    if (what === "more") return show(command);
    // Closed at once: an action may need the focus, and what it opens is not to be under a modal.
    flushSync(onClose);
    what.act?.();
    if (what.path !== undefined)
      void router.navigate({ href: what.path, state: { begun: what.begun } });
    return undefined;
  }
  function handleKey(event: KeyboardEvent<HTMLInputElement>) {
    const last = shown.length - 1;
    const command = shown[active];
    const isAtEnd = event.currentTarget.selectionStart === text.length;
    if (event.key === "ArrowDown") setActive(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setActive(active <= 0 ? last : active - 1);
    else if (event.key === "Enter" && command !== undefined) run(command);
    else if (event.key === "ArrowRight" && isAtEnd && command?.more !== undefined) show(command);
    else if (/^(ArrowLeft|Backspace)$/.test(event.key) && text === "" && parent !== null)
      show(null, parent.label);
    else return;
    event.preventDefault();
  }
  return (
    <LightDialog label="Commands" className={styles.palette} onClose={onClose}>
      <input
        className={styles.input}
        role="combobox"
        aria-label="Search screens and commands"
        aria-expanded
        aria-controls={`${id}-list`}
        aria-activedescendant={shown.length > 0 ? `${id}-${active}` : undefined}
        placeholder={parent?.label ?? "Search screens and commands"}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => show(parent, event.target.value)}
        onKeyDown={handleKey}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Commands" className={styles.list}>
        {[...groups].map(([group, members]) => (
          <div key={group} role="group" aria-label={group}>
            <div className={classNames("note", styles.group)} aria-hidden="true">
              {group}
            </div>
            {members.map((command) => {
              const index = shown.indexOf(command);
              return (
                // The input keeps the focus and handles the keys of the whole list.
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
                <div
                  key={command.id}
                  id={`${id}-${index}`}
                  ref={index === active ? scrollIntoView : undefined}
                  role="option"
                  aria-selected={index === active}
                  className={classNames("row small", styles.option)}
                  onPointerMove={() => setActive(index)}
                  onClick={() => run(command)}
                >
                  {isValidElement(command.icon) ? (
                    command.icon
                  ) : (
                    <command.icon aria-hidden="true" />
                  )}
                  <span className="fill">{command.label}</span>
                  {command.hint !== undefined && (
                    <span className={classNames("tiny soft", styles.hint)}>{command.hint}</span>
                  )}
                  {command.more !== undefined && (
                    // The right arrow does the same by keyboard.
                    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
                    <span
                      className={classNames("centre", styles.more)}
                      title="More actions (→)"
                      onClick={(event) => {
                        event.stopPropagation();
                        show(command);
                      }}
                    >
                      <ChevronRight />
                    </span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {shown.length === 0 && (
        <p className={classNames("small soft", styles.empty)}>Nothing matches.</p>
      )}
    </LightDialog>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
