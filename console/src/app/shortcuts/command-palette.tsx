import { useRouter } from "@tanstack/react-router";
import { useId, useState, type KeyboardEvent } from "react";
import { usePermissions } from "#console/lib/session.ts";
import { LightDialog } from "#console/ui/light-dialog.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { commandsFor, type Command } from "./commands.ts";
import { useFoundCommands } from "./found-commands.ts";
import styles from "./command-palette.module.css";

/** A combobox over a list of commands (ARIA authoring practices). */
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
  const [text, setText] = useState(initialText);
  const [active, setActive] = useState(0);
  const found = useFoundCommands(text);
  const permissions = usePermissions();
  const context = { permissions, showShortcuts: onShowShortcuts, signOut };
  const commands = commandsFor(text, context, found);

  function run({ run: what }: Command) {
    onClose();
    if ("path" in what) void router.navigate({ href: what.path });
    else what.act();
  }
  function handleKey(event: KeyboardEvent) {
    const last = commands.length - 1;
    if (event.key === "ArrowDown") setActive(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") setActive(active <= 0 ? last : active - 1);
    else if (event.key === "Enter") {
      const command = commands[active];
      if (command !== undefined) run(command);
    } else return;
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
        aria-activedescendant={commands.length > 0 ? `${id}-${active}` : undefined}
        placeholder="Search screens and commands"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={handleKey}
      />
      <div id={`${id}-list`} role="listbox" aria-label="Commands" className={styles.list}>
        {commands.map((command, index) => (
          // The input keeps the focus and handles the keys of the whole list.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={command.id}
            id={`${id}-${index}`}
            ref={index === active ? scrollIntoView : undefined}
            role="option"
            aria-selected={index === active}
            className={styles.option}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command)}
          >
            <command.icon aria-hidden="true" />
            <span className={styles.label}>{command.label}</span>
            {command.hint !== undefined && <span className={styles.hint}>{command.hint}</span>}
          </div>
        ))}
      </div>
      {commands.length === 0 && <p className={styles.empty}>Nothing matches.</p>}
    </LightDialog>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}
