/** @jsxImportSource preact */
import { RUNS_PATH } from "./file-views.ts";
import type { FilesTexts } from "./texts/en.ts";

/** Renders the link from the list of files to what programs sent. */
export const RunsLink = ({ texts }: { readonly texts: FilesTexts }) => (
  <a class="files-to-runs" href={RUNS_PATH}>
    {texts.runs}
  </a>
);
