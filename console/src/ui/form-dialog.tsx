import { useId, type ComponentProps } from "react";
import { ActionDialog } from "./action-dialog.tsx";

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
        className="stack gap4"
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
