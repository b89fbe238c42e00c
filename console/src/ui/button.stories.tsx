import { RefreshCw, Trash2 } from "lucide-react";
import { Button, IconButton, type ButtonKind } from "./button.tsx";

const KINDS: readonly ButtonKind[] = ["primary", "secondary", "quiet", "danger"];

export function Kinds() {
  return KINDS.map((kind) => (
    <Button key={kind} kind={kind} icon={<RefreshCw />}>
      A {kind} one
    </Button>
  ));
}

export function Large() {
  return (
    <Button kind="primary" large>
      Large
    </Button>
  );
}

export function Busy() {
  return KINDS.map((kind) => (
    <Button key={kind} kind={kind} busy>
      Busy
    </Button>
  ));
}

export function Disabled() {
  return (
    <>
      <Button disabled>Disabled</Button>
      <Button disabledReason="You need the write:uploads permission for this.">
        With a reason
      </Button>
    </>
  );
}

export function Icons() {
  return KINDS.map((kind) => (
    <IconButton key={kind} kind={kind} label={`Delete (${kind})`}>
      <Trash2 />
    </IconButton>
  ));
}
