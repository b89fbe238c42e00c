import { useMutation, useQuery, type UseMutationResult } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowLeft, Download, FileJson, ShieldCheck, Table2, X } from "lucide-react";
import { useMemo } from "react";
import { call } from "#console/lib/api-client.ts";
import { messageOf } from "#console/lib/api-error.ts";
import { addressOf } from "#contract/call-request.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import type { ViewOf } from "#console/lib/api-request.ts";
import { pageQuery } from "#console/lib/call-query.ts";
import { startDownload } from "#console/lib/download.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { serverNowMs } from "#console/lib/server-clock.ts";
import { useList } from "#console/lib/use-list.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Banner } from "#console/ui/banner.tsx";
import { Button, buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import fields from "#console/ui/field.module.css";
import { DataTable } from "#console/ui/list/data-table.tsx";
import { FilterSelect } from "#console/ui/list/filter-select.tsx";
import { ListCard } from "#console/ui/list/list-card.tsx";
import { Menu } from "#console/ui/menu.tsx";
import { Page, type ScreenProps } from "#console/ui/page.tsx";
import { StaleMark } from "#console/ui/stale-mark.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { ListBar } from "#console/domain/list-bar.tsx";
import type { DataOf } from "#contract/call.ts";
import { type AuditExportFormat, exportAudit, listAudit, verifyAudit } from "#contract/audit.ts";
import { DEFAULT_PAGE_SIZE, MAX_AUDIT_EXPORT } from "#contract/limits.ts";
import { actionOptions } from "./audit-actions.ts";
import { auditColumns } from "./audit-columns.tsx";
import { AuditDetails } from "./audit-details.tsx";
import { type AuditSearch, spanOf } from "./audit-search.ts";
import styles from "./audit.module.css";

const RESULT_OPTIONS = [
  { value: "done", label: "Done" },
  { value: "refused", label: "Refused" },
] as const;

const route = getRouteApi("/audit");

const PERIOD_OPTIONS = [
  { value: "today", label: "Today" },
  { value: "yesterday", label: "Yesterday" },
  { value: "week", label: "Last 7 Days" },
  { value: "month", label: "Last 30 Days" },
  { value: "dates", label: "Chosen Dates" },
] as const;

function matchingOf({ search, action, actor, result, ...span }: AuditSearch) {
  return { search, action, actorId: actor, result, ...spanOf(span, serverNowMs()) };
}

/** Not polled: rows must not move while older entries are read. */
function listQuery(search: AuditSearch) {
  return pageQuery(listAudit, { page: search.page ?? 1, ...matchingOf(search) });
}

function prefetchAudit({ queryClient, search }: ScreenOpening<AuditSearch>) {
  return queryClient.prefetchQuery(listQuery(search));
}

function AuditPage({ title }: ScreenProps) {
  const search = route.useSearch();
  const matching = matchingOf(search);
  const audit = useQuery(listQuery(search));
  const { data } = audit;
  const list = useList({
    search,
    navigate: route.useNavigate(),
    query: audit,
    data,
    filters: ["action", "actor", "result", "period", "from", "to", "search"],
  });
  const { change, filter } = list;
  const check = useMutation({ mutationFn: () => call(verifyAudit) });
  const columns = useMemo(() => auditColumns((actor) => filter({ actor })), [filter]);

  return (
    <Page
      title={title}
      subtitle="Every change and every refusal, newest first"
      actions={
        <>
          <StaleMark query={audit} intervalMs={false} />
          <Link to="/system" className={buttonClassName("quiet")}>
            <ArrowLeft />
            System
          </Link>
          <AuditExport filters={matching} total={data?.total ?? 0} />
          <Button icon={<ShieldCheck />} busy={check.isPending} onClick={() => check.mutate()}>
            Verify chain
          </Button>
        </>
      }
    >
      <ChainCheckResult check={check} />
      <ListBar
        list={list}
        placeholder="Search by action, target, reason, user, token or request..."
      >
        <FilterSelect
          label="Action"
          all="All Actions"
          value={search.action}
          options={actionOptions(search.action)}
          onChange={(action) => filter({ action })}
        />
        <FilterSelect
          label="Result"
          all="All Results"
          value={search.result}
          options={RESULT_OPTIONS}
          onChange={(result) => filter({ result })}
        />
        <FilterSelect
          label="Period"
          all="All Time"
          value={search.period}
          options={PERIOD_OPTIONS}
          onChange={(period) => filter({ period, from: undefined, to: undefined })}
        />
        {search.period === "dates" &&
          (["from", "to"] as const).map((end) => (
            <input
              key={end}
              type="date"
              className={classNames(fields.input, styles.date)}
              aria-label={end === "from" ? "First day" : "Last day"}
              value={search[end] ?? ""}
              onChange={({ target: { value } }) =>
                filter({ [end]: value === "" ? undefined : value })
              }
            />
          ))}
        {search.actor !== undefined && (
          <Button
            aria-label="Show the actions of all users"
            onClick={() => filter({ actor: undefined })}
          >
            By {visibleText(actorName(data?.items, search.actor))}
            <X />
          </Button>
        )}
      </ListBar>
      <ListCard
        list={list}
        failure={{ title: "Failed to load data" }}
        empty={{
          title: "No entries found",
          firstHint: "Changes by administrators appear here.",
        }}
        noun={["entry", "entries"]}
      >
        <DataTable
          list={list}
          caption="Audit log"
          columns={columns}
          idOf={({ id }) => id}
          skeletonRows={DEFAULT_PAGE_SIZE / 2}
          detail={{
            openId: search.entry,
            onToggle: ({ id }) => change({ entry: id === search.entry ? undefined : id }, true),
            render: (entry) => <AuditDetails entry={entry} />,
          }}
        />
      </ListCard>
    </Page>
  );
}

function actorName(
  items: readonly { readonly actor: { userId: string; displayName: string } | null }[] | undefined,
  actorId: string,
): string {
  const entry = items?.find(({ actor }) => actor?.userId === actorId);
  return entry?.actor?.displayName ?? actorId;
}

/** Downloads all entries that match the filters, authenticated by the session cookie. */
function AuditExport({
  filters,
  total,
}: {
  readonly filters: Omit<ViewOf<typeof exportAudit>, "format">;
  /** Number of matching entries. */
  readonly total: number;
}) {
  function save(format: AuditExportFormat) {
    startDownload(apiAddress(addressOf(exportAudit, { query: { ...filters, format } })));
    if (total > MAX_AUDIT_EXPORT)
      toast.info(`The file contains the newest ${formatCount(MAX_AUDIT_EXPORT)} entries`);
  }
  return (
    <Menu
      label="Export"
      items={[
        {
          label: "JSON lines, to be verified offline",
          icon: <FileJson />,
          onSelect: () => save("jsonl"),
        },
        { label: "CSV, for a spreadsheet", icon: <Table2 />, onSelect: () => save("csv") },
      ]}
      renderTrigger={(props) => (
        <Button {...props} icon={<Download />}>
          Export
        </Button>
      )}
    />
  );
}

/** Each entry's hash covers the entry and its predecessor, so later changes are detected. */
function ChainCheckResult({
  check,
}: {
  readonly check: UseMutationResult<DataOf<typeof verifyAudit>, Error, void>;
}) {
  if (check.isError) {
    return <Banner tone="bad">The chain could not be verified. {messageOf(check.error)}</Banner>;
  }
  if (check.data === undefined) return null;
  const { verified, entries, firstBrokenId, head, keyReplaced } = check.data;
  const checked = formatPlural(entries, "entry", "entries");
  return verified ? (
    <Banner tone="info">
      The chain is intact: {checked} verified, none changed or missing since it was sealed.
      {keyReplaced !== null &&
        ` The key was replaced at entry ${keyReplaced.id} ${keyReplaced.cause === "restore" ? "by a restore" : "on the command line"}: only a seal that was kept elsewhere vouches for what is before.`}
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

export { AuditPage as Screen, prefetchAudit as prefetch };
