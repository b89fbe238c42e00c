import { useState } from "react";
import { Checkbox, Switch } from "./checkbox.tsx";

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

export function Switches() {
  const [on, setOn] = useState(true);
  return (
    <>
      <Switch label="On" checked={on} onChange={setOn} />
      <Switch label="Off" checked={!on} onChange={(next) => setOn(!next)} />
      <Switch label="Disabled" checked={false} disabled onChange={setOn} />
    </>
  );
}
