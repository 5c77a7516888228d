import type { ImportRow } from "../../db/tables/uploads.ts";
import type { Actor } from "../../domain/actor.ts";
import type { LiveImport } from "./live-imports.ts";

/** An import that is being fetched: its row, whose it is, and where its progress is told. */
export interface Receiving {
  readonly row: ImportRow;
  readonly actor: Actor;
  readonly live: LiveImport;
}
