import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { listTokens, revokeToken, type ApiToken } from "#contract/tokens.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { useNow } from "#console/lib/clock.ts";
import { useSession } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Details } from "#console/ui/details.tsx";
import { DialogText } from "#console/ui/dialog.tsx";
import { QueryBody } from "#console/ui/query-body.tsx";
import { DateTime, Time } from "#console/ui/time.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { CredentialList } from "./credential-list.tsx";
import { NewToken } from "./new-token.tsx";

const tokensQuery = { ...callQuery(listTokens), staleTime: 0 };

/** The administrator's API tokens, and those of all users for who may manage users. */
export function ApiTokens({ isNew }: { readonly isNew: boolean }) {
  const queryClient = useQueryClient();
  const tokens = useQuery(tokensQuery);
  const [isMaking, setIsMaking] = useState(isNew);
  const [revoked, setRevoked] = useState<ApiToken | null>(null);
  // The button that was pressed may be gone.
  useEffect(() => {
    if (document.activeElement === document.body)
      document.querySelector<HTMLElement>("[data-page-title]")?.focus();
  });
  const refresh = () => queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
  const revoke = useMutation({
    mutationFn: ({ id }: ApiToken) => call(revokeToken, { params: { id } }),
    onSuccess: () => toast.success("Token revoked"),
    onSettled: refresh,
  });
  return (
    <Card title="API Tokens" actions={<Button onClick={() => setIsMaking(true)}>New Token</Button>}>
      <div className="stack gap4">
        <DialogText>Programs sign in with them and act for you, within your rights.</DialogText>
        <QueryBody query={tokens}>
          {(data) =>
            data.tokens.length > 0 && (
              <CredentialList credentials={data.tokens}>
                {(token) => (
                  <>
                    <TokenFacts token={token} />
                    <Button
                      aria-label={`Revoke ${visibleText(token.name)}`}
                      onClick={() => setRevoked(token)}
                    >
                      Revoke
                    </Button>
                  </>
                )}
              </CredentialList>
            )
          }
        </QueryBody>
      </div>
      {isMaking && <NewToken onMade={refresh} onClose={() => setIsMaking(false)} />}
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke Token"
          question="Programs that use this token can do nothing any more. This cannot be undone."
          confirmLabel="Revoke"
          danger
          onConfirm={() => revoke.mutateAsync(revoked)}
          onClose={() => setRevoked(null)}
        >
          <TokenFacts token={revoked} />
        </ConfirmDialog>
      )}
    </Card>
  );
}

const NOW_STEP_MS = 60_000;

function TokenFacts({ token }: { readonly token: ApiToken }) {
  const nowMs = useNow(NOW_STEP_MS);
  const session = useSession();
  const { owner, expiresAt, lastUsedAddress } = token;
  const isMine = session.status === "signed-in" && session.admin.id === owner.userId;
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= nowMs;
  return (
    <Details
      properties={[
        { name: "Name", value: <strong>{visibleText(token.name)}</strong> },
        { name: "Owner", value: !isMine && visibleText(owner.displayName) },
        { name: "Rights", value: token.permissions.join(", ") },
        {
          name: "Last used",
          value: (
            <span>
              <Time at={token.lastUsedAt} />
              {lastUsedAddress !== null && ` from ${visibleText(lastUsedAddress)}`}
            </span>
          ),
        },
        {
          name: "Expires",
          value: (
            <>
              {expiresAt === null ? "Never" : <DateTime at={expiresAt} />}
              {isExpired && <Badge tone="bad">Expired</Badge>}
            </>
          ),
        },
      ]}
    />
  );
}
