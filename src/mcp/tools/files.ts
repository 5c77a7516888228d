import { z } from "zod";
import { pagination } from "../../contract/paging.ts";
import { described } from "../../contract/scalars.ts";
import { contract } from "../../service/contract.ts";
import { folder } from "../../service/files/folders-contract.ts";
import { defineTool, operationTool, type ToolArguments, type ToolResult, type ToolRun } from "../tool.ts";

export const listFiles = operationTool({
  name: "list_files",
  title: "List files",
  operation: "listFiles",
  next: (output) => {
    const list = "pagination" in output ? output.pagination : undefined;
    const more = list !== undefined && list.page < list.totalPages ? ` For the next page, send page: ${list.page + 1}.` : "";
    return `To share a file again, give people its shareUrl.${more}`;
  },
});

export const fileInfo = operationTool({
  name: "file_info",
  title: "Get files by their codes",
  operation: "getFileInfo",
  next: () => "Download a file with service_get_download_url, and the code as link.",
});

export const deleteFile = operationTool({
  name: "delete_file",
  title: "Delete a file",
  operation: "deleteFile",
  hint: "This cannot be undone.",
  next: () =>
    "The file is deleted: in this share, or with `allLinks` in all shares. If `remainingLinks` is not 0, its other links still work; `allLinks` deletes them too.",
});

const OPERATIONS = { list: "listFolders", create: "createFolder", change: "changeFolder", delete: "deleteFolder" } as const;
type Action = keyof typeof OPERATIONS;

/** The fields of all actions. None is required here, because each action checks its own fields. */
const fields: z.ZodRawShape = Object.assign({}, ...Object.values(OPERATIONS).map((name) => contract[name].input.partial().shape));

export const folders = defineTool({
  name: "folders",
  title: "List and change folders",
  description:
    "Lists, creates, renames, moves and deletes folders of the account: an empty one, or with `recursive` everything in it, in all shares. That cannot be undone.",
  access: "files_read",
  scopeOf: ({ action }) => (action === "list" ? "files_read" : "files_write"),
  annotations: { destructiveHint: true, openWorldHint: false },
  input: z.object({
    action: described(z.enum(["list", "create", "change", "delete"]), "What to do; change renames or moves", "list"),
    ...fields,
  }),
  output: z.object({
    folders: described(z.array(folder), "The folders that were found, or the one that was created or changed"),
    pagination: pagination.optional(),
  }),
  run: async (run, { action }, { action: _, ...fields }) => await actOnFolders(run, action, fields),
});

async function actOnFolders({ api }: ToolRun, action: Action, fields: ToolArguments): Promise<ToolResult> {
  if (action === "list") {
    // A query names the root by a word, because it has no null.
    const { data, pagination } = await api.call("listFolders", { ...fields, ...(fields.parentId === null && { parentId: "null" }) });
    return { data: { folders: data, pagination }, next: "Send a folder's id as folderId to upload into it or to list its files." };
  }
  const output = await api.call(OPERATIONS[action], fields as never);
  if (action === "delete") return { data: { folders: [] }, next: "The folder is deleted." };
  return { data: { folders: [output] }, next: "Send the folder's id as folderId to upload into it." };
}
