import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { readConsentPage } from "#contract/consent.ts";
import { ConsentTerms } from "#console/domain/consent/consent-terms.tsx";
import { ApiError, messageOf } from "#console/lib/api-error.ts";
import { request } from "#console/lib/api-request.ts";
import { useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button } from "#console/ui/button.tsx";
import { Gate } from "../gates/gate.tsx";
import { LoadingGate } from "../gates/loading-gate.tsx";
import { OwnConsent } from "./own-consent.tsx";

/**
 * The page of an invitation, for the channel's owner, who is usually no administrator: it stands
 * before the gates. Without a token, or when the link has ended, it shows only the own consent.
 */
export function ConsentGate() {
  const { token = null } = useParams({ strict: false });
  const session = useSession();
  const invitation = useQuery({
    queryKey: ["consent page", token],
    queryFn: ({ signal }) =>
      // Anyone may read it; a session that has expired must not stand in the way.
      request(readConsentPage, { params: { token: token ?? "" }, signal }, null),
    enabled: token !== null,
  });

  if (session.status === "loading" || (token !== null && invitation.isPending))
    return <LoadingGate text="Opening the page" />;
  const { data, error } = invitation;
  if (data !== undefined && token !== null) {
    const name = visibleText(data.channel.displayName);
    return (
      <Gate
        wide
        title="Archiving your VODs"
        text={`A question to ${name}, the owner of the channel`}
      >
        <ConsentTerms invitedBy={data.invitedBy} />
        <OwnConsent token={token} channel={data.channel} session={session} />
      </Gate>
    );
  }
  const isEnded = error instanceof ApiError && (error.status === 404 || error.status === 400);
  if (error !== null && !isEnded)
    return (
      <Gate title="Consent to archiving" text={messageOf(error)}>
        <Button large busy={invitation.isFetching} onClick={() => void invitation.refetch()}>
          Try again
        </Button>
      </Gate>
    );
  return (
    <Gate
      title="Consent to archiving"
      text={
        isEnded
          ? "This link is not valid: it has expired or was replaced. Ask for a new one."
          : "Whether this service may copy your VODs"
      }
    >
      <OwnConsent token={token} channel={null} session={session} />
    </Gate>
  );
}
