import { AppError } from "../../errors.ts";
import { findFileAtPath, findFolder, pathNotFound } from "./account-folders.ts";
import type { SharingCaller } from "./named-share.ts";
import { parseSubject, type Subject } from "./subject.ts";

/**
 * Finds what an ID, a link, or the path of a folder or a file of the account names. A name of letters and digits, such as `Reports`, could also be an
 * ID: it is a path if there is no share with that ID. Throws NOT_FOUND for a path that names nothing, and VALIDATION_FAILED for the root and, without
 * an account, for what is no ID and no link.
 */
export async function findSubject(caller: SharingCaller, text: string): Promise<Subject> {
  const subject = readSubject(text);
  if (!caller.hasKey || (subject && !(await isUnknown(caller, subject)))) return subject ?? parseSubject(text);
  const folder = await findFolder(caller.api, text);
  if (folder?.id === null) throw new AppError("VALIDATION_FAILED", "This is the root of your account. Name a folder or a file in it.");
  if (folder !== undefined) return { kind: "folder", folderId: folder.id };
  const fileId = await findFileAtPath(caller.api, text);
  if (fileId !== undefined) return { kind: "file", fileId };
  if (subject === undefined) throw pathNotFound();
  return subject;
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
