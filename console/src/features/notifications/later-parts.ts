/** The views of Notifications that are behind its other tabs. */
export { ApiTokens } from "./api-tokens.tsx";
export { GeneralCards } from "./general-cards.tsx";
export { SessionsCard } from "./sessions-card.tsx";
export { WebhooksCard } from "./webhooks-card.tsx";
