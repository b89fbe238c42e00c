import { useState } from "react";
import { SearchField } from "./search-field.tsx";

export function Filled() {
  const [text, setText] = useState("clouds");
  return (
    <div>
      <SearchField placeholder="Search something..." value={text} onChange={setText} />
      <p>Searched: {text === "" ? "nothing" : text}</p>
    </div>
  );
}
