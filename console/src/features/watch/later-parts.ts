/** What is beside and below a video, and the editor of clips. */
export { FollowedChannel } from "#console/domain/channels/followed-channel.tsx";
export { ChatActivity } from "./chat/chat-activity.tsx";
export { ChatAbsent, ChatPanel } from "./chat/chat-panel.tsx";
export { ClipEditor } from "./clip-editor.tsx";
export { WatchFacts } from "./watch-facts.tsx";
