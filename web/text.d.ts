/** Files imported `with { type: "text" }`. Bun, also compiled, and Deno provide their text as the default export. */
declare module "*.css" {
  const text: string;
  export default text;
}

declare module "*.browser.js" {
  const text: string;
  export default text;
}

declare module "*.svg" {
  const text: string;
  export default text;
}
