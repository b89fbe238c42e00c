import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import type { ConnectionGuard } from "#service/ports/outgoing-fetch.ts";
import { CONNECT_TIMEOUT_MS } from "./outgoing-fetch.ts";

type Resolve = (
  name: string,
  options: LookupAllOptions,
  found: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Checks the very addresses that a connection uses. One refused address refuses the whole name. */
export function guardConnections(
  guard: ConnectionGuard,
  resolve: Resolve = lookup,
): buildConnector.connector {
  return (target, done) => {
    const { hostname } = target;
    const url = { ...target, hostname: isIP(hostname) === 6 ? `[${hostname}]` : hostname };
    const check = (ip: string): Error | null => {
      try {
        guard(url, ip);
        return null;
      } catch (error) {
        return error instanceof Error ? error : new Error("The address was refused");
      }
    };
    const guardedLookup: LookupFunction = (name, options, found) => {
      resolve(name, { ...options, all: true }, (failure, addresses) => {
        const error =
          failure ?? addresses.map(({ address }) => check(address)).find((each) => each !== null);
        const [first] = addresses ?? [];
        if (error !== undefined && error !== null) found(error, "", 0);
        else if (options.all === true) found(null, addresses);
        else found(null, first?.address ?? "", first?.family);
      });
    };
    // A host in numbers is not looked up.
    const error = isIP(hostname) === 0 ? null : check(hostname);
    if (error === null)
      buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup })(target, done);
    else done(error, null);
  };
}
