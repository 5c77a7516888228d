declare module "*.wasm" {
  const path: string;
  // biome-ignore lint/style/noDefaultExport: an import of a file has its path as the default export.
  export default path;
}
