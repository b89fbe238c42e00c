import type { WebhookFormat } from "#contract/webhooks.ts";

export const FORMAT_LABELS: Readonly<Record<WebhookFormat, string>> = {
  standard: "Standard Webhooks",
  discord: "Discord",
  ntfy: "ntfy",
  apprise: "Apprise",
};

/** Addresses as each format expects them. */
export const ADDRESS_EXAMPLES: Readonly<Record<WebhookFormat, string>> = {
  standard: "https://example.org/hook",
  discord: "https://discord.com/api/webhooks/…",
  ntfy: "https://ntfy.sh/mytopic",
  apprise: "https://apprise.example.org/notify/KEY",
};
