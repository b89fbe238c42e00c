import { ApiError } from "#service/api-error.ts";
import { replaceHidden } from "#service/hidden-characters.ts";
import type { Digests } from "#service/ports/digests.ts";
import { evaluateMediaAddress } from "#service/source/media-address.ts";
import type { SourceReference } from "#service/source/source.ts";

/** Leaves room for the host in what people see and download. */
const MAX_NAME_LENGTH = 100;

/** 80 bits: a million addresses collide with a probability of one in two trillion. */
const ID_DIGITS = 20;

/**
 * Reads an address that a person entered. Its id is a digest, so that keys contain ids only.
 * @param allowedHosts `SOURCE_HOSTS`
 * @throws {ApiError} `invalid_request` with a sentence that says what is wrong
 */
export async function identifyAddress(
  address: string,
  allowedHosts: readonly string[],
  digests: Digests,
): Promise<SourceReference> {
  const text = address.trim();
  if (allowedHosts.length === 0)
    throw invalidAddress(
      "Only Twitch VODs can be archived here. Other hosts are listed in SOURCE_HOSTS.",
    );
  const verdict = evaluateMediaAddress(text, allowedHosts);
  if (!verdict.allowed) {
    const host = URL.parse(text)?.host ?? "";
    throw invalidAddress(
      verdict.isUnlisted
        ? `${host} is not one of the hosts that videos may come from. SOURCE_HOSTS lists them.`
        : `That address ${verdict.reason}.`,
    );
  }
  return { itemId: await itemIdOf(verdict.url.href, digests), reference: verdict.url.href };
}

export async function itemIdOf(reference: string, digests: Digests): Promise<string> {
  const digest = await digests.sha256(new TextEncoder().encode(reference));
  return `url-${digest.slice(0, ID_DIGITS)}`;
}

/** The last part of the address's path, decoded; the host's name if there is none. */
export function nameInAddress(reference: string): string {
  const { pathname, hostname } = new URL(reference);
  const last = pathname.split("/").findLast((part) => part !== "") ?? hostname;
  return replaceHidden(decoded(last), "_")
    .replaceAll(/[\\/]/g, "_")
    .slice(0, MAX_NAME_LENGTH)
    .toWellFormed();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalidAddress(sentence: string): ApiError {
  return new ApiError("invalid_request", sentence, { details: { "source.url": sentence } });
}
