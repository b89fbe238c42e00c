import * as calls from "#contract/audit.ts";
import type { ServiceContext } from "#service/context.ts";
import { route, type Route } from "#service/http/route.ts";
import { verifyChain } from "./audit-chain.ts";
import { listAuditPage } from "./audit-list.ts";

export function auditRoutes({ platform }: ServiceContext): Route[] {
  return [
    route(calls.listAudit, ({ query }) => listAuditPage(platform.database, query)),
    route(calls.verifyAudit, async () => {
      const { verified, entries, firstBrokenSeq } = await verifyChain(platform);
      return {
        verified,
        entries,
        firstBrokenId: firstBrokenSeq === null ? null : String(firstBrokenSeq),
      };
    }),
  ];
}
