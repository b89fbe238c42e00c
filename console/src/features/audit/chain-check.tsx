import { useMutation } from "@tanstack/react-query";
import { ShieldCheck } from "lucide-react";
import { verifyAudit } from "#contract/audit.ts";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { formatPlural } from "#console/lib/format.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button } from "#console/ui/button.tsx";

export function useChainCheck() {
  return useMutation({ mutationFn: () => call(verifyAudit) });
}

type ChainCheck = ReturnType<typeof useChainCheck>;

export function ChainCheckButton({ check }: { readonly check: ChainCheck }) {
  return (
    <Button icon={<ShieldCheck />} busy={check.isPending} onClick={() => check.mutate()}>
      Verify chain
    </Button>
  );
}

/** Each entry's hash covers the entry and its predecessor, so later changes are detected. */
export function ChainCheckResult({ check }: { readonly check: ChainCheck }) {
  if (check.isError) {
    return <Banner tone="bad">The chain could not be verified. {messageOf(check.error)}</Banner>;
  }
  if (check.data === undefined) return null;
  const { verified, entries, firstBrokenId, head } = check.data;
  const checked = formatPlural(entries, "entry", "entries");
  return verified ? (
    <Banner tone="info">
      The chain is intact: {checked} verified, none changed or missing since it was sealed.
      {head !== null && (
        <>
          {" "}
          Newest seal: <code>{`${head.id} ${head.seal}`}</code>
        </>
      )}
    </Banner>
  ) : (
    <Banner tone="bad">
      The chain is broken{firstBrokenId !== null && ` at entry ${firstBrokenId}`}: it or the one
      before was changed or removed after it was written. {checked} checked.
    </Banner>
  );
}
