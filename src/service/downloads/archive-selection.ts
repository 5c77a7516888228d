import { createHash } from "node:crypto";
import { AppError } from "../../errors.ts";
import { isInFolder, pathInShare, withoutEmptySegments } from "../../lib/text/relative-path.ts";
import type { ArchivableFile } from "./queries.ts";

/** The choice of an archive's files: named files, and the files in a folder. */
export interface ArchiveChoice {
  /** The IDs of files, separated by commas. */
  readonly fileIds?: string | undefined;
  readonly folder?: string | undefined;
}

/** Returns the chosen files, or all files without a choice. Throws NOT_FOUND if none of them is in the share. */
export function chooseByIds<File extends Pick<ArchivableFile, "id" | "name" | "relative_path">>(
  files: readonly File[],
  { fileIds, folder: chosenFolder = "" }: ArchiveChoice,
): readonly File[] {
  const folder = withoutEmptySegments(chosenFolder);
  if (!fileIds && !folder) return files;
  const ids = new Set(fileIds?.split(",").map((id) => id.trim()));
  const isChosen = (file: File): boolean =>
    ids.has(file.id) || (folder !== "" && isInFolder(pathInShare({ name: file.name, relativePath: file.relative_path }), folder));
  const chosen = files.filter(isChosen);
  if (chosen.length === 0) throw new AppError("NOT_FOUND", "This share has none of these files. Open the share link to see its files.");
  return chosen;
}

type Position = Pick<ArchivableFile, "id" | "created_at" | "status" | "ended_at">;

/**
 * Encodes chosen files for the URL of an archive: a bit for each file that the share had at `issuedAtMs`, in the order of `listArchivable`, and a
 * digest of the chosen IDs.
 */
export function encodeSelection(files: readonly Position[], chosen: readonly Pick<Position, "id">[], issuedAtMs: number): string {
  const ids = new Set(chosen.map(({ id }) => id));
  const present = listPresent(files, issuedAtMs);
  const bits = new Uint8Array(Math.ceil(present.length / 8));
  for (const [index, { id }] of present.entries()) {
    if (ids.has(id)) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7));
  }
  return `${Buffer.from(bits).toString("base64url")}.${digestOf(present.filter(({ id }) => ids.has(id)))}`;
}

/** Decodes a selection to IDs; empty if the share's list has changed too much to determine them. */
export function decodeSelection(files: readonly Position[], selection: string, issuedAtMs: number): ReadonlySet<string> {
  const [encoded = "", digest] = selection.split(".");
  const bits = Buffer.from(encoded, "base64url");
  const chosen = listPresent(files, issuedAtMs).filter((_, index) => ((bits[index >> 3] ?? 0) >> (index & 7)) & 1);
  return new Set(digestOf(chosen) === digest ? chosen.map(({ id }) => id) : []);
}

/** Lists the files that were present at `issuedAtMs`, also those that have ended since, so that each file keeps its bit. */
const listPresent = (files: readonly Position[], issuedAtMs: number): readonly Position[] =>
  files.filter(({ created_at, status, ended_at }) => created_at <= issuedAtMs && (status === "active" || (ended_at ?? 0) >= issuedAtMs));

const digestOf = (files: readonly Pick<Position, "id">[]): string =>
  createHash("sha256")
    .update(files.map(({ id }) => id).join())
    .digest("base64url")
    .slice(0, 12);
