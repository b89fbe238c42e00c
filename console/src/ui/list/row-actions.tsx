import { useMediaQuery } from "#console/lib/media-query.ts";
import { IconButton } from "../button.tsx";
import type { MenuItem } from "../menu.tsx";
import { RowMenu } from "./row-menu.tsx";
import styles from "./table.module.css";

/** The actions on one row of a list: a button for each, or a menu up to the width of tablets. */
export function RowActions({
  name,
  actions,
}: {
  readonly name: string;
  readonly actions: readonly MenuItem[];
}) {
  const isTight = useMediaQuery("(width < 75rem)");
  if (isTight) return <RowMenu name={name} items={actions} shortcut="row" />;
  return (
    <span className={styles.actions}>
      {actions.map(({ label, icon, disabledReason, opens, onSelect }) => (
        <IconButton
          key={label}
          label={`${label}: ${name}`}
          disabledReason={disabledReason}
          data-shortcut={opens === true ? "row" : undefined}
          onClick={onSelect}
        >
          {icon}
        </IconButton>
      ))}
    </span>
  );
}
