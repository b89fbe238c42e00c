import type { DataOf } from "#contract/call.ts";
import type { notificationConfig } from "#contract/notifications.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Card } from "#console/ui/card.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Figures } from "#console/ui/figures.tsx";
import styles from "./notifications-page.module.css";

type Account = DataOf<typeof notificationConfig>["account"];

const BOT_STATUS: Readonly<
  Record<Account["telegramBotStatus"], { readonly tone: Tone; readonly label: string }>
> = {
  active: { tone: "good", label: "Active" },
  unreachable: { tone: "bad", label: "Unreachable" },
  not_configured: { tone: "neutral", label: "Not configured" },
};

/** The deployment's account settings, read-only here. */
export function AccountPanel({ account }: { readonly account: Account | undefined }) {
  const status = account && BOT_STATUS[account.telegramBotStatus];
  return (
    <Card title="Admin Account Configuration">
      <Figures
        figures={[
          { name: "Environment", value: account?.environment },
          {
            name: "Default Admin User",
            value: account && visibleText(account.defaultAdminUser ?? "None"),
          },
          { name: "Default Telegram Bot ID", value: account && (account.telegramBotId ?? "None") },
          {
            name: "Bot Name",
            value:
              account &&
              (account.telegramBotName === null ? "None" : `@${account.telegramBotName}`),
          },
          {
            name: "Bot Status",
            value: status && <Badge tone={status.tone}>{status.label}</Badge>,
          },
          { name: "Message Prefix", value: account && <code>{account.messagePrefix}</code> },
        ]}
      />
      {account !== undefined && (
        <p className={classNames("soft small", styles.below)}>
          <code>{account.messagePrefix}</code> is prepended to all bot messages.
        </p>
      )}
    </Card>
  );
}
