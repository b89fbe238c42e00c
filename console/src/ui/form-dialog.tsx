import { useId, type ComponentProps } from "react";
import { ActionDialog } from "./action-dialog.tsx";
import { classNames } from "./class-names.ts";
import layout from "./layout.module.css";

/** Enter in a field starts the action. */
export function FormDialog({ button, children, ...dialog }: ComponentProps<typeof ActionDialog>) {
  const formId = useId();
  return (
    <ActionDialog
      {...dialog}
      button={{ ...button, type: "submit", form: formId, onClick: undefined }}
    >
      <form
        id={formId}
        className={classNames(layout.stack, layout.gap4)}
        onSubmit={(event) => {
          event.preventDefault();
          dialog.save.mutate();
        }}
      >
        {children}
      </form>
    </ActionDialog>
  );
}
