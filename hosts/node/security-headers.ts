/**
 * Content security policy of the console's pages: own scripts and styles from files, the API,
 * Twitch's pictures, and nothing else. No inline code, no frames, no forms.
 */
export function consoleSecurityHeaders(options: {
  /** Origins other than the console's own that its scripts may call. */
  readonly apiOrigins: readonly string[];
  /** Origins of pictures besides Twitch's. */
  readonly imageOrigins: readonly string[];
}): Readonly<Record<string, string>> {
  const policy = {
    "default-src": ["'none'"],
    "script-src": ["'self'"],
    "style-src": ["'self'"],
    "img-src": [
      "'self'",
      "data:",
      "https://static-cdn.jtvnw.net",
      ...options.apiOrigins,
      ...options.imageOrigins,
    ],
    "font-src": ["'self'"],
    "connect-src": ["'self'", ...options.apiOrigins],
    // The player passes media to the browser through blob URLs.
    "media-src": ["'self'", "blob:", ...options.apiOrigins],
    "worker-src": ["'self'"],
    "manifest-src": ["'self'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    "frame-ancestors": ["'none'"],
    "object-src": ["'none'"],
    "require-trusted-types-for": ["'script'"],
    // For the address of the worker that writes MP4 files (console/src/features/mp4).
    "trusted-types": ["mp4-worker"],
  };
  return {
    "content-security-policy": Object.entries(policy)
      .map(([name, sources]) => `${name} ${sources.join(" ")}`)
      .join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-site",
    "permissions-policy":
      "camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()",
    // Browsers only honour it over https.
    "strict-transport-security": "max-age=31536000",
  };
}
