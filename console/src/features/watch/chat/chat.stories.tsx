import { useState } from "react";
import { ChatHistogram } from "./chat-activity.tsx";
import { ChatReplay } from "./chat-replay.tsx";
import { sampleChat } from "./sample-chat.ts";

const SOME = sampleChat(300);

export function Replay() {
  const [sec, setSec] = useState(100);
  return <ChatReplay messages={SOME} currentSec={sec} onSeek={setSec} />;
}

export function WithoutMessages() {
  return <ChatReplay messages={[]} currentSec={0} onSeek={() => undefined} />;
}

export function Activity() {
  const [sec, setSec] = useState(0);
  return (
    <div>
      <ChatHistogram messages={SOME} durationSec={200} onSeek={setSec} />
      At {Math.round(sec)} seconds
    </div>
  );
}
