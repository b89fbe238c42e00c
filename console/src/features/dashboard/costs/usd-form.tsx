import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { useAskBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { Button } from "#console/ui/button.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import styles from "./costs.module.css";
import { readUsd } from "./usd-input.ts";

/** One amount of money; the Save button appears once it has changed. */
export function UsdForm({
  label,
  name,
  amountUsd,
  disabledReason,
  onSave,
}: {
  readonly label: string;
  /** Accessible name, where the label alone does not distinguish forms. */
  readonly name?: string;
  readonly amountUsd: number;
  readonly disabledReason: string | undefined;
  /** Throws on failure. */
  readonly onSave: (amountUsd: number) => Promise<unknown>;
}) {
  const saved = String(Number(amountUsd.toFixed(4)));
  const [draft, setDraft] = useState<string | null>(null);
  const [fault, setFault] = useState<string | undefined>(undefined);
  const save = useMutation({
    mutationFn: onSave,
    onError: (error) => setFault(messageOf(error, "The amount could not be saved")),
    networkMode: "always",
  });

  function submit(text: string) {
    const read = readUsd(text);
    setFault(read.fault);
    if (read.amountUsd === undefined) return;
    // What was typed meanwhile stays.
    const onSuccess = () => setDraft((typed) => (typed === text ? null : typed));
    save.mutate(read.amountUsd, { onSuccess });
  }
  const isChanged = draft !== null && draft.trim() !== saved;
  useAskBeforeLeaving(isChanged);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        // The Save button vanishes.
        event.currentTarget.querySelector("input")?.focus();
        if (isChanged && !save.isPending) submit(draft);
      }}
    >
      <TextField
        label={label}
        aria-label={name}
        inputMode="decimal"
        autoComplete="off"
        value={draft ?? saved}
        error={fault}
        readOnly={disabledReason !== undefined}
        onChange={(event) => setDraft(event.target.value)}
      />
      {isChanged && (
        <Button type="submit" kind="primary" busy={save.isPending}>
          Save
        </Button>
      )}
    </form>
  );
}
