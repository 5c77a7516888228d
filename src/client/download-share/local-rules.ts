import { type NamingRules, toCollisionKey } from "../../lib/formats/archive-names.ts";
import { toLocalSegment } from "../../lib/text/local-segment.ts";

/** The rules of the system on which files are saved. Only Linux distinguishes names by case. */
export const localRules = (platform: NodeJS.Platform = process.platform): NamingRules => ({
  toSafe: (path) => toLocalSegment(path, platform),
  toKey: platform === "linux" ? (name) => name : toCollisionKey,
});
