import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogError, DialogSubject, DialogText } from "./dialog.tsx";

export function Normal() {
  return (
    <Opener label="Open dialog">
      {(close) => (
        <Dialog title="A dialog" onClose={close} footer={<Button onClick={close}>Done</Button>}>
          <Content />
        </Dialog>
      )}
    </Opener>
  );
}

export function Wide() {
  return (
    <Opener label="Open wide dialog">
      {(close) => (
        <Dialog title="A wide dialog" shape="wide" onClose={close}>
          <Content />
        </Dialog>
      )}
    </Opener>
  );
}

export function Side() {
  return (
    <Opener label="Open side panel">
      {(close) => (
        <Dialog title="A side panel" shape="side" onClose={close}>
          <Content />
        </Dialog>
      )}
    </Opener>
  );
}

function Content() {
  return (
    <>
      <DialogText>A description.</DialogText>
      <DialogSubject name="A name" detail={"a-long-identifier-without-a-break/".repeat(8)} />
      <DialogError>An error.</DialogError>
    </>
  );
}

function Opener({
  label,
  children,
}: {
  readonly label: string;
  readonly children: (close: () => void) => ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && children(() => setOpen(false))}
    </>
  );
}
