import { useState } from "react";
import { MAX_VIEW_NAME_LENGTH } from "#contract/limits.ts";
import type { ViewScreen } from "#contract/views.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { parseSearch } from "#console/lib/search-params.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Dialog, DialogError, DialogText } from "#console/ui/dialog.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { useViewActions } from "./view-queries.ts";

/** Saves the current view under a name; warns before it replaces one of the same name. */
export function SaveViewDialog({
  screen,
  search,
  taken,
  onClose,
}: {
  readonly screen: ViewScreen;
  readonly search: string;
  /** Names of this screen's views. */
  readonly taken: readonly string[];
  readonly onClose: () => void;
}) {
  const [name, setName] = useState("");
  const { save } = useViewActions();
  const trimmed = name.trim();
  const replaces = taken.includes(trimmed);
  function submit() {
    save.mutate({ screen, name: trimmed, search }, { onSuccess: onClose });
  }
  return (
    <Dialog
      title="Save view"
      dismissible={!save.isPending}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} disabled={save.isPending}>
            Cancel
          </Button>
          <Button
            kind="primary"
            busy={save.isPending}
            disabledReason={trimmed === "" ? "Give the view a name." : undefined}
            onClick={submit}
          >
            {replaces ? "Replace view" : "Save view"}
          </Button>
        </>
      }
    >
      <DialogText>
        Keeps {describe(search)} for you, on every computer you sign in from. Its address can be
        shared.
      </DialogText>
      {save.isError && <DialogError>{messageOf(save.error, "Failed to save view")}</DialogError>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (trimmed !== "" && !save.isPending) submit();
        }}
      >
        <TextField
          label="Name"
          hint={
            replaces ? "You already have a view with this name. It will be replaced." : undefined
          }
          value={name}
          maxLength={MAX_VIEW_NAME_LENGTH}
          autoComplete="off"
          data-autofocus=""
          onChange={(event) => setName(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

/** The address in words, e.g. `status "failed", search "pilot"`. */
function describe(search: string): string {
  return Object.entries(parseSearch(search))
    .map(([name, value]) => `${name} "${visibleText(value)}"`)
    .join(", ");
}
