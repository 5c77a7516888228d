import type { World } from "./made.ts";
import type { Sent } from "./variants.ts";

/** How one operation is called. */
export interface Example {
  /** Makes what a good input names, and then the input. */
  readonly good: (world: World) => Promise<Sent>;
  /** The least scope that the key needs, where it needs one: what the document says is held against it. */
  readonly scope?: "files_read" | "files_write" | "full";
  /** The status that a good input is refused with, where this server never does what the operation is for. */
  readonly refusal?: number;
  /** Called without a key. */
  readonly keyless?: true;
  /**
   * What somebody else may not have: the good input with the stranger's key, or an input of theirs that names what is not theirs;
   * or why nothing in it is anybody's.
   */
  readonly foreign: "same" | ((good: Sent, world: World) => Promise<Sent>) | { readonly none: string };
}

/** For operations whose input names nothing that somebody has. */
export const NOTHING_NAMED = { none: "it names nothing that somebody has" };
/** Publish fields that go together, as JSON has them. */
export const PUBLISHED = { visibility: "public", ttl: "2d", protect: true, handoffMessage: "Here it is.", runId: "run-1" };
