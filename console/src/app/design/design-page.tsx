import { Archive, EllipsisVertical, RefreshCw, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { UPLOAD_STATUSES } from "#contract/uploads.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { Badge, type Tone } from "#console/ui/badge.tsx";
import { Banner } from "#console/ui/banner.tsx";
import { Button, IconButton, type ButtonKind } from "#console/ui/button.tsx";
import { Card } from "#console/ui/card.tsx";
import { Checkbox, Switch } from "#console/ui/checkbox.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Dialog, DialogError, DialogSubject, DialogText } from "#console/ui/dialog.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { ErrorState } from "#console/ui/error-state.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Menu } from "#console/ui/menu.tsx";
import { Page } from "#console/ui/page.tsx";
import { Pagination } from "#console/ui/pagination.tsx";
import { Meter, Progress } from "#console/ui/progress.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Spinner } from "#console/ui/spinner.tsx";
import { StatCard, StatGrid } from "#console/ui/stat-card.tsx";
import { SkeletonRows, Table } from "#console/ui/table.tsx";
import { Tabs } from "#console/ui/tabs.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { Time } from "#console/ui/time.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { UploadStatusBadge } from "#console/ui/upload-status-badge.tsx";
import { Figures } from "./design-charts.tsx";
import styles from "./design-page.module.css";

const KINDS: readonly ButtonKind[] = ["primary", "secondary", "quiet", "danger"];
const TONES: readonly Tone[] = ["neutral", "accent", "good", "warn", "alert", "bad", "info"];
const COLOURS = [
  "canvas",
  "surface",
  "surface-sunken",
  "surface-hover",
  "surface-press",
  "line",
  "line-control",
  "text",
  "text-soft",
  "text-faint",
  "accent",
  "accent-solid",
  "accent-soft",
  "good",
  "warn",
  "alert",
  "bad",
  "info",
];

/** Every component in every state, to look at while changing one. */
export function DesignPage() {
  return (
    <Page title="Design" subtitle="Every component in every state">
      <Colours />
      <Figures />
      <Actions />
      <Fields />
      <Statuses />
      <Overlays />
      <Lists />
      <States />
    </Page>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Card title={title}>
      <div className={styles.column}>{children}</div>
    </Card>
  );
}

function Samples({ children }: { readonly children: ReactNode }) {
  return <div className={styles.samples}>{children}</div>;
}

function Colours() {
  return (
    <Section title="Colours">
      <div className={styles.swatches}>
        {COLOURS.map((name) => (
          <div key={name} className={styles.swatch}>
            <span style={{ background: `var(--${name})` }} />
            {name}
          </div>
        ))}
      </div>
    </Section>
  );
}

function Actions() {
  return (
    <Section title="Buttons">
      {KINDS.map((kind) => (
        <Samples key={kind}>
          <Button kind={kind}>Plain {kind}</Button>
          <Button kind={kind} icon={<RefreshCw />}>
            With icon
          </Button>
          <Button kind={kind} busy>
            Busy
          </Button>
          <Button kind={kind} disabled>
            Disabled
          </Button>
          <Button kind={kind} disabledReason="You need the write:uploads permission for this.">
            With a reason
          </Button>
          <IconButton kind={kind} label={`Delete (${kind})`}>
            <Trash2 />
          </IconButton>
        </Samples>
      ))}
    </Section>
  );
}

function Fields() {
  const [text, setText] = useState("");
  const [choice, setChoice] = useState<"a" | "b">("a");
  const [on, setOn] = useState(true);
  return (
    <Section title="Fields">
      <Samples>
        <SearchField placeholder="Search something..." value={text} onChange={setText} />
        <Select
          label="Choice"
          value={choice}
          options={[
            { value: "a", label: "First choice" },
            { value: "b", label: "Second choice" },
          ]}
          onChange={setChoice}
        />
      </Samples>
      <TextField label="With a hint" hint="What belongs in here" defaultValue="Some text" />
      <TextField label="With an error" error="is not an email address" defaultValue="nobody" />
      <Samples>
        <Checkbox label="Checked" checked={on} onChange={setOn} />
        <Checkbox label="Unchecked" checked={!on} onChange={(next) => setOn(!next)} />
        <Checkbox label="Some of them" checked={false} indeterminate onChange={setOn} />
        <Checkbox label="Disabled" checked disabled onChange={setOn} />
        <Switch label="On" checked={on} onChange={setOn} />
        <Switch label="Off" checked={!on} onChange={(next) => setOn(!next)} />
        <Switch label="Disabled" checked={false} disabled onChange={setOn} />
      </Samples>
    </Section>
  );
}

function Statuses() {
  return (
    <Section title="Statuses">
      <Samples>
        {TONES.map((tone) => (
          <Badge key={tone} tone={tone} icon={<Archive aria-hidden="true" />}>
            {tone}
          </Badge>
        ))}
      </Samples>
      <Samples>
        {UPLOAD_STATUSES.map((status) => (
          <UploadStatusBadge key={status} status={status} />
        ))}
      </Samples>
      {TONES.map((tone, index) => (
        <Progress key={tone} label={`Progress, ${tone}`} percent={20 + index * 12} tone={tone} />
      ))}
      <Progress label="Unknown progress" percent={null} />
      <Meter label="Budget" percent={82} text="82% of the budget" tone="warn" />
      <Samples>
        <Spinner />
        <Skeleton width="12rem" />
        <Avatar name="Avery Admin" imageUrl={null} size={24} />
        <Avatar name="kettle_and_keys" imageUrl={null} size={40} />
        <Time at="2026-01-01T12:00:00.000Z" />
        <Time at={null} />
        <CopyButton text="copied" label="Copy" />
      </Samples>
      <Banner tone="info">Something to know.</Banner>
      <Banner tone="warn" actions={<Button>Act</Button>}>
        Something to look at.
      </Banner>
      <Banner tone="bad">Something is broken.</Banner>
    </Section>
  );
}

function Overlays() {
  const [open, setOpen] = useState<"dialog" | "side" | "confirm" | null>(null);
  const close = () => setOpen(null);
  return (
    <Section title="Overlays">
      <Samples>
        <Button onClick={() => setOpen("dialog")}>Dialog</Button>
        <Button onClick={() => setOpen("side")}>Side panel</Button>
        <Button onClick={() => setOpen("confirm")}>Confirm</Button>
        <Menu
          label="Sample menu"
          items={[
            { label: "Refresh", icon: <RefreshCw />, onSelect: () => toast.info("Refreshed") },
            { label: "Not now", disabledReason: "It is running.", onSelect: close },
            { label: "Delete", icon: <Trash2 />, danger: true, onSelect: close },
          ]}
          renderTrigger={(props) => (
            <IconButton {...props} kind="secondary" label="Sample menu">
              <EllipsisVertical />
            </IconButton>
          )}
        />
        <Button onClick={() => toast.success("It worked")}>Success toast</Button>
        <Button onClick={() => toast.error("It failed")}>Error toast</Button>
        <Button onClick={() => toast.loading("Working on it")}>Loading toast</Button>
      </Samples>
      {(open === "dialog" || open === "side") && (
        <Dialog
          title="A dialog"
          shape={open === "side" ? "side" : "normal"}
          onClose={close}
          footer={<Button onClick={close}>Close</Button>}
        >
          <DialogText>What it is about.</DialogText>
          <DialogSubject name="The thing" detail="its id" />
          <DialogError>What went wrong.</DialogError>
        </Dialog>
      )}
      {open === "confirm" && (
        <ConfirmDialog
          title="Delete thing"
          question="Are you sure?"
          confirmLabel="Delete thing"
          danger
          onConfirm={close}
          onClose={close}
        />
      )}
    </Section>
  );
}

function Lists() {
  const [tab, setTab] = useState<"one" | "two">("one");
  const columns = [
    {
      id: "name",
      header: "Name",
      sort: { order: "desc" as const, onSort: () => toast.info("Sorted") },
    },
    { id: "size", header: "Size", align: "end" as const },
  ];
  return (
    <>
      <StatGrid>
        <StatCard label="A number" value="1,234" note="+12 today" icon={<Archive />} />
        <StatCard label="Loading" value={null} />
      </StatGrid>
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
      <Card title="Table" flush>
        <Table caption="Sample" columns={columns}>
          <tr>
            <td>Filled</td>
            <td align="right">12 MB</td>
          </tr>
          <tr data-selected="true">
            <td>Selected</td>
            <td align="right">7 MB</td>
          </tr>
          <SkeletonRows rows={2} columns={2} />
        </Table>
        <Pagination
          facts={{ page: 2, limit: 20, total: 95, hasPrev: true, hasNext: true }}
          onPage={() => undefined}
        />
      </Card>
    </>
  );
}

function States() {
  return (
    <>
      <Card>
        <EmptyState
          icon={<Archive />}
          title="Nothing here"
          hint="Why, and what to do."
          action={<Button>Do it</Button>}
        />
      </Card>
      <Card>
        <ErrorState
          title="Failed to load"
          message="The server can't be reached."
          onRetry={() => undefined}
        />
      </Card>
      <Card>
        <ForbiddenState permission="read:users" />
      </Card>
    </>
  );
}
