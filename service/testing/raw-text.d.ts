/** Vite imports such a file as its text, on every host. */
declare module "*.md?raw" {
  const text: string;
  export default text;
}
