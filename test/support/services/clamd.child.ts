import { startClamd } from "./clamd.ts";
import { runShared } from "./shared-process.ts";

await runShared("clamd", startClamd);
