import { Send } from "lucide-react";
import { useState } from "react";
import type { DataOf } from "#contract/call.ts";
import type { Channel, notificationConfig } from "#contract/notifications.ts";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { useTelegramTest } from "./notification-actions.ts";
import styles from "./notifications-page.module.css";
import type { PreferenceDraft } from "./preference-draft.ts";

type Config = DataOf<typeof notificationConfig>;

const MISSING_ID = "Please enter a Telegram User ID first";
const EMAIL_NOTE = "Email notifications need mail to be configured on the server.";

/** Where messages are sent, and how to set that up. */
export function ContactCard({
  draft,
  disabled,
  faults,
  refused,
  config,
  onChange,
}: {
  readonly draft: PreferenceDraft;
  readonly disabled: boolean;
  /** Errors by field name, and what they are about. */
  readonly faults: Readonly<Record<string, string>>;
  readonly refused: PreferenceDraft | undefined;
  /** Undefined until it is known. */
  readonly config: Config | undefined;
  readonly onChange: (draft: PreferenceDraft) => void;
}) {
  /** An error stands until its field is changed. */
  function faultOf(field: "telegramUserId" | "telegramUsername" | "email"): string | undefined {
    const fault = refused?.[field] === draft[field] ? faults[field] : undefined;
    return fault && `This ${fault}.`;
  }
  function missingOf(channel: Channel): string | undefined {
    return config?.channels.find(({ type }) => type === channel)?.unavailableReason;
  }
  return (
    <Card title="Contact Information">
      <div className={styles.contact}>
        <TelegramSetup account={config?.account} missing={missingOf("telegram")} />
        <div className="stack gap4">
          <TelegramIdField
            value={draft.telegramUserId}
            disabled={disabled}
            fault={faultOf("telegramUserId")}
            onChange={(telegramUserId) => onChange({ ...draft, telegramUserId })}
          />
          <TextField
            label="Telegram Username (optional)"
            placeholder="@username"
            spellCheck={false}
            disabled={disabled}
            error={faultOf("telegramUsername")}
            value={draft.telegramUsername}
            onChange={(event) => onChange({ ...draft, telegramUsername: event.target.value })}
          />
          <TextField
            label="Email Address"
            type="email"
            placeholder="you@example.com"
            autoComplete="email"
            disabled={disabled}
            error={faultOf("email")}
            hint={missingOf("email") ?? EMAIL_NOTE}
            value={draft.email}
            onChange={(event) => onChange({ ...draft, email: event.target.value })}
          />
        </div>
      </div>
    </Card>
  );
}

function TelegramIdField({
  value,
  disabled,
  fault,
  onChange,
}: {
  readonly value: string;
  readonly disabled: boolean;
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const test = useTelegramTest();
  const [isMissing, setMissing] = useState(false);
  function sendTest() {
    const telegramUserId = value.trim();
    setMissing(telegramUserId === "");
    if (telegramUserId === "") toast.error(MISSING_ID);
    else test.mutate(telegramUserId);
  }
  return (
    <div className={classNames("row top growFirst", styles.withButton)}>
      <TextField
        label="Telegram User ID"
        placeholder="123456789"
        inputMode="numeric"
        disabled={disabled}
        error={isMissing ? MISSING_ID : fault}
        value={value}
        onChange={(event) => {
          setMissing(false);
          onChange(event.target.value);
        }}
      />
      <Button
        icon={<Send />}
        aria-label="Test Telegram"
        busy={test.isPending}
        disabled={disabled}
        disabledReason={value === "" && !disabled ? MISSING_ID : undefined}
        onClick={sendTest}
      >
        Test
      </Button>
    </div>
  );
}

/** How to get messages from the bot, or what it still needs. `account`: undefined until known. */
function TelegramSetup({
  account,
  missing,
}: {
  readonly account: Config["account"] | undefined;
  readonly missing: string | undefined;
}) {
  const name =
    account &&
    (account.telegramBotName === null ? "(name unknown)" : `@${account.telegramBotName}`);
  return (
    <section className={classNames("stack small box", styles.setup)}>
      <h3 className="small">Set up Telegram</h3>
      {missing === undefined ? (
        <ol className="stack gap1 soft">
          <li>
            {/* Without an address until it is known, so that the line has its height. */}
            Find the bot in Telegram:{" "}
            <a href={account?.telegramChatUrl ?? undefined} target="_blank" rel="noreferrer">
              {name ?? "\u00A0"}
            </a>
          </li>
          <li>Start a chat with it: a bot can't message you first.</li>
          <li>
            Send <code>/myid</code> <CopyButton text="/myid" label="Copy /myid" /> to get your
            numeric user ID.
          </li>
          <li>Enter the ID as Telegram User ID.</li>
          <li>Press Test: a message arrives in that chat.</li>
        </ol>
      ) : (
        <p className="soft">{missing}</p>
      )}
    </section>
  );
}
