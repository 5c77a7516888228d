import type { ExpressionBuilder } from "kysely";
import type { Schema } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";

/** The state of a file: its status for the owner, the location of its bytes, and the result of the malware scan. */
export type FileState = Pick<FileRow, "status" | "blob_state" | "scan_status">;

interface Transition {
  /** The allowed values of each column before the transition. An absent column may have any value. */
  readonly from: { readonly [C in keyof FileState]?: readonly FileState[C][] };
  readonly set: Partial<FileState>;
}

const OFFERED = { status: ["active"], blob_state: ["stored"] } as const;
const UNSCANNED = { ...OFFERED, scan_status: ["pending", "scanning", "unavailable"] } as const;
/** A place that was used up, deleted or taken down, and has bytes, which download grants and the undoing of takedowns need. */
const ENDED = { status: ["expired", "deleted", "dmca_removed"], blob_state: ["stored"] } as const;
const UPLOADING = { status: ["active"], blob_state: ["uploading"] } as const;

/** The state of a new file. */
export const INITIAL_STATE = { status: "active", blob_state: "uploading", scan_status: "pending" } as const satisfies FileState;

/** All transitions of a file's state. Every write uses one of them, except `addPlaces`, which copies the state of a file to a new place. */
export const TRANSITIONS = {
  finalizeClean: { from: UPLOADING, set: { blob_state: "stored", scan_status: "clean" } },
  finalizeUnchecked: { from: UPLOADING, set: { blob_state: "stored", scan_status: "pending" } },
  startScan: { from: UNSCANNED, set: { scan_status: "scanning" } },
  awaitScanner: { from: UNSCANNED, set: { scan_status: "pending" } },
  passScan: { from: OFFERED, set: { scan_status: "clean" } },
  failScan: { from: OFFERED, set: { scan_status: "unavailable" } },
  passEnded: { from: ENDED, set: { scan_status: "clean" } },
  failEnded: { from: ENDED, set: { scan_status: "unavailable" } },
  block: { from: { status: ["active", "expired"], blob_state: ["stored"], scan_status: ["clean"] }, set: { scan_status: "unavailable" } },
  rescan: { from: OFFERED, set: { scan_status: "pending" } },
  quarantine: { from: { blob_state: ["stored"], scan_status: ["unavailable"] }, set: { blob_state: "quarantined" } },
  releaseFromQuarantine: { from: { blob_state: ["stored", "quarantined"] }, set: { blob_state: "stored" } },
  expire: { from: { status: ["active"] }, set: { status: "expired" } },
  delete: { from: { status: ["active", "expired"] }, set: { status: "deleted" } },
  takeDown: { from: { status: ["active", "expired"] }, set: { status: "dmca_removed" } },
  undoTakedown: { from: { status: ["dmca_removed"], blob_state: ["stored", "quarantined"] }, set: { status: "active" } },
  undoTakedownOfExpired: { from: { status: ["dmca_removed"], blob_state: ["stored", "quarantined"] }, set: { status: "expired" } },
  removeBytes: { from: { blob_state: ["stored", "quarantined", "removing"] }, set: { blob_state: "removing" } },
  recordRemoval: { from: { blob_state: ["removing"] }, set: { blob_state: "removed" } },
} as const satisfies Readonly<Record<string, Transition>>;

export type TransitionName = keyof typeof TRANSITIONS;

/** Returns whether a combination is legal: a file that is being uploaded is not scanned, and a quarantined file could not be scanned. */
export function isLegalState({ blob_state, scan_status }: FileState): boolean {
  if (blob_state === "uploading") return scan_status === "pending";
  return blob_state !== "quarantined" || scan_status === "unavailable";
}

/** Returns whether the transition is allowed from `state`. */
export function canApply(name: TransitionName, state: FileState): boolean {
  return conditionsOf(name).every(([column, values]) => values.some((value) => value === state[column]));
}

/** Returns the values that an update of `files` sets for a transition, and its condition on the current state. Throws for an unknown name. */
export function transition<N extends TransitionName>(name: N) {
  const conditions = conditionsOf(name);
  return {
    set: TRANSITIONS[name].set,
    where: (where: ExpressionBuilder<Schema, "files">) => where.and(conditions.map(([column, values]) => where(column, "in", values))),
  };
}

function conditionsOf(name: TransitionName): [keyof FileState, readonly FileState[keyof FileState][]][] {
  if (!Object.hasOwn(TRANSITIONS, name)) throw new Error(`${name} is not a transition of a file's state`);
  return Object.entries(TRANSITIONS[name].from) as [keyof FileState, readonly FileState[keyof FileState][]][];
}
