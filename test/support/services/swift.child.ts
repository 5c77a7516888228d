import { runShared } from "./shared-process.ts";
import { startSwift } from "./swift.ts";

await runShared("swift", startSwift);
