import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { limit, listOf, page, pagination } from "./paging.ts";
import { dateTime, described, text } from "./scalars.ts";

const FOLDER_ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

/** interface, "Folder"; times beside it. */
export const folder = z
  .object({
    id: described(z.string(), "The folder's id, a UUID", FOLDER_ID),
    name: described(z.string(), "Its name", "Reports"),
    parent_id: described(z.string().nullable(), "The folder that it is in; null: in none"),
    file_count: described(z.int().optional(), "Files right in it; not in the results of a search", 12),
    total_size: described(z.int().optional(), "Their bytes; not in the results of a search", 48_213),
    created_at: described(dateTime, "When it was made", "2030-01-30T12:00:00Z"),
    updated_at: described(dateTime, "When it was renamed or moved last", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "Folder", description: "A folder of an account" });
export type Folder = z.infer<typeof folder>;

const folderId = described(text(64).min(1), "The folder's id, a UUID", FOLDER_ID);
const name = text(200)
  .trim()
  .min(1, "give a name of 1 to 200 characters")
  .regex(/\S/, "give a name of 1 to 200 characters")
  .meta({ description: "The folder's name, 1 to 200 characters", examples: ["Reports"] });

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
      parentId: described(folderOrRoot.optional(), "Those right in this folder; `null` for those in none; without it, all", "null"),
      search: described(text(200).optional(), "Part of the name, in any case", "rep"),
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
    input: z.object({ name, parentId: described(z.uuid().nullish(), "The folder that it goes into; none by default", FOLDER_ID) }),
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
      parentId: described(z.uuid().nullish(), "The folder that it goes into; null moves it out of any", FOLDER_ID),
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
    output: z.object({ success: z.literal(true), data: z.object({ id: folderId }) }),
    errors: { 404: "Unknown or not yours", 409: "Not empty" },
  }),
} as const;
