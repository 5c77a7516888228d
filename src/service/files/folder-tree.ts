import type { TransactionCtx } from "../../context.ts";
import { insertMany } from "../../db/bulk.ts";
import type { FolderRow } from "../../db/tables/folders.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { countFolders, listNamedFolders } from "./folder-queries.ts";
import { MAX_FOLDERS, newFolder } from "./folders.ts";

/** The most names by which folders are read. For more names, all folders of the account are read. */
const MAX_READ_NAMES = 1000;

/**
 * The folders of an account in memory, so that a transaction opens many paths with few statements. Nothing else may create, rename or move the
 * account's folders in this transaction.
 */
export interface FolderTree {
  /** Reads the folders with these names. */
  read(names: ReadonlySet<string>): Promise<void>;
  /**
   * Returns the ID of the folder with exactly this name, which was read before, in a folder or at the root. The oldest of several is used, and a
   * missing one is new. Undefined if the account has too many folders for a new one.
   */
  open(parentId: string | null, name: string): string | undefined;
  isNew(id: string): boolean;
  /** Inserts the new folders. */
  save(): Promise<void>;
}

export function createFolderTree(ctx: TransactionCtx, ownerId: string): FolderTree {
  const known = new Map<string, string>();
  const readNames = new Set<string>();
  const created = new Set<string>();
  let unsaved: FolderRow[] = [];
  let hasAll = false;
  let total: number | undefined;
  return {
    async read(names) {
      const missing = hasAll ? [] : [...names].filter((name) => !readNames.has(name));
      if (missing.length === 0) return;
      total ??= await countFolders(ctx.db, { ownerId });
      hasAll = missing.length > MAX_READ_NAMES;
      for (const { id, name, parent_id } of await listNamedFolders(ctx.db, ownerId, hasAll ? undefined : missing)) {
        const key = keyOf(parent_id, name);
        const other = known.get(key);
        if (other === undefined || id < other) known.set(key, id);
      }
      if (!hasAll) for (const name of missing) readNames.add(name);
    },
    open(parentId, name) {
      const key = keyOf(parentId, name);
      const found = known.get(key);
      if (found !== undefined) return found;
      if (total === undefined || total >= MAX_FOLDERS) return undefined;
      const folder = newFolder(ctx, { ownerId, parentId, name });
      total += 1;
      known.set(key, folder.id);
      created.add(folder.id);
      unsaved.push(folder);
      return folder.id;
    },
    isNew: (id) => created.has(id),
    async save() {
      const rows = unsaved;
      unsaved = [];
      await insertMany(ctx.db, "folders", rows);
    },
  };
}

/** Returns the folders of the caller's account; undefined for a caller without an account. */
export function foldersOfActor(ctx: TransactionCtx, actor: Actor): FolderTree | undefined {
  const id = ownerId(actor);
  return id === null ? undefined : createFolderTree(ctx, id);
}

const keyOf = (parentId: string | null, name: string): string => `${parentId ?? ""}/${name}`;
