import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { MAX_TOKEN_NAME_LENGTH } from "#contract/limits.ts";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { createToken } from "#contract/tokens.ts";
import { call } from "#console/lib/api-client.ts";
import { usePermissions } from "#console/lib/session.ts";
import { Choices } from "#console/ui/choices.tsx";
import { FormDialog } from "#console/ui/form-dialog.tsx";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

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
  const [name, setName] = useState("");
  const [permissions, setPermissions] = useState<readonly Permission[]>([]);
  const [life, setLife] = useState<(typeof LIVES)[number]["value"]>("90");
  const make = useMutation({
    mutationFn: () => {
      const expiresInDays = life === "never" ? null : Number(life);
      return call(createToken, { body: { name, permissions: [...permissions], expiresInDays } });
    },
    onSuccess: onMade,
  });
  if (make.isSuccess)
    return (
      <SecretDialog
        what="token"
        use="A program signs in with it."
        secret={make.data.token}
        onClose={onClose}
      />
    );
  const missing = permissions.length === 0 ? "Choose a right." : undefined;
  return (
    <FormDialog
      title="New token"
      save={make}
      label="Make Token"
      button={{ disabledReason: name.trim() === "" ? "Give it a name." : missing }}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What uses it, for example “nightly mirror”."
        data-autofocus=""
        value={name}
        maxLength={MAX_TOKEN_NAME_LENGTH}
        onChange={(event) => setName(event.target.value)}
      />
      <Choices
        name="Rights"
        options={PERMISSIONS.filter((each) => held.includes(each)).map((value) => ({
          value,
          label: <code>{value}</code>,
        }))}
        chosen={permissions}
        onChange={setPermissions}
      />
      <Select label="Expiry" value={life} options={LIVES} onChange={setLife} />
    </FormDialog>
  );
}
