import { Trash2 } from "lucide-react";
import { Button } from "../button.tsx";
import { BulkRunBar } from "./bulk-run-bar.tsx";
import { SelectionBar } from "./selection-bar.tsx";

export function Nothing() {
  return <Sample count={0} />;
}

export function Some() {
  return <Sample count={7} note="41.2 GB" />;
}

export function Run() {
  return (
    <BulkRunBar
      progress={{ verb: "Deleting samples", done: 3, total: 7, isStopping: false }}
      report={{
        title: "1 sample could not be deleted",
        failures: [{ name: "A sample", reason: "It is in use." }],
      }}
    />
  );
}

/** This sample changes nothing. */
function nothing(): void {}

function Sample({ count, note }: { readonly count: number; readonly note?: string }) {
  return (
    <SelectionBar
      list={{ facts: { total: 95 } }}
      selected={{
        selection: { size: count },
        isPageSelected: false,
        selectingAll: false,
        selectPage: nothing,
        selectAllMatching: async () => nothing(),
        clear: nothing,
      }}
      note={note}
    >
      <Button icon={<Trash2 />}>Delete Selected</Button>
    </SelectionBar>
  );
}
