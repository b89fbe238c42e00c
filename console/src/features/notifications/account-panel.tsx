import type { ReactNode } from "react";
import type { DataOf } from "#contract/call.ts";
import type { notificationConfig } from "#contract/notifications.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Card } from "#console/ui/card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
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
      <dl className={styles.facts}>
        <Fact name="Environment">{account?.environment}</Fact>
        <Fact name="Default Admin User">
          {account && visibleText(account.defaultAdminUser ?? "None")}
        </Fact>
        <Fact name="Default Telegram Bot ID">{account && (account.telegramBotId ?? "None")}</Fact>
        <Fact name="Bot Name">
          {account && (account.telegramBotName === null ? "None" : `@${account.telegramBotName}`)}
        </Fact>
        <Fact name="Bot Status">{status && <Badge tone={status.tone}>{status.label}</Badge>}</Fact>
        <Fact name="Message Prefix">{account && <code>{account.messagePrefix}</code>}</Fact>
      </dl>
      {account !== undefined && (
        <p className={styles.prefix}>
          <code>{account.messagePrefix}</code> is prepended to all bot messages.
        </p>
      )}
    </Card>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children ?? <Skeleton width="8ch" />}</dd>
    </div>
  );
}
