import { tabStore } from "./browser-storage.ts";
import { tokenSchema } from "#contract/auth.ts";

/**
 * Session storage key: the page of consent on which this tab began a sign-in. It holds a link's
 * token, or nothing for the page without a link; never an address, so it can't lead to another site.
 */
const KEY = "consent_page";

export function rememberConsentPage(token: string | null): void {
  tabStore.removeItem(WITHDRAWAL_KEY);
  tabStore.setItem(KEY, token ?? "");
}

/** The sign-in is only to prove whose consent it is that is withdrawn. */
const WITHDRAWAL_KEY = "consent_withdrawal";

export function rememberWithdrawal(token: string | null): void {
  rememberConsentPage(token);
  tabStore.setItem(WITHDRAWAL_KEY, "yes");
}

/** Whether the sign-in was begun to withdraw; asked once. */
export function takeWithdrawal(): boolean {
  const isWithdrawal = tabStore.getItem(WITHDRAWAL_KEY) !== null;
  tabStore.removeItem(WITHDRAWAL_KEY);
  return isWithdrawal;
}

export function forgetConsentPage(): void {
  tabStore.removeItem(WITHDRAWAL_KEY);
  tabStore.removeItem(KEY);
}

/** The page to return to, once; null if the sign-in began elsewhere. */
export function takeConsentPage(): { readonly token: string | null } | null {
  const stored = tabStore.getItem(KEY);
  forgetConsentPage();
  if (stored === null) return null;
  const token = tokenSchema.safeParse(stored);
  return { token: token.success ? token.data : null };
}
