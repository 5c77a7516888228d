import { AppError } from "../../errors.ts";
import { findFolder, folderNotFound } from "./account-folders.ts";
import type { SharingCaller } from "./named-share.ts";
import { parseSubject, type Subject } from "./subject.ts";

/**
 * Finds what an ID, a link, or the path of a folder of the account names. A name of letters and digits, such as `Reports`, could also be an ID: it is
 * the folder's if there is no share with that ID. Throws VALIDATION_FAILED for other text and for the root, and NOT_FOUND for a path without a folder.
 */
export async function findSubject(caller: SharingCaller, text: string): Promise<Subject> {
  const subject = readSubject(text);
  if (!caller.hasKey || (subject && !(await isUnknown(caller, subject)))) return subject ?? parseSubject(text);
  const folder = await findFolder(caller.api, text);
  if (folder?.id === null) throw new AppError("VALIDATION_FAILED", "This is the root of your account. Name a folder or a file in it.");
  if (folder !== undefined) return { kind: "folder", folderId: folder.id };
  if (subject === undefined && text.includes("/")) throw folderNotFound();
  return subject ?? parseSubject(text);
}

function readSubject(text: string): Subject | undefined {
  try {
    return parseSubject(text);
  } catch {
    return undefined;
  }
}

/** Whether a short ID or a file's ID belongs to no share that the caller can see. */
async function isUnknown({ api, url, shares }: SharingCaller, subject: Subject): Promise<boolean> {
  if (subject.kind !== "share" && subject.kind !== "file") return false;
  const id = subject.kind === "share" ? subject.shortId : subject.fileId;
  if ((await shares.find(id, url)) !== undefined) return false;
  const found = subject.kind === "share" ? api.call("getShare", { shortId: id }) : api.call("getFile", { fileId: id });
  return await found.then(
    () => false,
    (error: unknown) => {
      if (error instanceof AppError && error.code === "NOT_FOUND") return true;
      throw error;
    },
  );
}
