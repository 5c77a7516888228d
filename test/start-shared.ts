/** Starts the programs that all test files of a run share. A run of all tests calls it first (scripts/test). */
import { clamdMissing, joinClamd } from "./support/services/clamd.ts";
import { joinSwift, swiftMissing } from "./support/services/swift.ts";

await Promise.all([clamdMissing ?? joinClamd(), swiftMissing ?? joinSwift()]);
