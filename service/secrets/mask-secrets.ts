/**
 * Values that grant access, anywhere in text: tokens of this service (32 or more hex digits, or `vk_`),
 * Telegram bot tokens (part of the URL's path), and the named parameters and headers that carry
 * Twitch tokens and signatures.
 */
const SECRETS: readonly RegExp[] = [
  /\bvk_[A-Za-z0-9_-]{20,}/g,
  /[0-9a-f]{32,}/gi,
  /\d{6,12}:[A-Za-z0-9_-]{30,}/g,
  /(?<=\b(?:token|sig|nauth|nauthsig|code|client_secret|refresh_token|access_token)=)[^&\s"']+/gi,
  /(?<=\b(?:bearer|oauth)\s)[A-Za-z0-9._-]{10,}/gi,
];

export function maskSecrets(text: string): string {
  return SECRETS.reduce((masked, secret) => masked.replace(secret, "[masked]"), text);
}
