import { host } from "#host-under-test";
import { PERMISSIONS, type Permission } from "#contract/permissions.ts";
import { createService, type Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import { createLogger } from "#service/logger.ts";
import type { Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { createTestClock } from "./test-clock.ts";
import { TestClient } from "./test-client.ts";
import { TEST_SETTINGS } from "./test-settings.ts";
import { startTwitchUnderTest } from "./twitch-under-test.ts";

/** Accounts of the Twitch stand-in; the first is the deployment's administrator. */
export const ADMIN = "1001";
export const STREAMER = "1005";

export type TestServiceOptions = {
  readonly settings?: Readonly<Record<string, string>>;
  /** Replaces a part of the platform, e.g. to inject faults. */
  readonly changePlatform?: (platform: Platform) => Platform;
  /** Starts the background work: sweeps, archives, streams' heartbeats. */
  readonly starts?: boolean;
};

export type TestService = Awaited<ReturnType<typeof startTestService>>;

/** The whole service on the platform of the host that runs the test. */
export async function startTestService(options: TestServiceOptions = {}) {
  const clock = createTestClock();
  const consoleUrl = options.settings?.CONSOLE_URL?.split(",")[0] ?? "http://localhost:8787";
  const twitch = await startTwitchUnderTest(
    { redirectUris: [`${consoleUrl}/auth/callback`] },
    clock,
  );
  const settings = readSettings({
    PORT: "8787",
    ...twitch.settings,
    ...TEST_SETTINGS,
    ADMIN_TWITCH_IDS: ADMIN,
    RATE_LIMIT_FACTOR: "100000",
    ...options.settings,
  });
  const opened = await host.openPlatform(settings, clock);
  const openService = (on: Platform): Promise<Service> =>
    createService(on, settings, { checksAnswers: true });
  const change = options.changePlatform ?? ((same) => same);
  const platform = change(opened.platform);
  const service = await openService(platform);
  if (options.starts === true) {
    opened.attachConsumer(service, (another) => openService(change(another)));
    service.start();
  }

  /** A browser that has not signed in. */
  function visitor(): TestClient {
    return new TestClient(
      (request) => service.fetch(request, { clientAddress: "127.0.0.1" }),
      settings.PUBLIC_URL,
      settings.CONSOLE_URL[0],
    );
  }

  /** Signs a Twitch account in like a browser. */
  async function signIn(accountId: string): Promise<TestClient> {
    const client = visitor();
    await twitch.keepTime();
    await client.signIn(accountId);
    return client;
  }

  return {
    service,
    platform,
    settings,
    /** For calling parts of the service directly. */
    context: { platform, settings, log: createLogger(clock, platform.logs) },
    clock,
    twitch,
    /** Everything the service wrote to its log, as JSON lines. */
    log: () => opened.log(),
    visitor,
    signIn,
    /** Signs an account in that holds exactly these permissions. */
    async signInWith(accountId: string, permissions: readonly Permission[]): Promise<TestClient> {
      const client = await signIn(accountId);
      const ordered = PERMISSIONS.filter((permission) => permissions.includes(permission));
      await platform.database.run(
        sql`UPDATE users SET permissions = ${JSON.stringify(ordered)} WHERE id = ${accountId}`,
      );
      return client;
    },
    async close() {
      await Promise.all([service.stop(), opened.quiesce()]);
      await opened.close();
      await twitch.close();
    },
  };
}
