/** Cookies that no script can read and no other site can send. */
export type CookieJar = {
  readonly session: CookieKind;
  /** Binds a sign-in to the browser that began it. */
  readonly login: CookieKind;
};

export type CookieKind = {
  /** The single value in the request; null when absent, or when two values differ. */
  read(request: Request): string | null;
  isPresent(request: Request): boolean;
  /** The value of a `Set-Cookie` header. */
  write(value: string, maxAgeSec: number): string;
  clear(): string;
};

/**
 * `__Host-` binds a cookie to this exact host over https (RFC 6265bis section 4.1.3.2). Plain http
 * is for loopback only, where browsers refuse the prefix. SameSite=Strict works for the sign-in
 * too: the return from Twitch is a navigation, and the console then posts the callback.
 */
export function createCookieJar(isHttps: boolean): CookieJar {
  return {
    session: cookie("vodkeep_session", isHttps),
    login: cookie("vodkeep_login", isHttps),
  };
}

function cookie(name: string, isHttps: boolean): CookieKind {
  const fullName = isHttps ? `__Host-${name}` : name;
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isHttps ? "; Secure" : ""}`;
  return {
    read(request) {
      const values = new Set(valuesOf(request, fullName));
      const [value] = values;
      return values.size === 1 && value !== undefined ? value : null;
    },
    isPresent: (request) => valuesOf(request, fullName).length > 0,
    write: (value, maxAgeSec) => `${fullName}=${value}; Max-Age=${maxAgeSec}; ${attributes}`,
    clear: () => `${fullName}=; Max-Age=0; ${attributes}`,
  };
}

function valuesOf(request: Request, name: string): string[] {
  return (request.headers.get("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
