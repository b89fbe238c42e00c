import { createArchiver } from "./archiver/archiver.ts";
import { fillPlaces } from "./channels/start.ts";
import { createAuditChain } from "./audit/audit-chain.ts";
import { AUDIT_LOG } from "./audit/key-replacement.ts";
import { createRefusalCounts } from "./audit/refusal-counts.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { createIdentityProof } from "./auth/identity-proof.ts";
import { createLoginStates } from "./auth/login-state.ts";
import { createCookieJar } from "./auth/session-cookie.ts";
import { createSessionEnding } from "./auth/session-ending.ts";
import { createDeviceSignIns } from "./auth/device-sign-ins.ts";
import { createSignIn } from "./auth/sign-in.ts";
import type { ServiceContext } from "./context.ts";
import { createDoctor } from "./doctor/doctor.ts";
import { createDirectSource } from "./direct-url/direct-source.ts";
import { createGrantRecord } from "./files/grant-record.ts";
import { createMediaGrants } from "./files/media-grant.ts";
import { createMetricsStream } from "./live/metrics-stream.ts";
import { createStreamRegistry } from "./live/stream-registry.ts";
import { createUploadStream } from "./live/upload-stream.ts";
import { createManualUploads } from "./manual-uploads/manual-uploads.ts";
import { createMessaging } from "./notifications/messaging.ts";
import { createKeyring } from "./secrets/keyring.ts";
import { createSecretCipher } from "./secrets/secret-cipher.ts";
import { createSigner } from "./secrets/signer.ts";
import { isHttps } from "./settings.ts";
import { createFirstSetup } from "./setup/first-setup.ts";
import { createJobHandlers } from "./job-handlers.ts";
import { createJobRunner } from "./jobs/job-runner.ts";
import { API_LIMITS } from "./source/upstream-request.ts";
import { createStoreHold } from "./store/store-hold.ts";
import { readMetrics } from "#service/metrics/metrics.ts";
import { createWorkerProbe } from "#service/health/worker-probe.ts";
import { createAppToken } from "./twitch/app-token.ts";
import { createRequestBudget, type RequestLane } from "./twitch/request-budget.ts";
import { createTwitchApi } from "./twitch/twitch-api.ts";
import { createTwitchOauth } from "./twitch/twitch-oauth.ts";
import { createTwitchSource } from "./twitch/twitch-source.ts";
import { createWebhookSender } from "./webhooks/webhook-sender.ts";

/** The objects with state of their own, shared by the routes and the background tasks. */
export type Features = Awaited<ReturnType<typeof createFeatures>>;

/** A sign-in makes two requests to Twitch; both must fit into the 10 s that the console waits. */
const SIGN_IN_LIMITS = { ...API_LIMITS, timeoutMs: 4_000 };

export async function createFeatures(context: ServiceContext) {
  const { platform, settings } = context;
  const keyring = createKeyring(settings);
  const cipher = await createSecretCipher(keyring, platform.random);
  const loginStates = await createLoginStates(keyring, platform.random);
  const cookies = createCookieJar(isHttps(settings));
  const twitch = createTwitchOauth(platform, settings, SIGN_IN_LIMITS);
  const deviceSignIns = createDeviceSignIns(twitch, cipher);
  const identities = createIdentityProof(context, twitch, loginStates, deviceSignIns);
  const setup = createFirstSetup(context);
  const auth = {
    authenticator: createAuthenticator(context, cookies),
    cookies,
    loginStates,
    deviceSignIns,
    signIn: createSignIn(context, identities, cipher, setup.openAsFirst),
    ending: createSessionEnding(context, twitch, cipher),
    twitch,
  };

  const appToken = createAppToken(context);
  const requests = createRequestBudget(platform.clock);
  const helix = (lane: RequestLane) => createTwitchApi(context, appToken, API_LIMITS, lane);
  const twitchApi = helix(requests.people);
  /** For what nobody waits for: its requests wait for the budget. */
  const backgroundTwitchApi = helix(requests.background);
  const sources = {
    twitch: createTwitchSource(context, twitchApi),
    url: createDirectSource(context),
  };
  const messaging = createMessaging(context);
  const webhooks = createWebhookSender(context, cipher);
  const storeHold = createStoreHold(context);
  const streams = createStreamRegistry(context);
  return {
    auth,
    setup,
    cipher,
    sources,
    twitchApi,
    backgroundTwitchApi,
    storeHold,
    archiver: createArchiver(context, sources, storeHold, () => fillPlaces(context)),
    manualUploads: createManualUploads(context),
    workers: createWorkerProbe(platform.clock),
    jobs: createJobRunner(
      context,
      createJobHandlers(context, { sources, backgroundTwitchApi, messaging, webhooks }),
    ),
    doctor: createDoctor(context),
    streams,
    uploadStream: createUploadStream(context, streams),
    metricsStream: createMetricsStream(context, streams, () => readMetrics(context)),
    grants: await createMediaGrants(keyring),
    recordGrant: createGrantRecord(context),
    messaging,
    webhooks,
    auditChain: createAuditChain(context, await createSigner(keyring, AUDIT_LOG)),
    refusals: createRefusalCounts(platform.database, platform.clock),
  };
}
