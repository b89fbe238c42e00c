import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { endSession, listSessions, type OwnSession } from "#contract/sessions.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { Detail, Details } from "#console/ui/details.tsx";
import { DialogError, DialogText } from "#console/ui/dialog.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { Time } from "#console/ui/time.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { browserName } from "./browser-name.ts";
import { CredentialList } from "./credential-list.tsx";

const sessionsQuery = { ...callQuery(listSessions), staleTime: 0 };

/** The administrator's live sessions; all but the current one can be ended here. */
export function SessionsCard() {
  const queryClient = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (ids: readonly string[]) =>
      Promise.all(ids.map((id) => call(endSession, { params: { id } }))),
    onSuccess: (_, ids) => {
      toast.success(ids.length === 1 ? "Session ended" : `${ids.length} sessions ended`);
      // Its row vanishes with the button.
      document.querySelector<HTMLElement>("[data-page-title]")?.focus();
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <Card title="Your Sessions">
      <div className="stack gap4">
        <DialogText>Where you are signed in. End sessions that you don't recognize.</DialogText>
        {end.isError && <DialogError>{messageOf(end.error)}</DialogError>}
        <QueryBody query={sessions}>
          {(data) => {
            const others = data.sessions.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id);
            return (
              <>
                {others.length > 1 && (
                  <Button
                    busy={end.isPending && end.variables.length > 1}
                    onClick={() => end.mutate(others)}
                  >
                    End all others ({others.length})
                  </Button>
                )}
                <CredentialList credentials={data.sessions}>
                  {(session) => (
                    <>
                      <SessionFacts session={session} />
                      {session.isCurrent ? (
                        <Badge tone="accent">This session</Badge>
                      ) : (
                        <Button
                          busy={end.isPending && end.variables.includes(session.id)}
                          onClick={() => end.mutate([session.id])}
                        >
                          End Session
                        </Button>
                      )}
                    </>
                  )}
                </CredentialList>
              </>
            );
          }}
        </QueryBody>
      </div>
    </Card>
  );
}

function SessionFacts({ session }: { readonly session: OwnSession }) {
  return (
    <Details>
      <Detail name="Browser">
        {session.userAgent === null ? (
          "Unknown"
        ) : (
          <span title={visibleText(session.userAgent)}>
            {visibleText(browserName(session.userAgent))}
          </span>
        )}
      </Detail>
      <Detail name="Address">{session.address ?? "Unknown"}</Detail>
      <Detail name="Signed in">
        <Time at={session.createdAt} />
      </Detail>
      <Detail name="Last used">
        <Time at={session.lastUsedAt} />
      </Detail>
    </Details>
  );
}
