/** Whether a host name, as `URL.hostname` or HOST has it, stays on this machine (RFC 6761 section 6.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(hostname);
}
