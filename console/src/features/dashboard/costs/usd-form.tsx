import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { useAskBeforeLeaving } from "#console/lib/ask-before-leaving.ts";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { TextField } from "#console/ui/text-field.tsx";
import styles from "./costs.module.css";

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
      className={classNames("wrap", styles.form)}
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

/** The service's maximum for a budget or limit. */
const MAX_USD = 1_000_000;

/**
 * Parses a typed amount, or returns why it is invalid. A dollar sign and thousands separators are
 * allowed.
 */
export function readUsd(text: string): {
  readonly amountUsd?: number;
  readonly fault?: string;
} {
  const plain = text
    .trim()
    .replace(/^\$\s*/, "")
    .replaceAll(",", "");
  if (!/^\d{1,9}(?:\.\d{1,4})?$/.test(plain)) {
    return { fault: "Enter an amount in USD, such as 25 or 7.50" };
  }
  const amountUsd = Number(plain);
  if (amountUsd <= 0) return { fault: "The amount must be above 0" };
  if (amountUsd > MAX_USD) return { fault: "The amount must be at most 1,000,000" };
  return { amountUsd };
}
