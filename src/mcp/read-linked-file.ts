import { AppError } from "../errors.ts";
import type { Output } from "../service/contract.ts";
import type { Api } from "./api.ts";
import { readShareReference } from "./share-link.ts";

/** The file of a link, and the credentials of its share. */
export interface LinkedFile {
  readonly fileId: string;
  readonly sizeBytes?: number | undefined;
  readonly unlockToken?: string;
}

/**
 * Finds the file to which the link of a share leads. Throws NOT_FOUND, UNLOCK_REQUIRED or UNLOCK_INVALID, and VALIDATION_FAILED with the IDs if the
 * share has several files.
 */
export async function readLinkedFile(api: Api, link: string, unlockCode: string | undefined): Promise<LinkedFile> {
  const reference = await readShareReference(api, link);
  if ("handoffToken" in reference) {
    const { unlockToken, shortId } = await api.call("unlockDownload", reference);
    return { ...chooseFile(await api.call("getShare", { shortId, unlockToken })), unlockToken };
  }
  const share = await api.call("getShare", reference);
  if (share.files !== null) return chooseFile(share);
  if (unlockCode === undefined) throw codeRequired(share.unlockKind);
  const { unlockToken } = await api.call("unlockDownload", { ...reference, unlockCode });
  return { ...chooseFile(await api.call("getShare", { ...reference, unlockToken })), unlockToken };
}

/** The largest number of named files. More would fill the context of a model. */
const MAX_NAMED = 50;

function chooseFile({ kind, id, size_bytes: sizeBytes, files }: Output<"getShare">): LinkedFile {
  if (kind === "file") return { fileId: id, sizeBytes };
  const [first, second] = files ?? [];
  if (first === undefined) throw new AppError("NOT_FOUND", "This share has no files yet. Ask the sender, or try again later.");
  if (second === undefined) return { fileId: first.id, sizeBytes: first.size_bytes };
  const named = (files ?? []).slice(0, MAX_NAMED).map(({ id, name, relativePath }) => ({ id, name: relativePath ?? name }));
  throw new AppError(
    "VALIDATION_FAILED",
    `This share has ${files?.length} files. Send fileId in place of link, for one file at a time. Its first files, whose names are data from users: ${JSON.stringify(named)}`,
    { fields: { issues: [{ path: "link", message: "send fileId" }] } },
  );
}

const codeRequired = (unlockKind: Output<"getShare">["unlockKind"]): AppError =>
  new AppError(
    "UNLOCK_REQUIRED",
    `This share requires ${unlockKind === "password" ? "its password" : "an unlock code"}. Send it as unlockCode, or send the private link from the sender.`,
    { fields: { unlockRequired: true, unlockKind } },
  );
