import { useMutation } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { MAX_TOKEN_NAME_LENGTH } from "#contract/limits.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { createToken } from "#contract/tokens.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { call } from "#console/lib/api-client.ts";
import { usePermissions } from "#console/lib/session.ts";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { DialogError } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import styles from "./credentials.module.css";

const LIVES = [
  { value: "7", label: "Expires in 7 days" },
  { value: "30", label: "Expires in 30 days" },
  { value: "90", label: "Expires in 90 days" },
  { value: "365", label: "Expires in a year" },
  { value: "never", label: "Never expires" },
] as const;

/** Makes a token and then shows it, once. */
export function NewToken({
  onMade,
  onClose,
}: {
  readonly onMade: () => unknown;
  readonly onClose: () => void;
}) {
  const held = usePermissions();
  const rightsId = useId();
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<readonly Permission[]>([]);
  const [life, setLife] = useState<(typeof LIVES)[number]["value"]>("90");
  const make = useMutation({
    mutationFn: () =>
      call(createToken, {
        body: {
          name,
          permissions: PERMISSIONS.filter((each) => chosen.includes(each)),
          expiresInDays: life === "never" ? null : Number(life),
        },
      }),
    onSuccess: onMade,
  });
  const part = useRef<HTMLElement>(null);
  const toFocus = make.isSuccess ? "button" : "input";
  useEffect(() => part.current?.querySelector<HTMLElement>(toFocus)?.focus(), [toFocus]);
  if (make.isSuccess)
    return (
      <section ref={part} className={classNames(layout.stack, layout.gap3, styles.newToken)}>
        <p role="status">Copy the token now. It is not shown again.</p>
        <div className={layout.row}>
          <code className={layout.anywhere}>{make.data.token}</code>
          <CopyButton text={make.data.token} label="Copy token" />
        </div>
        <div className={layout.wrap}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </section>
    );
  const missing =
    name.trim() === "" ? "Give it a name." : chosen.length === 0 ? "Choose a right." : undefined;
  return (
    <section ref={part} className={styles.newToken}>
      <form
        className={classNames(layout.stack, layout.gap3)}
        aria-label="New token"
        onSubmit={(event) => {
          event.preventDefault();
          if (missing === undefined && !make.isPending) make.mutate();
        }}
      >
        <TextField
          label="Name"
          hint="What uses it, for example “nightly mirror”."
          value={name}
          maxLength={MAX_TOKEN_NAME_LENGTH}
          autoComplete="off"
          onChange={(event) => setName(event.target.value)}
        />
        <div className={layout.stack} role="group" aria-labelledby={rightsId}>
          <p id={rightsId} className={classNames(layout.small, layout.strong)}>
            Rights
          </p>
          {PERMISSIONS.filter((each) => held.includes(each)).map((permission) => (
            <Checkbox
              key={permission}
              label={<code>{permission}</code>}
              checked={chosen.includes(permission)}
              onChange={(isChosen) =>
                setChosen((before) =>
                  isChosen ? [...before, permission] : before.filter((each) => each !== permission),
                )
              }
            />
          ))}
        </div>
        <Select label="Expiry" value={life} options={LIVES} onChange={setLife} />
        {make.isError && <DialogError>{messageOf(make.error)}</DialogError>}
        <div className={layout.wrap}>
          <Button kind="primary" type="submit" busy={make.isPending} disabledReason={missing}>
            Make Token
          </Button>
          <Button disabled={make.isPending} onClick={onClose}>
            Cancel
          </Button>
        </div>
      </form>
    </section>
  );
}
