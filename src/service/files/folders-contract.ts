import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf, page, pagination } from "../../contract/paging.ts";
import { dateTime, described, flag, text } from "../../contract/scalars.ts";

export const FOLDER_ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";

/** A folder, with its times (folders, "Operations"). */
export const folder = z
  .object({
    id: described(z.string(), "The folder's ID, a UUID", FOLDER_ID),
    name: described(z.string(), "Its name", "Reports"),
    parent_id: described(z.string().nullable(), "Parent folder; null: none"),
    file_count: described(z.int().optional(), "Files directly in the folder; absent in search results", 12),
    folder_count: described(z.int().optional(), "Folders directly in the folder; absent in search results", 2),
    total_size: described(z.int().optional(), "Bytes of the files directly in the folder; absent in search results", 48_213),
    created_at: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
    updated_at: described(dateTime, "When it was last renamed or moved", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "Folder", description: "A folder of an account" });
export type Folder = z.infer<typeof folder>;

/** Maximum number of paths whose folders one call creates, and number of paths that count as one request. */
const MAX_PATHS = 300;
const PATHS_PER_REQUEST = 100;

const folderId = described(text(64).min(1), "The folder's ID, a UUID", FOLDER_ID);
const name = text(200)
  .trim()
  .min(1, "give a name of 1 to 200 characters")
  .regex(/\S/, "give a name of 1 to 200 characters")
  .meta({ description: "The folder's name, 1 to 200 characters", examples: ["Reports"] });

/** A folder's ID, or `null` for the root. */
export const folderOrRoot = z.union([z.uuid(), z.literal("null").transform(() => null)], "give a folder's ID, or null for the root");

export const foldersContract = {
  listFolders: defineOperation({
    summary: "List or search folders",
    tag: "Folders",
    method: "GET",
    isCompressed: true,
    path: "/folders/list",
    access: "files_read",
    input: () =>
      z.object({
        parentId: described(
          folderOrRoot.optional(),
          "Only those directly in this folder; `null`: only those without a folder; default: all",
          "null",
        ),
        search: described(text(200).optional(), "Part of the name; case does not matter", "rep"),
        page,
        limit: limit("Items on a page: 1 to 200; default: 50"),
      }),
    output: () => listOf(folder).extend({ pagination }),
    errors: { 404: "The folder is unknown or not yours" },
  }),
  createFolder: defineOperation({
    summary: "Create a folder",
    tag: "Folders",
    method: "POST",
    path: "/folders",
    access: "files_write",
    input: () => z.object({ name, parentId: described(z.uuid().nullish(), "Parent folder; default: none", FOLDER_ID) }),
    envelope: "data",
    output: () => folder,
    errors: { 404: "The parent folder is unknown or not yours" },
  }),
  createFolders: defineOperation({
    summary: "Create the missing folders of paths",
    description: "Existing folders of the same name are used. Creates all missing folders, or none.",
    tag: "Folders",
    method: "POST",
    path: "/folders/paths",
    access: "files_write",
    requests: ({ paths }) => Math.ceil(paths.length / PATHS_PER_REQUEST),
    input: () =>
      z.object({
        paths: z
          .array(text(1024).min(1))
          .min(1, "give at least one path")
          .max(MAX_PATHS, `give at most ${MAX_PATHS} paths`)
          .meta({ description: `Paths of folders, with \`/\` between names; at most ${MAX_PATHS}`, examples: [["Trip", "Trip/Day 1"]] }),
        parentId: described(z.uuid().nullish(), "The folder in which the paths begin; default: none", FOLDER_ID),
      }),
    envelope: "data",
    output: () =>
      z.object({
        folders: described(
          z.array(
            z.object({
              path: described(z.string(), "The path, as it was sent", "Trip/Day 1"),
              id: described(z.string(), "The ID of the folder at its end", FOLDER_ID),
              isNew: described(z.boolean(), "Whether the call has created it", true),
            }),
          ),
          "The folders, in the order of the paths",
        ),
      }),
    errors: {
      404: "The parent folder is unknown or not yours",
      409: "Folders would be too deep (`FOLDER_TOO_DEEP`) or too many (`TOO_MANY_FOLDERS`)",
    },
  }),
  changeFolder: defineOperation({
    summary: "Rename or move a folder",
    tag: "Folders",
    method: "PATCH",
    path: "/folders/{id}",
    access: "files_write",
    needsOneOf: ["name", "parentId"],
    input: () =>
      z.object({
        id: folderId,
        name: name.optional(),
        parentId: described(z.uuid().nullish(), "New parent folder; null: none", FOLDER_ID),
      }),
    envelope: "data",
    output: () => folder,
    errors: { 404: "The folder or its new parent is unknown or not yours", 409: "The folder would be inside itself" },
  }),
  deleteFolder: defineOperation({
    summary: "Delete a folder",
    description: "An empty one, or with `recursive` one with everything in it: all of it, or nothing if a file is immutable or has buyers.",
    tag: "Folders",
    method: "DELETE",
    path: "/folders/{id}",
    access: "files_write",
    input: () =>
      z.object({
        id: folderId,
        recursive: flag.optional().meta({
          description:
            "Delete also the folders and the files in it, at every depth, at most 10,000 files, each in all shares that it is in",
        }),
        force: flag
          .optional()
          .meta({ description: "With `recursive`: also files that are immutable, from which others were made, or that have buyers" }),
      }),
    envelope: "data",
    output: () => z.object({ id: folderId, deletedFiles: described(z.int(), "Number of files that were deleted", 0) }),
    errors: {
      404: "Unknown or not yours",
      409: "The folder is not empty, or a file in it is immutable or has buyers (`HAS_BUYERS`)",
    },
  }),
} as const;
