import type { Migration } from "../migrate.ts";
import { foundation } from "./0001-foundation.ts";
import { rateWindows } from "./0002-rate-windows.ts";
import { agents } from "./0005-agents.ts";

/** In the order in which they run. Never edit one that has been released: add another. */
export const migrations: readonly Migration[] = [foundation, rateWindows, agents];
