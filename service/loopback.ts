/** Whether a host name, as in `URL.hostname` or HOST, is this machine (RFC 6761 section 6.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
