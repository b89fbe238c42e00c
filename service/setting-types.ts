import * as z from "zod/mini";
import { basePathOf } from "./base-path.ts";
import { isLoopback } from "./loopback.ts";

// Types of settings: each reads the text of an environment variable.

export function wholeNumber(minimum: number, maximum: number) {
  const message = `must be a whole number from ${minimum} to ${maximum}`;
  return z.pipe(
    z.string().check(z.regex(/^\d{1,15}$/, message)),
    z.pipe(
      z.transform(Number),
      z.number().check(z.minimum(minimum, message), z.maximum(maximum, message)),
    ),
  );
}

export function positiveNumber(maximum: number) {
  const message = `must be a number above 0 and up to ${maximum}`;
  return z.pipe(
    z.string().check(z.regex(/^\d{1,12}(\.\d{1,6})?$/, message)),
    z.pipe(z.transform(Number), z.number().check(z.gt(0, message), z.maximum(maximum, message))),
  );
}

/** The default is relative; any other would be another folder with each working folder. */
export const folderPath = z
  .string()
  .check(
    z.regex(/^(?!~)/, "begins with ~, which only a shell replaces: write the whole path"),
    z.regex(/^(?:\.\/data$|\/|[a-z]:[\\/])/i, "must be a whole path, which begins with /"),
  );

export const flag = z.pipe(
  z.literal(["true", "false"], "must be true or false"),
  z.transform((text) => text === "true"),
);

const httpUrl = z.string().check(
  z.refine((text) => {
    const url = URL.parse(text);
    return (
      url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.username === ""
    );
  }, "must be an http or https address"),
);

/** A URL without a trailing slash, so that paths can be appended. */
export const baseUrl = z.pipe(
  httpUrl,
  z.transform((text) => text.replace(/\/+$/, "")),
);

/** For traffic that must not be read or changed in transit (docs/decisions/0021-sessions.md). */
export const encryptedUrl = z.pipe(
  baseUrl,
  z.string().check(
    z.refine((text) => {
      const url = new URL(text);
      return url.protocol === "https:" || isLoopback(url.hostname);
    }, "must be an https address: sign-in depends on it"),
  ),
);

/** Paths of the service and the console; no sub-path may begin with them. */
const OWN_SEGMENTS = /^\/(?:admin|assets|auth|media)(?:\/|$)/;

/**
 * An origin, with the sub-path if a reverse proxy adds one. Never with a trailing slash, so that
 * paths can be appended.
 */
export const publicUrl = z.pipe(
  z.pipe(
    httpUrl,
    z.transform((text) => {
      const { origin, pathname } = new URL(text);
      return `${origin}${pathname.replace(/\/+$/, "")}`;
    }),
  ),
  z.string().check(
    z.refine((text) => {
      const path = basePathOf(text);
      return /^(?:\/[\w.~-]+)*$/.test(path) && !OWN_SEGMENTS.test(path);
    }, "may have a path of letters, digits and .~_- that does not begin with /admin, /assets, /auth or /media"),
  ),
);

/** Drops blank parts. */
export const listText = z.pipe(
  z.string(),
  z.transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  ),
);

export const hostWithPort = z.string().check(
  z.regex(/^[a-z0-9.*[\]:-]{1,255}$/i, "must be host names, with a port where it is not 443"),
  z.refine(
    (text) => !text.includes("*") || /^\*(?:\.[a-z0-9-]+){2,}(?::\d+)?$/i.test(text),
    "must have two names or more after *., as in *.example.org",
  ),
);

export const secretKey = z
  .string()
  .check(
    z.refine(
      (text) => text.length >= 16 && new Set(text).size >= 6 && !/^(.+?)\1+$/.test(text),
      "must have at least 16 random characters, better 64 as `openssl rand -hex 32` prints",
    ),
  );
