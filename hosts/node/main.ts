import { fstatSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { createService } from "#service/app.ts";
import {
  CONSOLE_FILES,
  createRequestLimits,
  takeForAddress,
} from "#service/http/request-limits.ts";
import { basePathOf } from "#service/base-path.ts";
import { createLogger, type Logger } from "#service/logger.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { COMMIT, VERSION } from "#service/version.ts";
import {
  SettingsError,
  readSettings,
  redirectAdvice,
  schemeOf,
  type Settings,
} from "#service/settings.ts";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { rememberOrigin } from "#service/store/deployment.ts";
import { allowsSetup } from "#service/setup/first-setup.ts";
import { isLoopback } from "#service/loopback.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { announce, announceNotes, setupNote } from "./announcement.ts";
import { clientAddressReader, plainAddress, trustedProxyMatcher } from "./client-address.ts";
import { type Certificate, readCertificate } from "./certificate.ts";
import { loadConsoleFiles } from "./console-files.ts";
import { takeDataFolder } from "./data-folder.ts";
import { readOrigin } from "./database-snapshot.ts";
import { createLogSink, JOURNAL_PRIORITIES } from "./log-sink.ts";
import { countSocketMemoryWithHeap } from "./memory-limits.ts";
import { openNodePlatform } from "./platform.ts";
import {
  createSetupHost,
  readStoredCredentials,
  removeSetupCode,
  writeSetupCode,
} from "./setup-files.ts";
import { secretKeyOf } from "./secret-key.ts";
import { consoleSecurityHeaders } from "./security-headers.ts";
import { listenOn, type NodeServer } from "./server.ts";
import { notifyServiceManager } from "./service-manager.ts";
import { startStandIns } from "./stand-ins.ts";

const CONSOLE_FOLDER = fileURLToPath(new URL("../../dist/console", import.meta.url));

countSocketMemoryWithHeap();
/** Below the stop timeout of every supervisor (Docker 10 s, systemd 90 s). */
const DRAIN_MS = 6_000;

/** Hundreds of people in one network have a stream and a few requests each. */
const MAX_CONNECTIONS_PER_ADDRESS = 1_000;

/** Programs that renew a certificate replace its files weeks before the old one ends. */
const CERTIFICATE_INTERVAL_MS = 60_000;

/** As in sysexits.h. The systemd unit does not repeat a start that ended with it. */
const EXIT_CONFIG = 78;

await run().catch(exitOnFailure);

/** `setupCode` and `port` are those of a run that the first setup restarts. */
async function run(setupCode?: string, port?: number): Promise<void> {
  const environment = {
    ...withoutBlanks(process.argv.includes("--trial") ? trialOf(process.env) : process.env),
    ...(port && { PORT: String(port) }),
  };
  const given = readSettings(environment);
  // Refuses invalid entries before anything is changed.
  const isTrustedProxy = trustedProxyMatcher(given.TRUSTED_PROXIES);
  const folder = takeDataFolder(given.DATA_DIR);
  const origin = readOrigin(join(folder.path, "vodkeep.db"));
  const SECRET_KEY = await secretKeyOf(folder, given, origin.keyFingerprint);
  const keys = { ...given, SECRET_KEY };
  const certificate = await readCertificate(given, folder, systemClock.now());
  const stored =
    given.TWITCH_CLIENT_ID === undefined
      ? await readStoredCredentials(folder, keys, { renews: true })
      : null;
  const [server, standIns] = await Promise.all([
    listenOn(given.HOST, given.PORT, {
      basePath: basePathOf(given.PUBLIC_URL),
      certificate,
      connections: {
        maxPerAddress: MAX_CONNECTIONS_PER_ADDRESS,
        // Programs on this machine may be proxies, too.
        isExempt: (address) => isLoopback(plainAddress(address)) || isTrustedProxy(address),
      },
    }),
    startStandIns({ ...given, ...stored }, folder.path, origin.twitchClientId),
  ]);
  const settings = readSettings({
    SECRET_KEY,
    ...standIns?.settings,
    ...stored,
    ...environment,
    PORT: String(server.port),
  });
  const logs = createLogSink(systemClock, process.stdout, {
    isJournal: isReadByJournal(1),
  });
  const log = createLogger(systemClock, logs);
  log.info("Vodkeep starts", { version: VERSION, commit: COMMIT, node: process.version });
  if (setupCode === undefined) surviveTrouble(log);
  const renewal =
    certificate &&
    setInterval(
      () => void renew(server, log, () => readCertificate(given, folder, systemClock.now())),
      CERTIFICATE_INTERVAL_MS,
    );
  const host = await openNodePlatform(settings, folder.path, logs);
  await rememberOrigin(host.platform, {
    twitchClientId: standIns === null ? (settings.TWITCH_CLIENT_ID ?? null) : null,
    keyFingerprint: await fingerprintOf(SECRET_KEY),
  });
  const limits = createRequestLimits(systemClock, settings.RATE_LIMIT_FACTOR);
  const setup = createSetupHost(folder, keys, {
    code: setupCode,
    credentials:
      given.TWITCH_CLIENT_ID !== undefined ? "environment" : stored !== null ? "stored" : "none",
    twitchIdUrl: given.TWITCH_ID_URL,
    restart: () => setTimeout(() => void restart()),
  });
  const platform = allowsSetup({ ...settings, ADMIN_TWITCH_IDS: given.ADMIN_TWITCH_IDS })
    ? { ...host.platform, setup }
    : host.platform;
  const service = await createService(platform, settings, { limits });
  await service.openStore();
  const consoleFiles = await loadConsoleFiles(
    CONSOLE_FOLDER,
    consoleSecurityHeaders({
      apiOrigins: [new URL(settings.PUBLIC_URL).origin],
      imageOrigins: standIns?.imageOrigins ?? [],
    }),
    basePathOf(settings.PUBLIC_URL),
    join(folder.path, "console-assets"),
  );
  server.serve({
    answer: (request, info) => service.fetch(request, info),
    consoleFiles,
    takeConsoleFile: (address) => takeForAddress(limits.limiter, CONSOLE_FILES, address),
    clientAddress: clientAddressReader(settings.TRUSTED_PROXIES, () =>
      log.warn(
        "A request came with X-Forwarded-For, which is ignored because TRUSTED_PROXIES is not set. Behind a reverse proxy all clients then share one request limit: name the proxy's address in TRUSTED_PROXIES",
      ),
    ),
    loopbackOrigin: loopbackOrigin(settings, server.port),
    onBroken: (error) => log.warn("An answer broke off", { error }),
  });
  host.attachConsumer((message) => service.consume(message));
  service.start();
  announce(server.port, settings, folder.path, {
    usesStandIn: standIns !== null,
    hasConsole: consoleFiles !== null,
  });
  announceNotes(log, standIns?.notes ?? [redirectAdvice(settings)]);
  removeSetupCode(folder);
  if (await service.isSetupOpen()) {
    const path = writeSetupCode(folder, setup.code);
    announceNotes(log, [setupNote(settings, setup.code, path)]);
  }
  notifyServiceManager((error) => log.error("systemd-notify cannot be run", { error }));

  let isEnding = false;
  /** Whether everything has been closed; false if some work did not stop in time. */
  async function close(): Promise<boolean> {
    isEnding = true;
    clearInterval(renewal ?? undefined);
    const quiet = Promise.all([service.stop(), host.quiesce(), server.close()]);
    const isQuiet = await Promise.race([
      quiet.then(
        () => true,
        (error: unknown) => {
          console.error(error);
          return false;
        },
      ),
      systemClock.sleep(DRAIN_MS).then(() => false),
    ]);
    // A running archive is left as it is and resumes at the next start, as after a crash: closing
    // its files and connections would be recorded as a failure.
    if (isQuiet) await host.close();
    else await logs.flush();
    standIns?.close();
    removeSetupCode(folder);
    folder.release();
    return isQuiet;
  }
  async function end(): Promise<void> {
    if (isEnding) return;
    await close();
    process.exit(0);
  }
  async function restart(): Promise<void> {
    if (isEnding) return;
    const isClosed = await close();
    stopListening();
    // Work that goes on would use the same files.
    if (!isClosed) {
      console.error("Some work did not stop in time. Start Vodkeep again.");
      process.exit(1);
    }
    await run(setup.code, server.port).catch(exitOnFailure);
  }
  let isSignalled = false;
  function onSignal(): void {
    // A second signal ends the process at once.
    if (isSignalled) process.exit(1);
    isSignalled = true;
    void end();
  }
  function onDisconnect(): void {
    void end();
  }
  function stopListening(): void {
    process.off("SIGTERM", onSignal);
    process.off("SIGINT", onSignal);
    process.off("disconnect", onDisconnect);
  }
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  // Ends with the parent process, if that one started it with an IPC channel.
  process.on("disconnect", onDisconnect);
}

/** A wrong setting is for the operator to correct: one sentence. Others are bugs: all details. */
function exitOnFailure(error: unknown): never {
  if (isReadByJournal(2)) process.stderr.write(JOURNAL_PRIORITIES.error);
  console.error(describeStart(error));
  process.exit(isWrongSetting(error) ? EXIT_CONFIG : 1);
}

/** A certificate that cannot be read now may be half written: the one in use stays. */
async function renew(
  server: NodeServer,
  log: Logger,
  read: () => Promise<Certificate | null>,
): Promise<void> {
  try {
    const certificate = await read();
    if (certificate !== null) server.present(certificate);
  } catch (error) {
    log.warn("The certificate could not be read again; the one in use stays", { error });
  }
}

/** Null unless both PUBLIC_URL and CONSOLE_URL are the default address. */
function loopbackOrigin(settings: Settings, port: number): string | null {
  const origin = `${schemeOf(settings)}://localhost:${port}`;
  return settings.PUBLIC_URL === origin && settings.CONSOLE_URL[0] === origin ? origin : null;
}

/** What the machine refused, for example a port in use, may be different at the next start. */
function isWrongSetting(error: unknown): boolean {
  return error instanceof SettingsError && error.cause === undefined;
}

function describeStart(error: unknown): unknown {
  if (error instanceof SettingsError) return error.message;
  if (error instanceof StoreError) return `The object store cannot be used. ${error.message}.`;
  if (!(error instanceof DatabaseError)) return error;
  const advice = /malformed|not a database/.test(error.message)
    ? " Restore a backup, or move vodkeep.db, its -wal and its -shm away and run vodkeep rebuild-index --takeover."
    : "";
  return `The database cannot be used: ${error.message}.${advice}`;
}

/** A closed output pipe or an unhandled rejection must not end running archives and sessions. */
function surviveTrouble(log: Logger): void {
  for (const stream of [process.stdout, process.stderr])
    stream.removeAllListeners("error").on("error", () => undefined);
  process.on("unhandledRejection", (error) => log.error("An error was not handled", { error }));
}

/** Stand-ins only, and a folder of its own: the deployment in DATA_DIR is not touched. */
function trialOf({ DATA_DIR, PORT }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { PORT, DATA_DIR: join(readSettings({ DATA_DIR }).DATA_DIR, "trial") };
}

function withoutBlanks(environment: NodeJS.ProcessEnv): Record<string, string> {
  const entries = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as const],
  );
  return Object.fromEntries(entries);
}

/**
 * Whether systemd's journal reads an output of this process: JOURNAL_STREAM names its device and
 * inode, and is inherited by processes whose output goes elsewhere (systemd.exec(5)).
 */
function isReadByJournal(fileDescriptor: 1 | 2): boolean {
  const stream = process.env["JOURNAL_STREAM"];
  if (stream === undefined) return false;
  const { dev, ino } = fstatSync(fileDescriptor);
  return stream === `${dev}:${ino}`;
}
