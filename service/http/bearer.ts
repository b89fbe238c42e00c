/** What an Authorization header bears. The scheme's case does not matter (RFC 9110, 11.1). */
export function bearerOf(authorization: string | null): string | null {
  return /^bearer /i.test(authorization ?? "") ? (authorization?.slice(7) ?? null) : null;
}
