import { EllipsisVertical, RefreshCw, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton, type ButtonKind } from "#console/ui/button.tsx";
import { ConfirmDialog } from "#console/ui/confirm-dialog.tsx";
import { Dialog, DialogError, DialogSubject, DialogText } from "#console/ui/dialog.tsx";
import { Menu } from "#console/ui/menu.tsx";
import { TextButton } from "#console/ui/text-button.tsx";
import { toast } from "#console/ui/toast-store.ts";
import { Tooltip } from "#console/ui/tooltip.tsx";
import { Samples, Section } from "./design-section.tsx";

const KINDS: readonly ButtonKind[] = ["primary", "secondary", "quiet", "danger"];

export function Actions() {
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
      <p>
        A line with <TextButton>a text button</TextButton> and{" "}
        <TextButton disabled>a disabled one</TextButton>.
      </p>
    </Section>
  );
}

export function Overlays() {
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
            { label: "What shows now", current: true, onSelect: close },
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
        <Tooltip text="More about it, on hover and on focus">
          <button type="button">With a tooltip</button>
        </Tooltip>
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
