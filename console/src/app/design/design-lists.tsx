import { Archive, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { BulkFailures } from "#console/ui/list/bulk-failures.tsx";
import { Button } from "#console/ui/button.tsx";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { ColumnsMenu } from "#console/ui/list/columns-menu.tsx";
import { FilterBar } from "#console/ui/list/filter-bar.tsx";
import { EmptyList, ListCard } from "#console/ui/list/list-card.tsx";
import type { PageFacts } from "#console/ui/list/pagination.tsx";
import { SelectPageBox } from "#console/ui/list/select-page-box.tsx";
import { Select } from "#console/ui/select.tsx";
import { SelectionBar } from "#console/ui/list/selection-bar.tsx";
import { SkeletonRows, Table } from "#console/ui/list/table.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { Section } from "./design-section.tsx";

const FACTS: PageFacts = { page: 2, limit: 20, total: 95, hasPrev: true, hasNext: true };
const CAPPED: PageFacts = { ...FACTS, page: 1, total: 10_000, totalIsCapped: true };

/** These samples change nothing. */
function nothing(): void {}

/** A list screen from filters to pagination, and each of its states. */
export function Lists() {
  const [search, setSearch] = useState("");
  const [hide, setHide] = useState<string | undefined>(undefined);
  return (
    <>
      <SampleTabs />
      <FilterBar
        search={{ placeholder: "Search samples...", value: search, onChange: setSearch }}
        refreshing={false}
        onRefresh={() => toast.info("Refreshed")}
        tools={
          <ColumnsMenu columns={{ name: "Name", size: "Size" }} hide={hide} onChange={setHide} />
        }
      >
        <Select
          label="Kind"
          value="all"
          options={[{ value: "all", label: "All Kinds" }]}
          onChange={nothing}
        />
      </FilterBar>
      <SampleList facts={FACTS} before={<SampleSelection />} hide={hide}>
        <tr>
          <td>
            <Checkbox label="Select Filled" labelHidden checked={false} onChange={nothing} />
          </td>
          <td>Filled</td>
          <td align="right">12 MB</td>
        </tr>
        <tr data-selected="true">
          <td>
            <Checkbox label="Select Selected" labelHidden checked onChange={nothing} />
          </td>
          <td>Selected</td>
          <td align="right">7 MB</td>
        </tr>
      </SampleList>
      <SampleList facts={CAPPED}>
        <SkeletonRows rows={2} columns={3} />
      </SampleList>
      <SampleList isEmpty onClear={nothing} />
      <SampleList isEmpty />
      <SampleList failure={new Error("refused")} />
    </>
  );
}

function SampleList({
  facts,
  isEmpty = false,
  failure,
  onClear,
  before,
  hide,
  children,
}: {
  readonly facts?: PageFacts;
  readonly isEmpty?: boolean;
  readonly failure?: Error;
  readonly onClear?: () => void;
  readonly before?: ReactNode;
  readonly hide?: string | undefined;
  readonly children?: ReactNode;
}) {
  const selected = {
    isPageSelected: false,
    isPagePartlySelected: true,
    selectPage: nothing,
  };
  const columns = [
    { id: "select", header: <SelectPageBox selected={selected} disabled={facts === undefined} /> },
    {
      id: "name",
      header: "Name",
      sort: { order: "desc" as const, onSort: () => toast.info("Sorted") },
    },
    { id: "size", header: "Size", align: "end" as const },
  ];
  return (
    <ListCard
      query={{
        data: failure === undefined ? facts : undefined,
        error: failure ?? null,
        isError: failure !== undefined,
        isFetching: false,
        refetch: () => new Promise(() => undefined),
      }}
      facts={facts}
      isEmpty={isEmpty}
      failure={{ title: "Failed to load samples" }}
      before={before}
      hide={hide}
      empty={
        <EmptyList
          icon={<Archive />}
          title="No samples found"
          onClear={onClear}
          firstHint="What would fill the list."
          firstStep={<Button>Make the first one</Button>}
        />
      }
      page={facts?.page ?? 1}
      onTurn={nothing}
    >
      <Table caption="Sample" columns={columns}>
        {children}
      </Table>
    </ListCard>
  );
}

function SampleSelection() {
  const bar = {
    total: 95,
    totalIsCapped: false,
    isPageSelected: false,
    selectingAll: false,
    progress: null,
    onSelectPage: nothing,
    onSelectAll: nothing,
    onClear: nothing,
    onStop: nothing,
  };
  const action = <Button icon={<Trash2 />}>Delete Selected</Button>;
  return (
    <>
      <SelectionBar {...bar} count={0}>
        {action}
      </SelectionBar>
      <SelectionBar {...bar} count={7} note="41.2 GB">
        {action}
      </SelectionBar>
      <SelectionBar {...bar} count={7} progress={{ verb: "Deleting", done: 3, total: 7 }}>
        {action}
      </SelectionBar>
      <BulkFailures
        title="1 sample could not be deleted"
        failures={[{ name: "A sample", reason: "It is in use." }]}
        onDismiss={nothing}
      />
    </>
  );
}

function SampleTabs() {
  const [tab, setTab] = useState<"one" | "two">("one");
  return (
    <Section title="Tabs">
      <Tabs
        label="Sample tabs"
        tabs={[
          { id: "one", label: "One" },
          { id: "two", label: "Two" },
        ]}
        chosen={tab}
        onChoose={setTab}
      >
        Panel {tab}
      </Tabs>
    </Section>
  );
}
