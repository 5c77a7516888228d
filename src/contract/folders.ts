import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { limit, listOf, page, pagination } from "./paging.ts";
import { dateTime, text } from "./scalars.ts";

/** interface, "Folder"; times beside it. */
export const folder = z
  .object({
    id: z.string(),
    name: z.string(),
    parent_id: z.string().nullable(),
    file_count: z.int().optional().meta({ description: "Files right in it; not in the results of a search" }),
    total_size: z.int().optional().meta({ description: "Their bytes; not in the results of a search" }),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ id: "Folder" });
export type Folder = z.infer<typeof folder>;

const folderId = text(64).min(1).meta({ description: "The folder's id, a UUID" });
const name = text(200)
  .trim()
  .min(1, "give a name of 1 to 200 characters")
  .regex(/\S/, "give a name of 1 to 200 characters")
  .meta({ description: "1 to 200 characters" });

/** A folder, or the root: by its id, or the word `null` in a query. */
export const folderOrRoot = z.union([z.uuid(), z.literal("null").transform(() => null)], "give a folder's id, or null for the root");

export const foldersContract = {
  listFolders: defineOperation({
    summary: "List or search folders",
    tag: "Folders",
    method: "GET",
    path: "/folders/list",
    access: "files_read",
    input: z.object({
      parentId: folderOrRoot.optional().meta({ description: "Those right in this folder; `null` for those in none; without it, all" }),
      search: text(200).optional().meta({ description: "Part of the name, in any case" }),
      page,
      limit: limit("At once: 1 to 200, 50 by default"),
    }),
    output: listOf(folder).extend({ pagination }),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  createFolder: defineOperation({
    summary: "Make a folder",
    tag: "Folders",
    method: "POST",
    path: "/folders",
    access: "files_write",
    input: z.object({ name, parentId: z.uuid().nullish().meta({ description: "The folder that it goes into; none by default" }) }),
    output: z.object({ success: z.literal(true), data: folder }),
    errors: { 404: "The parent is unknown or not yours" },
  }),
  changeFolder: defineOperation({
    summary: "Rename or move a folder",
    tag: "Folders",
    method: "PATCH",
    path: "/folders/{id}",
    access: "files_write",
    needsOneOf: ["name", "parentId"],
    input: z.object({
      id: folderId,
      name: name.optional(),
      parentId: z.uuid().nullish().meta({ description: "null moves it out of any" }),
    }),
    output: z.object({ success: z.literal(true), data: folder }),
    errors: { 404: "The folder or the parent is unknown or not yours", 409: "It would be inside itself" },
  }),
  deleteFolder: defineOperation({
    summary: "Delete an empty folder",
    tag: "Folders",
    method: "DELETE",
    path: "/folders/{id}",
    access: "files_write",
    input: z.object({ id: folderId }),
    output: z.object({ success: z.literal(true), data: z.object({ id: z.string() }) }),
    errors: { 404: "Unknown or not yours", 409: "Not empty" },
  }),
} as const;
