import { sql } from "kysely";
import type { TransactionCtx } from "../../context.ts";
import { inJson } from "../../db/bulk.ts";
import type { Db } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError } from "../../errors.ts";
import { withLastPart } from "../../lib/text/file-name.ts";
import type { UserActor } from "../accounts/actor.ts";
import type { ChosenFiles } from "./chosen-files.ts";
import { addPlaces } from "./places.ts";
import { toSentAs } from "./sender-name.ts";

const COLUMNS = [
  "id",
  "short_id",
  "owner_id",
  "name",
  "owner_name",
  "origin_id",
  "size_bytes",
  "content_type",
  "blob_state",
  "immutable",
  "is_encrypted",
  "submission_id",
  "relative_path",
  "sent_name",
  "sent_path",
] as const;

/** A chosen place of a file, with what its share says about it. */
export type ChosenPlace = Pick<FileRow, (typeof COLUMNS)[number]> & Pick<ShareRow, "is_private" | "credentials_version">;

/** Reads places by their IDs, in this order. */
export async function readChosenPlaces(db: Db, ids: readonly string[]): Promise<readonly ChosenPlace[]> {
  const places = await db
    .selectFrom("files")
    .innerJoin("shares", "shares.short_id", "files.short_id")
    .select(COLUMNS.map((column) => `files.${column}` as const))
    .select(["shares.is_private", "shares.credentials_version"])
    .where("files.id", "in", inJson(ids))
    .execute();
  const placeOf = new Map(places.map((place) => [place.id, place]));
  return ids.flatMap((id) => placeOf.get(id) ?? []);
}

/** Places that leave their share for another one, and places of files that get a further place. */
export interface PlacesToGive {
  /** Places whose downloads are counted from zero, because earlier ones must not use up the new limit. */
  readonly moved: readonly ChosenPlace[];
  readonly added: readonly ChosenPlace[];
}

/**
 * Splits places into those that leave their share, which are all with `move`, otherwise those that nobody has shared yet, and others. Omits files of
 * chosen folders whose bytes were removed because they were infected. Throws CONFLICT for such a file that was chosen directly, or if no other is left.
 */
export function splitPlaces(
  places: readonly ChosenPlace[],
  { chosen, move = false }: { readonly chosen: ChosenFiles; readonly move?: boolean },
): PlacesToGive {
  const isMoved = ({ is_private }: ChosenPlace): boolean => move || is_private === 1;
  const isGone = (place: ChosenPlace): boolean => !isMoved(place) && place.blob_state !== "stored" && place.blob_state !== "quarantined";
  const left = places.filter((place) => !isGone(place));
  const refused = places.find((place) => isGone(place) && (left.length === 0 || chosen.files.get(place.id) === null));
  if (refused) throw new AppError("CONFLICT", `The bytes of the file ${refused.id} have been removed, so it cannot be shared. Omit it.`);
  return { moved: left.filter(isMoved), added: left.filter((place) => !isMoved(place)) };
}

interface Placing extends PlacesToGive {
  readonly owner: UserActor;
  readonly shortId: string;
  readonly chosen: ChosenFiles;
}

/** Gives files their place in a share. Throws QUOTA_EXCEEDED. */
export async function placeFiles(ctx: TransactionCtx, { owner, shortId, chosen, moved, added }: Placing): Promise<void> {
  const values = moved.map((place) => {
    const { sent_name, sent_path } = toSentAs(place);
    return [place.id, toNewPath(place, chosen), sent_name, sent_path, place.owner_name ?? place.name];
  });
  await sql`UPDATE files SET short_id = ${shortId}, download_count = 0,
      name = moved.value ->> 4, relative_path = moved.value ->> 1, sent_name = moved.value ->> 2, sent_path = moved.value ->> 3
    FROM json_each(${JSON.stringify(values)}) AS moved
    WHERE files.id = moved.value ->> 0`.execute(ctx.db);
  await addPlaces(ctx, { owner, shortId, places: added.map((file) => ({ file, path: toNewPath(file, chosen) })) });
}

/** Returns the path of a file in its new share: that in its chosen folder, or the one that it was sent with. */
const toNewPath = (place: ChosenPlace, { files }: ChosenFiles): string | null =>
  files.get(place.id) ?? withLastPart(toSentAs(place).sent_path, place.owner_name ?? place.name);
