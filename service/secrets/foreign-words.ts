import { maskSecrets } from "./mask-secrets.ts";

/** So that a message fits into a toast and a table's cell. */
const MAX_WORDS_LENGTH = 200;

/** Longer texts are pages for people. */
const MAX_READ_LENGTH = 2_000;

/** Tokens, keys and signatures of others, where no parameter or header names them. */
const FOREIGN_SECRETS: readonly RegExp[] = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  // Amazon's secret keys.
  /(?<![\w/+=])(?=[a-z/+]{0,39}\d)[a-z0-9/+]{40}(?![\w/+=])/gi,
  // Twitch's tokens have 30 letters and digits.
  /(?<![\w=+-])(?=[a-z_=+-]{0,60}\d)[\w=+-]{28,}/gi,
];

/** The query of an address may be its signature. */
const ADDRESS_QUERIES = /(?<=https?:\/\/[^\s?#]{0,300})[?#]\S*/gi;

/** As Node quotes them in errors of the file system. */
const QUOTED_PATHS = /\s*'\/[^']{0,4000}'(?: -> '[^']{0,4000}')?/g;

const PATHS = /(?<![\w:/.])\/(?:[^\s/'",;]{1,255}\/)+[^\s'",;:]*/g;

/**
 * What another program said, such as a store, a media host or the file system, as one line of at
 * most `maxLength` characters that may be shown and logged: without secrets, local paths, control
 * and bidirectional characters.
 */
export function foreignWords(text: string, maxLength = MAX_WORDS_LENGTH): string {
  const plain = text
    .slice(0, MAX_READ_LENGTH)
    .toWellFormed()
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(ADDRESS_QUERIES, "")
    .replaceAll(QUOTED_PATHS, "")
    .replaceAll(PATHS, "[path]");
  const masked = FOREIGN_SECRETS.reduce(
    (words, secret) => words.replaceAll(secret, "[masked]"),
    maskSecrets(plain),
  ).trim();
  return masked.length <= maxLength ? masked : `${masked.slice(0, maxLength - 1).toWellFormed()}…`;
}
