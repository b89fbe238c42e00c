import { useState } from "react";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { toast } from "./toast-store.ts";

export function Dangerous() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Delete
      </Button>
      {open && (
        <ConfirmDialog
          title="Delete sample"
          question="Are you sure you want to delete this sample?"
          confirmLabel="Delete sample"
          danger
          onConfirm={() => toast.success("Deleted")}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
