import { BUILT_IN_RULE } from "#contract/channel-rules.ts";

/** A request for a call, the `n`-th of several: what it changes must not make the next one cheap. */
export type CallCase = (n: number) => {
  /** Unless it is the call's own. */
  readonly path?: string;
  readonly body?: unknown;
};

const CHANNEL = "9000000007";
const upload = (n: number) => `/admin/uploads/seed${1_000 + n}`;
const words = Array.from({ length: 20 }, (_word, index) => `word ${index}`);
const user = (n: number) => `/admin/users/${9_000_000_020 + n}`;
const vods = { source: { type: "twitch", vodId: "2000000001" } };

/** By method and path. Requests that find nothing, or are refused, cost what it takes to see that. */
export const CALL_CASES: Readonly<Record<string, CallCase>> = {
  "GET /admin/auth/login": () => ({}),
  "GET /admin/auth/validate": () => ({}),
  "GET /admin/auth/sessions": () => ({}),
  "DELETE /admin/auth/sessions/{id}": () => ({ path: "/admin/auth/sessions/none" }),
  "POST /admin/auth/stream-ticket": () => ({}),
  "GET /admin/tokens": () => ({}),
  "POST /admin/tokens": (n) => ({
    body: { name: `t${n}`, permissions: ["read:uploads"], days: 1 },
  }),
  "DELETE /admin/tokens/{id}": () => ({ path: "/admin/tokens/none" }),
  "POST /admin/setup": () => ({ body: { code: "x" } }),
  "POST /admin/setup/device": () => ({ body: { code: "x" } }),
  "POST /admin/setup/login": () => ({ body: { code: "x" } }),
  "POST /admin/setup/twitch": () => ({ body: { code: "x", clientId: "x", clientSecret: "x" } }),
  "POST /admin/system/cache/clear": () => ({}),
  "POST /admin/system/clock/confirm": () => ({}),
  "POST /admin/system/workers/restart": () => ({}),
  "GET /admin/dashboard": () => ({}),
  "GET /admin/system/setup": () => ({}),
  "GET /admin/system/backups": () => ({}),
  "GET /admin/system/waiting": () => ({}),
  "GET /admin/trash/room": () => ({}),
  "GET /admin/library": () => ({}),
  "POST /admin/library/rebuild": () => ({}),
  "POST /admin/uploads/bulk-retry": (n) => ({
    body: { ids: Array.from({ length: 100 }, (_id, index) => `seed${5_000 + 100 * n + index}`) },
  }),
  "POST /admin/uploads/{id}/cancel": (n) => ({ path: `${upload(n)}/cancel` }),
  "POST /admin/uploads/{id}/retry": (n) => ({ path: `${upload(n)}/retry` }),
  "POST /admin/uploads/{id}/chat": (n) => ({ path: `${upload(n)}/chat` }),
  "GET /admin/uploads/{id}": (n) => ({ path: upload(n) }),
  "DELETE /admin/uploads/{id}": (n) => ({ path: upload(n) }),
  "GET /admin/uploads/{id}/storyboard": (n) => ({ path: `${upload(n)}/storyboard` }),
  "GET /admin/uploads/{id}/thumbnail": (n) => ({ path: `${upload(n)}/thumbnail` }),
  "PUT /admin/uploads/{id}/thumbnail": (n) => ({
    path: `${upload(n)}/thumbnail`,
    body: { picture: "AAAA" },
  }),
  "POST /admin/uploads": () => ({ body: { ...vods, rightsConfirmed: true } }),
  "POST /admin/uploads/preview": () => ({ body: vods }),
  "GET /admin/consent": () => ({}),
  "GET /admin/consent/pages/{token}": () => ({ path: `/admin/consent/pages/${"a".repeat(43)}` }),
  "POST /admin/consent/pages/{token}/agree": () => ({
    path: `/admin/consent/pages/${"a".repeat(43)}/agree`,
    body: { textVersion: 1 },
  }),
  "POST /admin/consent/invitations": () => ({ body: vods }),
  "DELETE /admin/consent/invitations/{channelId}": () => ({
    path: `/admin/consent/invitations/${CHANNEL}`,
  }),
  "DELETE /admin/consent/confirmations/{channelId}": () => ({
    path: `/admin/consent/confirmations/${CHANNEL}`,
  }),
  "DELETE /admin/consent": () => ({}),
  "POST /admin/channels": () => ({ body: { names: ["pixelpilot"] } }),
  "GET /admin/channels/defaults": () => ({}),
  "POST /admin/channels/{id}/check": () => ({ path: `/admin/channels/${CHANNEL}/check` }),
  "PUT /admin/channels/{id}": (n) => ({
    path: `/admin/channels/${CHANNEL}`,
    body: { changes: { titleExcludes: [...words, `${n}`] } },
  }),
  "PUT /admin/channels/defaults": (n) => ({
    body: {
      rule: { ...BUILT_IN_RULE, backDays: null, minDurationSec: n % 2 ? 900_000 / 2 : null },
    },
  }),
  "POST /admin/channels/{id}/decisions": () => ({
    path: `/admin/channels/${CHANNEL}/decisions`,
    body: { decision: "take" },
  }),
  "DELETE /admin/channels/{id}": (n) => ({ path: `/admin/channels/${9_000_000_020 + n}` }),
  "POST /admin/channels/find": () => ({ body: { names: ["pixelpilot"] } }),
  "POST /admin/consent": () => ({ body: { textVersion: 1 } }),
  "POST /admin/channels/rule-preview": () => ({
    body: { rule: { ...BUILT_IN_RULE, backDays: null, titleExcludes: words } },
  }),
  "GET /admin/users/{id}": (n) => ({ path: user(n) }),
  "GET /admin/users/{id}/erasure": (n) => ({ path: `${user(n)}/erasure` }),
  "POST /admin/users/{id}/ban": (n) => ({ path: `${user(n)}/ban`, body: {} }),
  "POST /admin/users/{id}/unban": (n) => ({ path: `${user(n)}/unban` }),
  "PUT /admin/users/{id}/permissions": (n) => ({
    path: `${user(n)}/permissions`,
    body: { permissions: ["read:uploads"] },
  }),
  "DELETE /admin/users/{id}/sessions": (n) => ({ path: `${user(n)}/sessions` }),
  "DELETE /admin/users/{id}": (n) => ({ path: user(n) }),
  "POST /admin/chat-erasures": (n) => ({ body: { twitchId: String(9_000_000_020 + n) } }),
  "GET /admin/cost-alerts/budget": () => ({}),
  "GET /admin/cost-alerts/check": () => ({}),
  "GET /admin/cost-alerts/alerts": () => ({}),
  "GET /admin/cost-alerts/breakdown": () => ({}),
  "GET /admin/cost-alerts/trend": () => ({ path: "/admin/cost-alerts/trend?days=90" }),
  "GET /admin/cost-alerts/thresholds": () => ({}),
  "PUT /admin/cost-alerts/budget": () => ({ body: { monthlyUsd: 5 } }),
  "PUT /admin/cost-alerts/thresholds/{id}": () => ({
    path: "/admin/cost-alerts/thresholds/none",
    body: {},
  }),
  "POST /admin/cost-alerts/alerts/{id}/acknowledge": () => ({
    path: "/admin/cost-alerts/alerts/none/acknowledge",
  }),
  "GET /admin/r2/file/{key+}": () => ({ path: "/admin/r2/file/{file}" }),
  "GET /admin/r2/proof/{key+}": () => ({ path: "/admin/r2/proof/{file}" }),
  "GET /admin/r2/neighbours/{key+}": () => ({ path: "/admin/r2/neighbours/{file}" }),
  "PUT /admin/r2/lock/{key+}": (n) => ({
    path: "/admin/r2/lock/{file}",
    body: { locked: n % 2 === 0 },
  }),
  "DELETE /admin/r2/file/{key+}": () => ({ path: "/admin/r2/file/{file}" }),
  "POST /admin/r2/bulk-delete": (n) => ({
    body: {
      files: Array.from({ length: 25 }, (_f, at) => ({
        key: `seed/${n}/${at}`,
        size: 1,
        status: "complete",
      })),
    },
  }),
  "POST /admin/r2/verify": (n) => ({ body: { key: `seed/${n}/0` } }),
  "GET /admin/system/verification": () => ({}),
  "POST /admin/system/verification": () => ({}),
  "POST /admin/trash": (n) => ({
    body: { keys: Array.from({ length: 100 }, (_f, at) => `seed/${n}/${at}`) },
  }),
  "POST /admin/trash/restore": (n) => ({
    body: { keys: Array.from({ length: 100 }, (_f, at) => `seed/${n}/${at}`) },
  }),
  "POST /admin/trash/simulate": (n) => ({
    body: {
      retention: n % 2 ? { keep: "days", days: 1 } : { keep: "bytes", sizeBytes: 1_000_000_000 },
    },
  }),
  "POST /admin/trash/empty": () => ({}),
  "GET /admin/notifications/preferences": () => ({}),
  "GET /admin/notifications/config": () => ({}),
  "PUT /admin/notifications/preferences": () => ({ body: { preferences: { enabledEvents: {} } } }),
  "POST /admin/notifications/test/{type}": () => ({
    path: "/admin/notifications/test/upload_failed",
  }),
  "POST /admin/notifications/telegram/test": () => ({ body: { telegramUserId: "1" } }),
  "GET /admin/notifications/browser": () => ({}),
  "POST /admin/notifications/browser/read": (n) => ({
    body: { notificationIds: Array.from({ length: 1_000 }, (_id, at) => `${n}-${at}`) },
  }),
  "GET /admin/webhooks": () => ({}),
  "POST /admin/webhooks": (n) => ({
    body: {
      name: `w${n}`,
      format: "standard",
      url: "https://example.com/",
      events: ["upload_failed"],
    },
  }),
  "PUT /admin/webhooks/{id}": () => ({ path: "/admin/webhooks/none", body: { name: "w" } }),
  "DELETE /admin/webhooks/{id}": () => ({ path: "/admin/webhooks/none" }),
  "POST /admin/webhooks/{id}/rotate-secret": () => ({ path: "/admin/webhooks/none/rotate-secret" }),
  "POST /admin/webhooks/{id}/test": () => ({ path: "/admin/webhooks/none/test" }),
  "GET /admin/webhooks/{id}/deliveries": () => ({ path: "/admin/webhooks/none/deliveries" }),
  "GET /admin/audit/export": () => ({}),
  "POST /admin/audit/verify": () => ({}),
};

/** What is no request with an answer, or ends the session of the one who asks. */
export const UNMEASURED: Readonly<Record<string, string>> = {
  "POST /admin/auth/callback": "Twitch leads here; sign-ins have a limit of their own",
  "POST /admin/consent/withdrawal": "the same",
  "POST /admin/auth/device": "as the sign-in above",
  "POST /admin/auth/device/finish": "as the sign-in above",
  "POST /admin/auth/refresh": "replaces the bearer, and has the price of a row",
  "POST /admin/auth/logout": "ends the session",
  "GET /admin/system/metrics/stream": "a stream",
  "GET /admin/uploads/stream": "a stream",
  "POST /admin/system/backups": "one at a time, in a thread",
  "POST /admin/system/examine": "one at a time, and waits for Twitch",
};
