import * as z from "zod/mini";
import type { DeviceSignIn } from "#contract/device-sign-in.ts";
import { parseJson } from "#service/parse-json.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { DEVICE_STATE_LIFE_MS } from "./login-state.ts";

/**
 * Sign-ins that their user confirms at Twitch with a code (RFC 8628). As with a redirect, nothing is
 * stored: the state is the device code, encrypted for the browser that began, so that no other one can
 * ask with it, and an attacker's confirmed code is of no use in a victim's browser.
 */
export type DeviceSignIns = {
  /** @throws {OauthError} */
  begin(browser: string, nowMs: number): Promise<DeviceSignIn>;
  /** The device code; null unless begun by this browser and not expired. */
  open(state: string, browser: string, nowMs: number): Promise<string | null>;
};

const sealedSchema = z.object({ deviceCode: z.string(), expiresAtMs: z.number() });

export function createDeviceSignIns(
  twitch: Pick<TwitchOauth, "requestDeviceCode">,
  cipher: SecretCipher,
): DeviceSignIns {
  return {
    async begin(browser, nowMs) {
      const { deviceCode, expiresInSec, ...shown } = await twitch.requestDeviceCode();
      const expiresAtMs = nowMs + Math.min(expiresInSec * 1_000, DEVICE_STATE_LIFE_MS);
      const sealed: z.infer<typeof sealedSchema> = { deviceCode, expiresAtMs };
      return {
        ...shown,
        state: await cipher.encrypt(JSON.stringify(sealed), boundTo(browser)),
        expiresAt: new Date(expiresAtMs).toISOString(),
      };
    },

    async open(state, browser, nowMs) {
      const opened = await cipher.decrypt(state, boundTo(browser));
      const sealed = opened === null ? null : parseJson(sealedSchema, opened.text);
      return sealed !== null && nowMs < sealed.expiresAtMs ? sealed.deviceCode : null;
    },
  };
}

function boundTo(browser: string): string {
  return `device sign-in ${browser}`;
}
