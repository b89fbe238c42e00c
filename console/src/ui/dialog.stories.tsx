import { useState, type ComponentProps } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogError, DialogSubject, DialogText } from "./dialog.tsx";

export function Normal() {
  return <Sample opener="Open dialog" title="A dialog" shape="normal" />;
}

export function Side() {
  return <Sample opener="Open side panel" title="A side panel" shape="side" />;
}

function Sample({
  opener,
  title,
  shape,
}: Required<Pick<ComponentProps<typeof Dialog>, "title" | "shape">> & {
  readonly opener: string;
}) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {opener}
      </Button>
      {open && (
        <Dialog
          title={title}
          shape={shape}
          onClose={close}
          footer={shape === "normal" ? <Button onClick={close}>Done</Button> : undefined}
        >
          <DialogText>A description.</DialogText>
          <DialogSubject name="A name" detail={"a-long-identifier-without-a-break/".repeat(8)} />
          <DialogError>An error.</DialogError>
        </Dialog>
      )}
    </>
  );
}
