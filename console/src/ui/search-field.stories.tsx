import { useState } from "react";
import { SearchField } from "./search-field.tsx";

export function Empty() {
  const [text, setText] = useState("");
  return <Searched text={text} onChange={setText} />;
}

export function Filled() {
  const [text, setText] = useState("clouds");
  return <Searched text={text} onChange={setText} />;
}

function Searched({
  text,
  onChange,
}: {
  readonly text: string;
  readonly onChange: (text: string) => void;
}) {
  return (
    <div>
      <SearchField placeholder="Search something..." value={text} onChange={onChange} />
      <p>Searched: {text === "" ? "nothing" : text}</p>
    </div>
  );
}
