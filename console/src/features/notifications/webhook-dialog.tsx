import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { MAX_TOKEN_NAME_LENGTH } from "#contract/limits.ts";
import type { EventType } from "#contract/notification-events.ts";
import {
  changeWebhook,
  makeWebhook,
  WEBHOOK_FORMATS,
  type Webhook,
  type WebhookFormat,
} from "#contract/webhooks.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { FormDialog } from "#console/ui/form-dialog.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Copyable } from "#console/ui/copy-button.tsx";
import { Dialog, DialogText } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { configQuery } from "./notification-queries.ts";
import { faultOf, useRefreshWebhooks } from "./webhook-actions.ts";
import { ADDRESS_EXAMPLES, FORMAT_LABELS } from "./webhook-words.ts";
import styles from "./webhooks.module.css";

const FORMAT_OPTIONS = WEBHOOK_FORMATS.map((value) => ({ value, label: FORMAT_LABELS[value] }));

type Draft = {
  readonly name: string;
  readonly format: WebhookFormat;
  readonly url: string;
  readonly events: readonly EventType[];
};

/** Makes a webhook, or changes one. */
export function WebhookDialog({
  webhook: listed,
  onSecret,
  onClose,
}: {
  readonly webhook: Webhook | null;
  /** The secret of a new one, which is never shown again. */
  readonly onSecret: (secret: string) => void;
  readonly onClose: () => void;
}) {
  // What the list learns meanwhile was not seen in this form.
  const [webhook] = useState(listed);
  const refresh = useRefreshWebhooks();
  const [draft, setDraft] = useState<Draft>(
    webhook === null
      ? { name: "", format: "standard", url: "", events: [] }
      : { ...webhook, url: "" },
  );
  const save = useMutation({
    mutationFn: async () => {
      const { name, format, url, events } = draft;
      const chosen = { name, events: [...events] };
      const address = url.trim();
      if (webhook === null)
        return (await call(makeWebhook, { body: { ...chosen, format, url: address } })).secret;
      const { id, isEnabled } = webhook;
      const replaces = { name: webhook.name, events: webhook.events, isEnabled };
      const body = { ...chosen, isEnabled, replaces, ...(address === "" ? {} : { url: address }) };
      await call(changeWebhook, { params: { id }, body });
      return null;
    },
    onSuccess: (secret) => {
      toast.success(webhook === null ? "Webhook added" : "Webhook changed");
      onClose();
      if (secret !== null) onSecret(secret);
    },
    onSettled: refresh,
  });
  const urlFault = faultOf(save.error, "url");
  return (
    <FormDialog
      title={webhook === null ? "Add a webhook" : `Change ${visibleText(webhook.name)}`}
      save={save}
      label={webhook === null ? "Add" : "Save"}
      button={{ disabledReason: missingIn(draft, webhook === null) }}
      describeError={(error) => (urlFault === undefined ? messageOf(error) : undefined)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        autoComplete="off"
        data-autofocus=""
        maxLength={MAX_TOKEN_NAME_LENGTH}
        value={draft.name}
        onChange={({ target }) => setDraft({ ...draft, name: target.value })}
      />
      {webhook === null && (
        <div className={classNames(layout.stack, layout.gap1)}>
          <span className={classNames(layout.small, layout.strong)} aria-hidden="true">
            Format
          </span>
          <Select
            label="Format"
            value={draft.format}
            options={FORMAT_OPTIONS}
            onChange={(format) => setDraft({ ...draft, format })}
          />
        </div>
      )}
      <TextField
        label="Address"
        autoComplete="off"
        spellCheck={false}
        inputMode="url"
        placeholder={ADDRESS_EXAMPLES[draft.format]}
        hint={
          webhook === null
            ? "It is stored encrypted, and only its host is shown."
            : `Leave it empty to keep the address on ${visibleText(webhook.host)}.`
        }
        error={urlFault}
        value={draft.url}
        onChange={({ target }) => {
          save.reset();
          setDraft({ ...draft, url: target.value });
        }}
      />
      <EventChoice chosen={draft.events} onChange={(events) => setDraft({ ...draft, events })} />
    </FormDialog>
  );
}

function missingIn({ name, url, events }: Draft, needsAddress: boolean): string | undefined {
  if (name.trim() === "") return "Give it a name.";
  if (needsAddress && url.trim() === "") return "Enter the address.";
  return events.length === 0 ? "Choose an event." : undefined;
}

/** The events that the administrator may be notified of. */
function EventChoice({
  chosen,
  onChange,
}: {
  readonly chosen: readonly EventType[];
  readonly onChange: (events: readonly EventType[]) => void;
}) {
  const types = useQuery(configQuery()).data?.eventTypes ?? [];
  const isAll = types.every(({ type }) => chosen.includes(type));
  return (
    <fieldset className={classNames(layout.stack, layout.gap1, layout.small, styles.events)}>
      <legend className={layout.strong}>Events</legend>
      <Checkbox
        label="All events"
        checked={isAll && types.length > 0}
        indeterminate={!isAll && chosen.length > 0}
        onChange={(all) => onChange(all ? types.map(({ type }) => type) : [])}
      />
      <div className={styles.choices}>
        {types.map(({ type, label }) => (
          <Checkbox
            key={type}
            label={label}
            checked={chosen.includes(type)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, type] : chosen.filter((each) => each !== type))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

export function SecretDialog({
  secret,
  onClose,
}: {
  readonly secret: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title="Copy the secret now"
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <DialogText>The receiver verifies each event with it.</DialogText>
      <p className={classNames(layout.row, layout.small, layout.anywhere)}>
        <Copyable text={secret} label="secret" />
      </p>
      <Banner tone="warn">It is shown only this once.</Banner>
    </Dialog>
  );
}
