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
import { Choices } from "#console/ui/choices.tsx";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { configQuery } from "./notification-queries.ts";
import { faultOf, useRefreshWebhooks } from "./webhook-actions.ts";
import { ADDRESS_EXAMPLES, FORMAT_LABELS } from "./webhook-words.ts";

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
  const types = useQuery(configQuery()).data?.eventTypes ?? [];
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
        data-autofocus=""
        maxLength={MAX_TOKEN_NAME_LENGTH}
        value={draft.name}
        onChange={({ target }) => setDraft({ ...draft, name: target.value })}
      />
      {webhook === null && (
        <div className="stack gap1">
          <span className="small strong" aria-hidden="true">
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
      <Choices
        name="Events"
        all="All events"
        options={types.map(({ type, label }) => ({ value: type, label }))}
        chosen={draft.events}
        onChange={(events) => setDraft({ ...draft, events })}
      />
    </FormDialog>
  );
}

function missingIn({ name, url, events }: Draft, needsAddress: boolean): string | undefined {
  if (name.trim() === "") return "Give it a name.";
  if (needsAddress && url.trim() === "") return "Enter the address.";
  return events.length === 0 ? "Choose an event." : undefined;
}
