import * as calls from "#contract/audit.ts";
import type { ServiceContext } from "#service/context.ts";
import { attachmentHeader } from "#service/http/content-disposition.ts";
import { actorOf, route, type Route } from "#service/http/route.ts";
import type { AuditChain } from "./audit-chain.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { openAuditExport } from "./audit-export.ts";
import { pageAudit } from "./audit-list.ts";

const EXPORT_TYPES: Readonly<Record<calls.AuditExportFormat, string>> = {
  jsonl: "application/jsonl",
  csv: "text/csv; charset=utf-8",
};

export function auditRoutes({ platform }: ServiceContext, chain: AuditChain): Route[] {
  return [
    route(calls.listAudit, ({ query }) => pageAudit(platform.database, query)),
    route(calls.exportAudit, async ({ query, context: request }) => {
      const { format, ...scope } = query;
      const atMs = platform.clock.now();
      // Written first, so that the export itself contains who made it.
      await platform.database.run(
        auditEntry({
          ...actorOf(request),
          atMs: atMs,
          action: "audit.export",
          after: { format, ...scope },
        }),
      );
      const day = new Date(atMs).toISOString().slice(0, 10);
      return new Response(await openAuditExport(platform.database, chain, query), {
        headers: {
          "content-type": EXPORT_TYPES[format],
          "content-disposition": attachmentHeader(`audit-${day}.${format}`),
        },
      });
    }),
    route(calls.verifyAudit, async () => {
      const { verified, entries, firstBrokenSeq, head, keyReplaced } = await chain.verify();
      return {
        verified,
        entries,
        head: head === null ? null : { id: String(head.seq), seal: head.hash },
        firstBrokenId: firstBrokenSeq === null ? null : String(firstBrokenSeq),
        keyReplaced:
          keyReplaced === null ? null : { id: String(keyReplaced.seq), cause: keyReplaced.cause },
      };
    }),
  ];
}
