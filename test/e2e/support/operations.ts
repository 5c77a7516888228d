import type { Example } from "./example.ts";
import { ACCOUNT_EXAMPLES } from "./example-accounts.ts";
import { FILE_EXAMPLES } from "./example-files.ts";
import { UPLOAD_EXAMPLES } from "./example-uploads.ts";

/** A good input of every operation, by its `operationId`. */
export const EXAMPLES: Readonly<Record<string, Example>> = { ...ACCOUNT_EXAMPLES, ...FILE_EXAMPLES, ...UPLOAD_EXAMPLES };
