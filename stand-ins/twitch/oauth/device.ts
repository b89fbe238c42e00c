import { idError, jsonAnswer, textAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { readForm } from "../http/request-body.ts";
import { randomWord } from "../random.ts";
import { APPLICATION, type World } from "../world.ts";
import { escapeHtml, page } from "#stand-ins/page.ts";
import { renderAccount } from "./authorize.ts";

/** docs/twitch.md#device-code. */
const LIFETIME_SEC = 1_800;
const INTERVAL_SEC = 5;

type Device = {
  readonly userCode: string;
  readonly scopes: readonly string[];
  readonly expiresAt: number;
  /** Null: its user has not answered; false: denied. */
  accountId: string | false | null;
  askedAt: number;
  intervalMs: number;
};

export type DeviceTable = ReturnType<typeof createDeviceTable>;

/** The device codes of id.twitch.tv. */
export function createDeviceTable(now: () => number) {
  const devices = new Map<string, Device>();
  return {
    issue(scopes: readonly string[]): { readonly deviceCode: string; readonly userCode: string } {
      const [deviceCode, userCode] = [randomWord(40), randomWord(8).toUpperCase()];
      devices.set(deviceCode, {
        userCode,
        scopes,
        expiresAt: now() + LIFETIME_SEC * 1_000,
        accountId: null,
        askedAt: -Infinity,
        intervalMs: INTERVAL_SEC * 1_000,
      });
      return { deviceCode, userCode };
    },
    /** False for a code that is unknown or was answered. */
    answer(userCode: string, accountId: string | false): boolean {
      const device = [...devices.values()].find((one) => one.userCode === userCode);
      if (device === undefined || device.accountId !== null || device.expiresAt <= now())
        return false;
      device.accountId = accountId;
      return true;
    },
    /** A confirmed code works once. The refusals are messages of RFC 8628 section 3.5. */
    take(deviceCode: string): { accountId: string; scopes: readonly string[] } | string {
      const device = devices.get(deviceCode);
      if (device === undefined || device.expiresAt <= now()) return "invalid device code";
      const { accountId, scopes, askedAt } = device;
      device.askedAt = now();
      if (now() - askedAt < device.intervalMs) {
        device.intervalMs += INTERVAL_SEC * 1_000;
        return "slow_down";
      }
      if (accountId === null) return "authorization_pending";
      devices.delete(deviceCode);
      return accountId === false ? "access_denied" : { accountId, scopes };
    },
  };
}

export function answerDevice(world: World, exchange: Exchange): Answer {
  const form = readForm(exchange.url, exchange.body);
  if (form.get("client_id") !== APPLICATION.clientId) return idError(400, "invalid client");
  const { deviceCode, userCode } = world.devices.issue((form.get("scopes") ?? "").split(" "));
  return jsonAnswer(200, {
    device_code: deviceCode,
    expires_in: LIFETIME_SEC,
    interval: INTERVAL_SEC,
    user_code: userCode,
    verification_uri: `${world.baseUrl()}/activate?device-code=${userCode}`,
  });
}

/** twitch.tv/activate: GET shows the accounts; its buttons POST `account`, or `deny`. */
export function answerActivate(world: World, exchange: Exchange): Answer {
  const form = readForm(exchange.url, exchange.body);
  const userCode = form.get("device-code") ?? "";
  if (exchange.method === "POST") {
    const choice = form.has("deny") ? false : (form.get("account") ?? "");
    return world.devices.answer(userCode, choice)
      ? htmlAnswer("<h1>Done</h1><p>You can close this page.</p>")
      : idError(400, "invalid user code");
  }
  return htmlAnswer(`<h1>Vodkeep wants to sign you in</h1>
    <p class="note">Twitch stand-in, not twitch.tv. No real account is involved.</p>
    <form method="post" action="/activate">
      <p><label>Code <input name="device-code" value="${escapeHtml(userCode)}"></label></p>
      <h2>Continue as</h2>${world.accounts.all().map(renderAccount).join("")}
      <p><button name="deny" value="1">Deny</button></p></form>`);
}

function htmlAnswer(body: string): Answer {
  const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  const html = page("Activate · Twitch stand-in", body);
  return textAnswer(200, "text/html; charset=utf-8", html, headers);
}
