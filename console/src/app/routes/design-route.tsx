export { DesignPage as DesignRoute } from "../design/design-page.tsx";
