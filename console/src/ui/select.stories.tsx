import { useState } from "react";
import { Select } from "./select.tsx";

export function Two() {
  const [choice, setChoice] = useState<"a" | "b">("a");
  return (
    <Select
      label="Choice"
      value={choice}
      options={[
        { value: "a", label: "First choice" },
        { value: "b", label: "Second choice" },
      ]}
      onChange={setChoice}
    />
  );
}
