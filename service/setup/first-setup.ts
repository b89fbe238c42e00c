import { ApiError } from "#service/api-error.ts";
import { hasAdministrator } from "#service/auth/signed-in-user.ts";
import type { OpenAsFirst } from "#service/auth/sign-in.ts";
import { repeatedAuditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import type { RequestContext } from "#service/http/route.ts";
import { isLoopback } from "#service/loopback.ts";
import type { SetupHost } from "#service/ports/setup-host.ts";
import { schemeOf, type Settings } from "#service/settings.ts";

/** Of 64 random bits, nobody guesses one in so few. */
const MAX_WRONG_CODES = 10;

/** Headers by which proxies tell whom they speak for (RFC 7239, RFC 9110 section 7.6.3). */
const PROXY_HEADERS = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-real-ip"];

/**
 * The setup of a deployment that has no administrator.
 *
 * - open: there is no administrator at the real Twitch. The stand-in's do not count.
 * - closed: there is one, or the host has no setup. Remains so until the next start.
 */
export type FirstSetup = {
  isOpen(): Promise<boolean>;
  /**
   * @throws {ApiError} not_found when closed or asked from elsewhere, forbidden for a wrong code
   */
  admit(request: RequestContext, code: string): Promise<SetupHost>;
  /** The sign-in with this state makes its account administrator. Only the last one does. */
  bind(state: string): void;
  openAsFirst: OpenAsFirst;
};

type OwnAddresses = Pick<Settings, "HOST" | "PUBLIC_URL" | "CONSOLE_URL">;

/**
 * Whether settings allow a setup: they name no administrator, and no proxy stands before the service,
 * which speaks the scheme of its addresses itself. Only then is a request's client address that of the
 * TCP connection.
 */
export function allowsSetup(
  settings: OwnAddresses &
    Pick<Settings, "ADMIN_TWITCH_IDS" | "TRUSTED_PROXIES" | "TLS" | "TLS_CERT">,
): boolean {
  return (
    settings.ADMIN_TWITCH_IDS.length === 0 &&
    settings.TRUSTED_PROXIES.length === 0 &&
    ownUrls(settings).every((url) => url.protocol === `${schemeOf(settings)}:`)
  );
}

export function createFirstSetup({
  platform,
  settings,
}: Pick<ServiceContext, "platform" | "settings">): FirstSetup {
  const { setup: host, database, clock, runtime } = platform;
  let isClosed = host === undefined;
  let wrongCodes = 0;
  let boundState: string | null = null;
  let isOpening = false;

  function close(): void {
    isClosed = true;
    boundState = null;
    host?.close();
  }

  async function isOpen(): Promise<boolean> {
    if (isClosed) return false;
    if (host?.credentials === "none" || !(await hasAdministrator(database))) return true;
    close();
    return false;
  }

  return {
    isOpen,

    async admit({ request, clientAddress, requestId }, code) {
      if (
        host === undefined ||
        !isDirect(settings, request.headers, clientAddress) ||
        !(await isOpen())
      )
        throw new ApiError("not_found", "There is nothing here.");
      const isLocked = wrongCodes >= MAX_WRONG_CODES;
      if (!isLocked && plainCode(code) === plainCode(host.code)) return host;
      wrongCodes += 1;
      await database.run(
        repeatedAuditEntry(
          {
            atMs: clock.now(),
            actorId: null,
            action: "access.refuse",
            target: "setup",
            result: "refused",
            reason: isLocked ? "The setup is locked" : "A setup code was wrong",
            requestId,
            address: clientAddress,
          },
          // One entry each, and one for all after them.
          `setup ${runtime.startedAt.getTime()} ${Math.min(wrongCodes, MAX_WRONG_CODES + 1)}`,
          1,
        ),
      );
      throw new ApiError(
        "forbidden",
        isLocked
          ? "Too many wrong codes. Restart Vodkeep for a new one."
          : "This is not the code of this start of Vodkeep.",
        { isAudited: true },
      );
    },

    bind(state) {
      boundState = state;
    },

    async openAsFirst(state, open) {
      if (boundState !== state || isOpening) return await open(false);
      isOpening = true;
      try {
        const isFirst = await isOpen();
        const opened = await open(isFirst);
        if (isFirst) close();
        return opened;
      } finally {
        isOpening = false;
      }
    },
  };
}

/**
 * Whether a browser asked at an address of this service, without a proxy. Sites that resolve to this
 * machine (DNS rebinding) send their own name as Host and Origin. Of other machines, only those get
 * this far that HOST lets in.
 */
function isDirect(settings: OwnAddresses, headers: Headers, clientAddress: string): boolean {
  const isInside = isLoopback(settings.HOST);
  const names = new Set(ownUrls(settings).map((url) => url.hostname));
  const isOwn = (address: string) => {
    const hostname = URL.parse(address)?.hostname;
    return hostname !== undefined && (names.has(hostname) || (isInside && isLoopback(hostname)));
  };
  const origin = headers.get("origin");
  return (
    (!isInside || isLoopback(clientAddress)) &&
    isOwn(`http://${headers.get("host") ?? ""}`) &&
    (origin === null || isOwn(origin)) &&
    !PROXY_HEADERS.some((name) => headers.has(name))
  );
}

function ownUrls({ PUBLIC_URL, CONSOLE_URL }: OwnAddresses): readonly URL[] {
  return [PUBLIC_URL, ...CONSOLE_URL].map((url) => new URL(url));
}

/** People type a code in capitals, and without its hyphens. */
function plainCode(code: string): string {
  return code.replace(/[\s-]/g, "").toLowerCase();
}
