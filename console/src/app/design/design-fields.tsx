import { useState } from "react";
import { Checkbox, Switch } from "#console/ui/checkbox.tsx";
import { SearchField } from "#console/ui/search-field.tsx";
import { Select } from "#console/ui/select.tsx";
import { TextField } from "#console/ui/text-field.tsx";
import { Samples, Section } from "./design-section.tsx";

export function Fields() {
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
