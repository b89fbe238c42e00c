import * as calls from "#contract/consent.ts";
import { userIdSchema } from "#contract/ids.ts";
import type { CookieJar } from "#service/auth/session-cookie.ts";
import type { SignIn } from "#service/auth/sign-in.ts";
import type { ServiceContext } from "#service/context.ts";
import { actorOf, principalOf, route, type Route } from "#service/http/route.ts";
import type { SourceLookup } from "#service/uploads/source-lookup.ts";
import { agree, agreeForOwnChannel, revokeConfirmation, withdraw } from "./consent-change.ts";
import { findConsent } from "#service/storage/consent.ts";
import { inviteOwner, readConsentPage, revokeInvitation } from "./invitations.ts";

export function consentRoutes(
  context: ServiceContext,
  lookup: SourceLookup,
  { signIn, cookies }: { readonly signIn: Pick<SignIn, "identify">; readonly cookies: CookieJar },
): Route[] {
  const { platform } = context;
  return [
    route(calls.inviteOwner, ({ body, context: request }) =>
      inviteOwner(context, lookup, body, actorOf(request)),
    ),
    route(calls.revokeInvitation, async ({ params, context: request }) => {
      await revokeInvitation(platform, params.channelId, actorOf(request));
      return {};
    }),
    route(calls.revokeConfirmation, async ({ params, context: request }) => {
      await revokeConfirmation(platform, params.channelId, actorOf(request));
      return {};
    }),
    route(calls.readConsentPage, ({ params }) => readConsentPage(platform, params.token)),
    route(calls.agree, async ({ params, body, context: request }) => ({
      consent: await agree(platform, { ...params, ...body }, actorOf(request)),
    })),
    route(calls.agreeForOwnChannel, async ({ body, context: request }) => {
      const owner = { ...body, displayName: principalOf(request).login };
      return { consent: await agreeForOwnChannel(platform, owner, actorOf(request)) };
    }),
    route(calls.readOwnConsent, async ({ context: request }) => ({
      consent: await findConsent(platform.database, principalOf(request).userId),
    })),
    route(calls.withdraw, async ({ context: request }) => ({
      consent: await withdraw(platform, principalOf(request).login, actorOf(request)),
    })),
    route(calls.withdrawBySignIn, async ({ body, context: request }) => {
      const browser = cookies.login.read(request.request);
      const { id, login } = await signIn.identify({ ...body, browser });
      const { requestId, clientAddress: address } = request;
      const actorId = userIdSchema.parse(id);
      await withdraw(platform, login, { actorId, requestId, address });
      return {};
    }),
  ];
}
