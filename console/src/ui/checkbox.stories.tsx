import { useState } from "react";
import { Checkbox } from "./checkbox.tsx";

export function Checkboxes() {
  const [on, setOn] = useState(true);
  return (
    <>
      <Checkbox label="Checked" checked={on} onChange={setOn} />
      <Checkbox label="Unchecked" checked={!on} onChange={(next) => setOn(!next)} />
      <Checkbox label="Some of them" checked={false} indeterminate onChange={setOn} />
      <Checkbox label="Disabled" checked disabled onChange={setOn} />
    </>
  );
}
