import type { Tool } from "../tool.ts";
import { searchTools } from "../tools/search-tools.ts";
import { createUploadDelegation, DELEGATION_HINT } from "../tools/sharing.ts";
import { TOOLS } from "../tools.ts";
import { downloadToPath } from "./download-path.ts";
import type { LocalFiles } from "./local-files.ts";
import { uploadWithPath } from "./upload-path.ts";

/** Returns the tools of `filehost mcp`: the tools of a server, some of which also use files of this machine. */
export function stdioTools(files: LocalFiles): readonly Tool[] {
  const own = [
    uploadWithPath(files),
    downloadToPath(files),
    searchTools(() => tools),
    ...(files.folders.length === 0 ? [] : [withoutHint(createUploadDelegation, DELEGATION_HINT)]),
  ];
  const tools: readonly Tool[] = TOOLS.map((tool) => own.find(({ description }) => description.name === tool.description.name) ?? tool);
  return tools;
}

/** Removes a hint about sending. Files of allowed folders are sent by their path instead. */
const withoutHint = (tool: Tool, hint: string): Tool => ({
  ...tool,
  description: { ...tool.description, description: tool.description.description.replace(hint, "").trim() },
});
